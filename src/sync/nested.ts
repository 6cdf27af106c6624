import { type Dirent, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { UsageError } from "../errors.ts";
import { ignoreFile, ignorePatterns } from "../folder/layout.ts";
import { isSynced } from "../transfer/formats/markdown/sync-marker.ts";

/**
 * Refuses the first sync of a folder that is part of a synced one, or that has one in it: each card would have a file
 * in both, and each of the two syncs would move decks for the other. A folder that is synced already is not refused.
 *
 * @param name the folder, which need not exist
 * @throws UsageError
 */
export function assertNotNested(name: string): void {
  const root = realPlace(name);
  if (isSynced(root)) return;
  for (let above = dirname(root), below = root; above !== below; below = above, above = dirname(above))
    if (isSynced(above) && isPart(above, root))
      throw new UsageError(`${root} is part of ${above}, which is synced`, {
        hint: `Sync ${above}, or name a folder outside of it.`,
      });
  const inner = syncedBelow(root, root, ignored(root));
  if (inner === undefined) return;
  throw new UsageError(`${inner}, which is in ${root}, is synced by itself`, {
    hint: `To leave it out, add the line /${pathIn(root, inner)}/ to ${join(root, ignoreFile)}.`,
  });
}

/** The path without symbolic links, as far as it exists. */
function realPlace(name: string): string {
  const path = resolve(name);
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPlace(parent), basename(path));
  }
}

const pathIn = (root: string, path: string) => relative(root, path).split(sep).join("/");

/** Whether a sync of a folder reads that folder below it. */
function isPart(root: string, folder: string): boolean {
  const path = pathIn(root, folder);
  return !path.split("/").some((part) => part.startsWith(".")) && !ignored(root)(path);
}

function ignored(root: string): (path: string) => boolean {
  try {
    return ignorePatterns(readFileSync(join(root, ignoreFile), "utf8"));
  } catch {
    return () => false;
  }
}

/** The first synced folder below one, of those that a sync would read. */
function syncedBelow(root: string, folder: string, ignores: (path: string) => boolean): string | undefined {
  for (const entry of foldersIn(folder)) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".") || ignores(pathIn(root, path))) continue;
    const found = isSynced(path) ? path : syncedBelow(root, path, ignores);
    if (found !== undefined) return found;
  }
  return undefined;
}

function foldersIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  } catch {
    return []; // The sync reports a folder that cannot be read.
  }
}
