import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isNowhere } from "../config/folders.ts";
import type { Context } from "../context/context.ts";
import { holderOf, isLocked } from "../files/lock.ts";
import { relativeDate } from "../output/relative.ts";

/** The folders: whether they are there, can be written, and are the owner's alone. */
export function* folderFindings(context: Context): Generator<Finding> {
  for (const name of ["config", "data", "state", "cache"] as const) {
    const path = context.folders[name];
    const found = statOf(path);
    if (isNowhere(path)) yield wrong(`${name} folder`, "there is no home folder; set DECKHAND_HOME");
    else if (found === undefined) {
      const above = nearestFolder(path);
      yield canWrite(above)
        ? fine(`${name} folder`, `${path} (not made yet)`)
        : wrong(`${name} folder`, `${path} cannot be made: ${above} cannot be written; set DECKHAND_HOME`);
    } else if (!found.isDirectory()) yield wrong(`${name} folder`, `${path} is no folder`);
    else if (!canWrite(path)) yield wrong(`${name} folder`, `${path} cannot be written`);
    else {
      const open = context.world.platform !== "win32" && (found.mode & 0o022) !== 0;
      yield open
        ? wrong(`${name} folder`, `${path} can be changed by others: chmod 700`)
        : fine(`${name} folder`, path);
    }
  }
}

/** How old the newest backup of the local collection is. */
export async function* backupFindings(context: Context): AsyncGenerator<Finding> {
  const { keptBackups } = await import("../service/backup/kept.ts");
  const [newest] = keptBackups(context.folders.data);
  const age = newest && relativeDate(new Date(newest.at).toISOString(), context.clock.now());
  yield fine("backup", newest === undefined ? "none yet" : `${newest.name}, written ${age}`);
}

/** Locks that let one process at a time use an account: one that is held long belongs to a process that was stopped. */
export function* lockFindings(context: Context): Generator<Finding> {
  const paths = listOf(context.folders.state)
    .filter((name) => name.endsWith(".lockfile"))
    .map((name) => join(context.folders.state, name.slice(0, -".lockfile".length)));
  const held = paths.filter(isLocked);
  if (held.length === 0) yield fine("account lock", "free");
  for (const path of held) yield fine("account lock", `${holderOf(path)} holds ${basename(path)}`);
}

/** Undefined for what is not there, or can't be looked at: below a file, or in somebody else's folder. */
function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The nearest folder above that is there. */
function nearestFolder(path: string): string {
  const above = dirname(path);
  return above === path || statOf(above) !== undefined ? above : nearestFolder(above);
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly "ok?": boolean;
  readonly detail: string;
}

export const fine = (check: string, detail: string): Finding => ({ check, "ok?": true, detail });
export const wrong = (check: string, detail: string): Finding => ({ check, "ok?": false, detail });
