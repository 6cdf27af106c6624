import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { UsageError } from "../errors.ts";
import type { Edited, World } from "./world.ts";

/**
 * Opens `$VISUAL`, `$EDITOR`, or what the system has on a text. The file is kept in the state folder, so that it
 * survives a crash of either program; the caller discards it when the text is stored elsewhere.
 *
 * @param name the file's name, without a path; editors choose the syntax by its ending
 */
export async function edit(
  text: string,
  name: string,
  stateFolder: string,
  { env, platform }: World,
): Promise<Edited> {
  const { makeFolder, unwritable } = await import("../config/folders.ts");
  const parent = join(stateFolder, "edits");
  makeFolder(parent);
  const failed = (cause: unknown) => Promise.reject(unwritable(parent, cause));
  const folder = await mkdtemp(join(parent, "edit-")).catch(failed);
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o600 }).catch(failed);
  try {
    await runEditor(path, env, platform);
  } catch (error) {
    // An abandoned edit leaves no file, unless something was written.
    if ((await differs(path, text)) && error instanceof UsageError)
      throw error.with({ hint: `The text is kept in ${path}` });
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    text: await readEdited(path),
    path,
    discard: () => rm(folder, { recursive: true, force: true }),
  };
}

const differs = async (path: string, text: string) =>
  (await readFile(path, "utf8").catch(() => text)) !== text;

/** Some editors rename files: a missing file means that the edit was abandoned. */
async function readEdited(path: string): Promise<string> {
  try {
    // Some editors put a byte order mark before what they save; it is dropped.
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    const gone = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw new UsageError(
      gone
        ? "the editor left no file; nothing was changed"
        : "the edited text is not valid UTF-8; nothing was changed",
      gone ? { cause } : { cause, hint: `The file is kept: ${path}` },
    );
  }
}

/**
 * Without a terminal only an editor from the environment is run, as in git: it may be a script.
 * @throws UsageError if there is neither a terminal nor such an editor
 */
export function assertEditor({ interactive }: { readonly interactive: boolean }, env: World["env"]): void {
  if (interactive || env["VISUAL"] || env["EDITOR"]) return;
  throw new UsageError("editing needs a terminal, or EDITOR set to a program that works without one", {
    hint: "Use `deckhand cards update` in scripts.",
  });
}

/** Opens the user's editor on a file of theirs, at a line where the editor is known to have an option for that. */
export async function editAt(path: string, line: number, { env, platform }: World): Promise<void> {
  await runEditor(path, env, platform, line);
}

/** What editors take for a file and a line; others get the file alone. */
function placeFor(command: string, path: string, line: number): readonly string[] {
  const name = basename(command.split(" ")[0] ?? "").replace(/\.exe$/i, "");
  if (/^(?:code|codium|code-insiders|cursor|windsurf)$/.test(name)) return ["-g", `${path}:${line}`];
  if (/^(?:subl|hx|helix|zed)$/.test(name)) return [`${path}:${line}`];
  const takesPlus =
    /^(?:vi|vim|nvim|nvi|vis|nano|pico|emacs|emacsclient|micro|kak|joe|mg|ne|jed|gedit)$/.test(name);
  return takesPlus ? [`+${line}`, path] : [path];
}

/** Where none is set: nano, which says on the screen how it is left, before vi. */
function usualEditor({ PATH = "" }: World["env"], platform: string): string {
  if (platform === "win32") return "notepad";
  return PATH.split(":").some((folder) => existsSync(join(folder, "nano"))) ? "nano" : "vi";
}

/** Runs the editor to its end on the terminal. */
async function runEditor(path: string, env: World["env"], platform: string, line?: number): Promise<void> {
  const command = env["VISUAL"] || env["EDITOR"] || usualEditor(env, platform);
  const place = line === undefined ? [path] : placeFor(command, path, line);
  // EDITOR is a command line ("code --wait"), which the shell splits, as in git.
  const child =
    platform === "win32"
      ? spawn(`${command} ${place.map((part) => `"${part}"`).join(" ")}`, { stdio: "inherit", shell: true })
      : spawn("/bin/sh", ["-c", `${command} "$@"`, command, ...place], { stdio: "inherit" });
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
    throw new UsageError(
      `the editor ${JSON.stringify(command)} ended with ${code === null ? "a signal" : `exit code ${code}`}; nothing was changed`,
    );
}

/** While an editor or a pager runs, Ctrl-C is for it alone, as in git. */
export function holdInterrupts(): { release(): void } {
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
