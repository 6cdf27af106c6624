import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import type { Context, Edited } from "./context.ts";

/**
 * Opens `$VISUAL`, `$EDITOR`, or the platform's own on a text. The file lies in the state folder, so that it outlives
 * a crash of either program; whoever gets it removes it when the text is safe.
 *
 * @param name what the file is called, by whose ending the editor knows what it is; no path
 */
export async function edit(text: string, name: string, context: Context): Promise<Edited> {
  assertEditor(context);
  const { makeFolder, unwritable } = await import("../config/folders.ts");
  const parent = join(context.folders.state, "edits");
  makeFolder(parent);
  const failed = (cause: unknown) => Promise.reject(unwritable(parent, cause));
  const folder = await mkdtemp(join(parent, "edit-")).catch(failed);
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o600 }).catch(failed);
  try {
    await runEditor(path, context);
  } catch (error) {
    // An edit that was given up leaves nothing behind, unless something was written.
    if ((await readFile(path, "utf8").catch(() => text)) !== text) throw error;
    await rm(folder, { recursive: true, force: true });
    throw error instanceof GivenUp ? new UsageError(error.message) : error;
  }
  return {
    text: await readEdited(path),
    path,
    discard: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The editor ended with a failure. */
class GivenUp extends UsageError {}

/** Some editors write under another name: a file that is gone is an edit given up. */
async function readEdited(path: string): Promise<string> {
  try {
    // Some editors put a byte order mark before what they save; it is dropped.
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    const gone = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw new UsageError(
      gone
        ? "the editor left no file: nothing was changed"
        : "what the editor saved is not UTF-8 text: nothing was changed",
      gone ? { cause } : { cause, hint: `It is kept in ${path}` },
    );
  }
}

/**
 * Off a terminal only an editor that was chosen is run, as git does: it may be a script.
 * @throws UsageError where there is neither a terminal nor such an editor
 */
export function assertEditor({ interactive, world }: Context): void {
  if (interactive || world.env["VISUAL"] || world.env["EDITOR"]) return;
  throw new UsageError("editing needs a terminal, or an editor that works without one", {
    hint: "Set EDITOR, or use cards update.",
  });
}

/** Runs the editor to its end on the terminal. */
async function runEditor(path: string, context: Pick<Context, "world">): Promise<void> {
  const { env, platform } = context.world;
  const command = env["VISUAL"] || env["EDITOR"] || (platform === "win32" ? "notepad" : "vi");
  // An editor's setting is a command line ("code --wait"), so a shell takes it apart, as git does.
  const child =
    platform === "win32"
      ? spawn(`${command} "${path}"`, { stdio: "inherit", shell: true })
      : spawn("/bin/sh", ["-c", `${command} "$@"`, command, path], { stdio: "inherit" });
  const interrupts = holdInterrupts();
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on("error", reject).on("close", resolve),
  );
  const code = await ended.finally(interrupts.release).catch((cause) => {
    throw new UsageError(`could not start the editor ${JSON.stringify(command)}`, {
      cause,
      hint: "Set EDITOR.",
    });
  });
  if (code !== 0)
    throw new GivenUp(
      `the editor ${JSON.stringify(command)} ended with ${code ?? "a signal"}: nothing was changed`,
      {
        hint: `The text is kept in ${path}`,
      },
    );
}

/** Ctrl-C while the editor has the terminal is for the editor alone, as it is with git. */
function holdInterrupts(): { release(): void } {
  const listeners = process.listeners("SIGINT");
  const ignore = () => {};
  process.removeAllListeners("SIGINT").on("SIGINT", ignore);
  return {
    release() {
      process.off("SIGINT", ignore);
      for (const listener of listeners) process.on("SIGINT", listener);
    },
  };
}
