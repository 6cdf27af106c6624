import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "../../errors.ts";
import { foldedName } from "../../files/safe-names.ts";
import { isMap } from "../../schema/index.ts";
import { markerName } from "../formats/markdown/write-files.ts";
import { type Exported, type Loss, lossOf } from "./lost-files.ts";
import { filesUnder, matterOf, type OurFile, ourFiles, storedName } from "./our-files.ts";

/**
 * Makes a folder that holds an older export the new one: files that changed are replaced, those of ours that are no more
 * are removed, all else (`.git`, notes of one's own) stays.
 *
 * @param exported what the new one holds; only asked for where files would be removed
 * @param confirm is asked before anything is changed where a folder of something else would lose files, and throws to leave it
 * @throws UsageError, before anything is changed, for a folder that is not empty and no export
 */
export async function replaceFolder(
  fresh: string,
  target: string,
  exported: () => Exported,
  confirm: (loss: Loss) => Promise<void>,
): Promise<void> {
  if (!existsSync(target)) {
    renameSync(fresh, target);
    return;
  }
  await assertOurs(target);
  const now = new Set(await filesUnder(fresh));
  const before = await filesUnder(target);
  const gone = ourFiles(
    target,
    before.filter((path) => !now.has(path)),
  ).filter((file) => !isMissed([fresh, target], file));
  const loss = gone.length > 0 && lossOf([fresh, target], [before, now], gone, exported());
  if (loss) await confirm(loss);
  const comes = new Map(gone.length > 0 ? [...now].map((path) => [foldedName(path), path]) : []);
  // Cards tell which files beside them are ours: they go last, so that it is still told when this is killed and run again.
  for (const cards of [false, true]) {
    for (const path of now) if (isCard(path) === cards) put(fresh, target, path);
    for (const { path } of gone)
      if (isCard(path) === cards && !isSameFile(target, path, comes.get(foldedName(path))))
        await remove(target, path);
  }
  await rm(fresh, { recursive: true, force: true });
}

/** @throws UsageError for a folder with something in it that no export put there */
export async function assertOurs(target: string): Promise<void> {
  const names = await readdir(target);
  if (names.includes(markerName) || names.every((name) => name.startsWith("."))) return;
  throw new UsageError(`${target} is not empty and holds no export`, {
    hint: "Give another folder, or an empty one.",
  });
}

/** Whether the card has the file still, and it could not be fetched this time: then the one from before stays. */
function isMissed([fresh, target]: readonly [string, string], { path, kind }: OurFile): boolean {
  const [, stem, name] = (kind === "attachment" && /^(.*)\.files\/([^/]+)$/.exec(path)) || [];
  if (stem === undefined) return false;
  const listed = (root: string) => {
    const { attachments } = matterOf(root, `${stem}.md`);
    return isMap(attachments) ? Object.entries(attachments) : [];
  };
  const [fileName] =
    listed(target).find(([key, entry]) => storedName(key, entry) === name?.normalize("NFC")) ?? [];
  return listed(fresh).some(([key, entry]) => key === fileName && isMap(entry) && entry["missing"] === true);
}

const isCard = (path: string) => path.endsWith(".md") && !/\.files\/[^/]+$/.test(path);

function put(fresh: string, target: string, path: string): void {
  const [from, to] = [join(fresh, path), join(target, path)];
  if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) return;
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}

/** Whether a name that went is that of a file which came: on a file system that ignores case, when only the case changed. */
function isSameFile(root: string, path: string, other: string | undefined): boolean {
  if (other === undefined) return false;
  const [one, two] = [path, other].map((each) =>
    statSync(join(root, each), { bigint: true, throwIfNoEntry: false }),
  );
  return one !== undefined && one.ino === two?.ino && one.dev === two.dev;
}

/** With the folders that are empty then. */
async function remove(root: string, path: string): Promise<void> {
  rmSync(join(root, path));
  for (let each = dirname(path); each !== "."; each = dirname(each)) {
    if ((await readdir(join(root, each))).length > 0) return;
    rmSync(join(root, each), { recursive: true });
  }
}
