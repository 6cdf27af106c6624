import { changeCredential } from "../../config/credentials.ts";
import type { Context } from "../../context/context.ts";
import { NotConfiguredError, UsageError } from "../../errors.ts";
import { command, declare } from "../shared/command.ts";
import { chosenProfile, placeOf } from "../shared/profiles.ts";

const declared = () =>
  declare(`Remove an account's saved key. Its settings and its review log stay, for the next login.

Examples:
  deckhand auth logout
  deckhand auth logout work
  deckhand auth logout work --delete`)
    .argument("[profile]", "which account; without it the one in use")
    .option("--delete", "delete the whole profile, with its settings");

export const logoutCommand = command(declared, logout);

interface LogoutOptions {
  readonly delete?: boolean;
}

export async function logout(
  profile: string | undefined,
  options: LogoutOptions,
  context: Context,
): Promise<void> {
  const name = profile ?? chosenProfile(context);
  if (name === undefined) throw new NotConfiguredError("no account is configured");
  if (name === "local") throw new UsageError("the profile local is the local service: it has no key");
  const { config, credentials } = context.sources();
  const saved = credentials();
  if (saved.problem !== undefined) throw new NotConfiguredError(saved.problem);
  if (options.delete && Object.hasOwn(config.profiles, name)) {
    if (context.options.dryRun) return context.io.note(`Would delete the profile ${name}`);
    await context.io.confirm(`Delete the profile ${name} with its settings and key?`, "nothing was deleted");
    const { deleteProfile } = await import("../../config/profiles.ts");
    await deleteProfile(placeOf(context), name);
    return context.io.note(`Deleted the profile ${name}`);
  }
  if (!saved.keys.has(name)) {
    if (Object.hasOwn(config.profiles, name))
      return context.io.note(`No key is saved for the profile ${name}`);
    throw new UsageError(`there is no profile ${JSON.stringify(name)}`, {
      hint: "See `deckhand auth list`.",
    });
  }
  if (context.options.dryRun) return context.io.note(`Would remove the key of the profile ${name}`);
  const { folder, platform } = placeOf(context);
  await changeCredential(folder, platform, name, undefined);
  context.io.note(`Removed the key of the profile ${name}`);
}
