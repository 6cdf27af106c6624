import { posix, resolve, win32 } from "node:path";
import { NotConfiguredError } from "../errors.ts";
import { fileProblem } from "../files/errors.ts";
import { makeDurableFolder } from "../files/folders.ts";

/** The folders of deckhand: settings and keys; collections and review logs; state; what can be rebuilt. */
export interface Folders {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly cache: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Stands for "no home folder": nothing below a file can be read or created, not even by root. */
const nowhere = "/dev/null/deckhand";

/** Whether this folder would be in a home folder that the user does not have. */
export const isNowhere = (path: string): boolean => path.startsWith(nowhere);

/**
 * The folders of this user (docs/design/cli.md, Global options). `DECKHAND_HOME` contains all four; otherwise they are the platform's
 * own: XDG on Linux and other Unix systems, Library on macOS, AppData on Windows. Nothing is created or read here, so that a machine
 * without a home folder can run everything that stores nothing.
 *
 * @param home the user's home folder, undefined or "" if there is none
 */
export function folders(env: Environment, platform: string, home: string | undefined): Folders {
  const { join, isAbsolute } = platform === "win32" ? win32 : posix;
  const own = env["DECKHAND_HOME"];
  if (own) {
    const base = isAbsolute(own) ? own : fromHere(own);
    const inside = (name: string) => join(base, name);
    return { config: inside("config"), data: inside("data"), state: inside("state"), cache: inside("cache") };
  }
  if (platform === "win32") {
    const roaming = env["APPDATA"] || join(home || nowhere, "AppData", "Roaming");
    const local = env["LOCALAPPDATA"] || join(home || nowhere, "AppData", "Local");
    const inside = (name: string) => join(local, "deckhand", name);
    return {
      config: join(roaming, "deckhand", "Config"),
      data: inside("Data"),
      state: inside("State"),
      cache: inside("Cache"),
    };
  }
  if (platform === "darwin") {
    const library = home ? join(home, "Library") : nowhere;
    return {
      config: join(library, "Preferences", "deckhand"),
      data: join(library, "Application Support", "deckhand"),
      state: join(library, "Application Support", "deckhand", "State"),
      cache: join(library, "Caches", "deckhand"),
    };
  }
  // The XDG specification says that a relative path is to be ignored.
  const xdg = (variable: string, ...otherwise: string[]) => {
    const given = env[variable];
    const base = given && isAbsolute(given) ? given : home ? join(home, ...otherwise) : nowhere;
    return join(base, "deckhand");
  };
  return {
    config: xdg("XDG_CONFIG_HOME", ".config"),
    data: xdg("XDG_DATA_HOME", ".local", "share"),
    state: xdg("XDG_STATE_HOME", ".local", "state"),
    cache: xdg("XDG_CACHE_HOME", ".cache"),
  };
}

/** A path relative to the working directory, which may have been removed. */
function fromHere(path: string): string {
  try {
    return resolve(path);
  } catch {
    return nowhere;
  }
}

/**
 * Creates a folder that only its owner can enter, with its parents. Called before something is written.
 * @throws NotConfiguredError that says what to do where that is impossible
 */
export function makeFolder(path: string): void {
  try {
    makeDurableFolder(path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** The error for a folder or file that cannot be written. */
export function unwritable(path: string, cause: unknown): NotConfiguredError {
  const hint = "Set DECKHAND_HOME to a folder that can be written.";
  if (isNowhere(path))
    return new NotConfiguredError("there is no home folder to store anything in", { hint, cause });
  return new NotConfiguredError(`could not write ${path}: ${fileProblem(cause)}`, { hint, cause });
}
