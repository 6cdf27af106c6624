import {
  copyFileSync,
  createReadStream,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DeckhandError } from "../../errors.ts";
import { writeFileWith } from "../../files/atomic-write.ts";
import { makeDurableFolder, syncFolder } from "../../files/folders.ts";
import { withLock } from "../../files/lock.ts";
import { removeLeftOver, temporaryBeside } from "../../files/temporary.ts";
import { contentPath } from "../blobs/paths.ts";
import { sqliteProblem } from "../store/dialects/sqlite/file.ts";
import { restoredFolder } from "../store/dialects/sqlite/index.ts";
import { type ReadBackup, readBackup } from "./read.ts";
import { attachmentHashes, using } from "./snapshot.ts";
import { type OwnFile, storeName } from "./write.ts";

export interface RestoreOptions {
  readonly file: string;
  /** The folder of the service's data. */
  readonly folder: string;
  /** Where a part other than the store and attachments belongs; undefined leaves it out. */
  pathOf(name: string): string | undefined;
  /** Files that the restored ones take the place of, by their name in a backup. */
  readonly present: readonly OwnFile[];
  /** The name of the review log: a collection that has one is not empty. */
  readonly log: string;
  /** Where a collection that is there is moved to; without it only an empty one is replaced. */
  readonly aside: string | undefined;
  progress?(read: number): void;
}

export interface Restored extends ReadBackup {
  /** Whether there was something to move to `aside`. */
  readonly replaced: boolean;
  /** Hashes of attachments that are in neither the backup nor the collection before. */
  readonly missing: readonly string[];
}

/**
 * Replaces a collection by that of a backup, which is verified first. It is unpacked beside the collection; from the
 * moment in which the folder is renamed to `service.restored` a process that finds no collection takes it from there.
 * So killed at any moment, the collection is the old one or the new one, and what was there before is in `aside`.
 *
 * @throws DeckhandError for a damaged backup, a collection that is not empty, and one that is in use
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, folder, aside, log } = options;
  const backup = await readBackup(file);
  makeDurableFolder(dirname(folder));
  return withLock(`${folder}-restore`, async () => {
    const there = existsSync(join(folder, storeName));
    if (there) assertUnused(join(folder, storeName));
    const old = options.present.filter(({ path }) => existsSync(path));
    const empty = (!there || isEmpty(join(folder, storeName))) && !old.some(({ name }) => name === log);
    if (!empty && aside === undefined)
      throw new DeckhandError("conflict", "there is a collection already; nothing was restored", {
        hint: "--replace moves it to another folder first.",
      });
    const unpacked = temporaryBeside(folder);
    removeLeftOver(folder, Date.now());
    try {
      const missing = await unpack(options, unpacked, aside === undefined);
      if (aside !== undefined) moveAside(old, aside);
      await placeFiles(unpacked, options);
      exchange(folder, unpacked, aside);
      return { ...backup, replaced: aside !== undefined && (there || old.length > 0), missing };
    } finally {
      rmSync(unpacked, { recursive: true, force: true });
    }
  });
}

const filesFolder = "files";

/** Unpacks a backup into a folder: the store and attachments as the service has them, the rest below `files`. */
async function unpack(options: RestoreOptions, to: string, keepFiles: boolean): Promise<string[]> {
  let read = 0;
  makeDurableFolder(to);
  const { attachments } = await readBackup(options.file, async (part) => {
    const target = isOwn(part.name) ? part.name : join(filesFolder, part.name);
    const path = options.pathOf(part.name);
    // Without --replace a file that is there, such as the settings, stays.
    if (!isOwn(part.name) && (path === undefined || (keepFiles && existsSync(path)))) return;
    makeDurableFolder(dirname(join(to, target)));
    await writeFileWith(join(to, target), async (file) => {
      for await (const bytes of part.pieces) {
        await file.write(bytes);
        read += bytes.length;
        options.progress?.(read);
      }
    });
  });
  const store = join(to, storeName);
  // As a new store is created. In WAL mode other processes read while one writes.
  using(store, (database) => database.exec("pragma journal_mode = wal"));
  return attachments ? [] : takeContents(store, join(options.folder, "attachments"), join(to, "attachments"));
}

const isOwn = (name: string) => name === storeName || /^attachments\/[0-9a-f]{2}\/[0-9a-f]{62}$/.test(name);

/** For a backup without contents: those that the collection before has. @returns the hashes of those it lacks */
function takeContents(store: string, from: string, to: string): string[] {
  const missing: string[] = [];
  for (const hash of attachmentHashes(store)) {
    const [source, target] = [join(from, contentPath(hash)), join(to, contentPath(hash))];
    if (existsSync(source)) {
      makeDurableFolder(dirname(target));
      linkOrCopy(source, target);
      syncFolder(dirname(target));
    } else missing.push(hash);
  }
  return missing;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function moveAside(files: RestoreOptions["present"], aside: string): void {
  for (const { name, path } of files) {
    const target = join(aside, name);
    makeDurableFolder(dirname(target));
    renameSync(path, target);
    syncFolder(dirname(target));
    syncFolder(dirname(path));
  }
}

/** Gives the files besides their places: before the store, which may then lack what they know, not the reverse. */
async function placeFiles(unpacked: string, { pathOf }: RestoreOptions): Promise<void> {
  const root = join(unpacked, filesFolder);
  for (const name of namesBelow(root)) {
    const path = pathOf(name);
    if (path === undefined) continue;
    makeDurableFolder(dirname(path));
    // Copied: the settings and the collection may be on different file systems.
    await writeFileWith(path, (file) => file.writeAll(createReadStream(join(root, name))));
  }
  rmSync(root, { recursive: true, force: true });
}

function namesBelow(root: string): string[] {
  if (!existsSync(root)) return [];
  const names = readdirSync(root, { recursive: true }) as string[];
  return names
    .filter((name) => statSync(join(root, name)).isFile())
    .map((name) => name.replaceAll("\\", "/"));
}

function exchange(folder: string, unpacked: string, aside: string | undefined): void {
  const restored = restoredFolder(folder);
  rmSync(restored, { recursive: true, force: true });
  renameSync(unpacked, restored);
  syncFolder(dirname(folder));
  if (existsSync(folder)) {
    const old = aside === undefined ? temporaryBeside(folder) : join(aside, "service");
    makeDurableFolder(dirname(old));
    renameSync(folder, old);
    if (aside === undefined) rmSync(old, { recursive: true, force: true });
  }
  renameSync(restored, folder);
  syncFolder(dirname(folder));
}

/** @throws DeckhandError if another process has the store open */
function assertUnused(store: string): void {
  try {
    using(store, (database) =>
      database.exec("pragma busy_timeout = 1000; pragma locking_mode = exclusive; begin exclusive; commit"),
    );
  } catch (cause) {
    // A damaged store is what a backup is restored for.
    if (sqliteProblem(cause) === "busy")
      throw new DeckhandError("conflict", "the collection is in use; nothing was restored", {
        hint: "Stop `deckhand serve` and other commands first.",
        cause,
      });
  }
}

/** Whether a store has no documents and no keys. A damaged one is not empty. */
function isEmpty(store: string): boolean {
  const tables = ["card", "deck", "template", "key"];
  try {
    return using(store, (database) =>
      tables.every((table) => database.prepare(`select 1 from "${table}" limit 1`).all().length === 0),
    );
  } catch (error) {
    // A store that was only begun has no tables.
    return sqliteProblem(error) === undefined;
  }
}
