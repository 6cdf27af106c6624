import { type Dirent, existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { UsageError } from "../errors.ts";
import { readIfThere } from "../files/read-if-there.ts";
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
  const [path, parent] = [resolve(name), dirname(resolve(name))];
  const root = existsSync(path)
    ? realpathSync(path)
    : join(existsSync(parent) ? realpathSync(parent) : parent, basename(path));
  if (isSynced(root)) return;
  for (let above = dirname(root), below = root; above !== below; below = above, above = dirname(above))
    if (isSynced(above) && isPart(above)(root))
      throw new UsageError(`${root} is part of ${above}, which is synced`, {
        hint: `Sync ${above}, or name a folder outside of it.`,
      });
  const isRead = isPart(root);
  const inner = [...foldersBelow(root, (path) => !isRead(path))].find(isSynced);
  if (inner === undefined) return;
  throw new UsageError(`${inner}, which is in ${root}, is synced by itself`, {
    hint: `To leave it out, add the line /${pathIn(root, inner)}/ to ${join(root, ignoreFile)}.`,
  });
}

const pathIn = (root: string, path: string) => relative(root, path).split(sep).join("/");

/** Whether a sync of a folder reads another below it. */
function isPart(root: string): (folder: string) => boolean {
  const isIgnored = ignorePatterns(readIfThere(join(root, ignoreFile)) ?? "");
  return (folder) => {
    const path = pathIn(root, folder);
    return !path.split("/").some((part) => part.startsWith(".")) && !isIgnored(path);
  };
}

/** The folders below one, but for links, hidden ones, those that are left out, and what is in these. */
export function* foldersBelow(folder: string, leavesOut = (_: string) => false): Generator<string> {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || entry.name.startsWith(".") || leavesOut(path)) continue;
    yield path;
    yield* foldersBelow(path, leavesOut);
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // The sync reports a folder that cannot be read.
  }
}
