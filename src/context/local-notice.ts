import type { Context } from "../context.ts";

/**
 * Says that nothing is configured and so the local service is used: on a terminal once, the choice is then saved;
 * elsewhere every time, unless --quiet (cli.md, Profiles).
 */
export async function tellLocal(context: Context): Promise<void> {
  context.note(
    "No account is configured: using the local service on this machine (deckhand auth login adds an account).",
  );
  if (!context.stdin.isTTY || !context.stderr.isTTY) return;
  const { useProfile } = await import("../config/profiles.ts");
  // Where nothing can be saved the notice comes again; that is no reason to fail.
  await useProfile({ folder: context.folders.config, platform: context.world.platform }, "local").catch(
    () => {},
  );
}
