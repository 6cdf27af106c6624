import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { DeckhandError } from "../../errors.ts";
import { syncFile, writeFileWith } from "../../files/atomic-write.ts";
import { linkOrCopy, makeDurableFolder, syncFolder } from "../../files/folders.ts";
import { withLock } from "../../files/lock.ts";
import { removeLeftOver, temporaryBeside } from "../../files/temporary.ts";
import { openForeign } from "../../sqlite/copy.ts";
import type { SqliteDatabase } from "../../sqlite.ts";
import { contentPath, restoredFolder, restoreLock } from "../blobs/paths.ts";
import { knownTables } from "../store/copy.ts";
import { openSqlite } from "../store/dialects/sqlite/index.ts";
import { HeldStore } from "./held.ts";
import { type ReadBackup, readBackup } from "./read.ts";
import { attachmentHashes, snapshot, using } from "./snapshot.ts";
import { type OwnFile, settingsName, storeName } from "./write.ts";

export interface RestoreOptions {
  readonly file: string;
  /** The folder of the service's data. */
  readonly folder: string;
  /** Where a part other than the store, attachments and settings belongs; undefined leaves it out. */
  pathOf(name: string): string | undefined;
  /** Files that the restored ones take the place of, by their name in a backup. */
  present(): readonly OwnFile[];
  /** The name of the review log: a collection that has one is not empty. */
  readonly log: string;
  /** Where a collection that is there is moved to; without it only an empty one is replaced. */
  readonly aside: string | undefined;
  /** Where else contents of attachments are that a backup without them may need. */
  readonly contents?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called once the backup is verified, before anything is changed; what it throws ends the restore.
   *
   * @param settings the text of the settings in the backup, where it has any
   */
  approve?(settings: string | undefined): Promise<void>;
  progress?(read: number): void;
}

export interface Restored extends ReadBackup {
  /** Whether there was anything to keep in `aside`. */
  readonly replaced: boolean;
  /** Hashes of attachments that neither the backup nor the collection before has. */
  readonly missing: readonly string[];
}

const longestSettings = 1024 * 1024;

/**
 * Replaces a collection by that of a backup, which is verified first. Everything is built beside the collection, in a new
 * store: of the one in the backup only rows are taken, since anybody can have written it. Then two renames: killed at any
 * moment, the collection is the old one or the new one, and what was there before is in `aside`.
 *
 * @throws DeckhandError for a damaged backup, one of a newer version, a collection that is not empty, and one that is in use
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, folder, aside } = options;
  let settings: string | undefined;
  const backup = await readBackup(file, async ({ name, size, pieces }) => {
    if (name === settingsName && size <= longestSettings) settings = await text(pieces);
  });
  await options.approve?.(settings);
  makeDurableFolder(dirname(folder));
  return withLock(restoreLock(folder), async () => {
    const old = options.present().filter(({ path }) => existsSync(path));
    const held = HeldStore.take(join(folder, storeName));
    const unpacked = temporaryBeside(folder);
    try {
      const there = existsSync(join(folder, storeName));
      const empty = (!there || held?.isEmpty()) && !old.some(({ name }) => name === options.log);
      if (!empty && aside === undefined) throw conflict();
      removeLeftOver(folder, Date.now());
      rmSync(restoredFolder(folder), { recursive: true, force: true });
      const built = await build(options, unpacked, backup);
      if (aside !== undefined) for (const { name, path } of old) moveTo(path, join(aside, name));
      for (const { name, path } of built.files) moveTo(join(unpacked, name), path);
      held?.release();
      const before = aside === undefined ? join(unpacked, "before") : join(aside, "service");
      exchange(folder, join(unpacked, "service"), before);
      return {
        ...backup,
        replaced: aside !== undefined && (there || old.length > 0),
        missing: built.missing,
      };
    } finally {
      held?.release();
      rmSync(unpacked, { recursive: true, force: true });
    }
  });
}

const conflict = () =>
  new DeckhandError("conflict", "there is a collection already; nothing was restored", {
    hint: "--replace moves it to another folder first.",
  });

/** Copied, since it may be on another file system, and synced before it is removed. */
function moveTo(from: string, to: string): void {
  makeDurableFolder(dirname(to));
  rmSync(to, { force: true });
  linkOrCopy(from, to);
  syncFolder(dirname(to));
  rmSync(from, { force: true });
  syncFolder(dirname(from));
}

/** Puts a built folder in the place of another. Killed in between, the next program does the second rename. */
function exchange(folder: string, built: string, before: string): void {
  const [parent, ready] = [dirname(folder), restoredFolder(folder)];
  syncFolder(built);
  renameSync(built, ready);
  syncFolder(dirname(built));
  syncFolder(parent);
  if (existsSync(folder)) {
    makeDurableFolder(dirname(before));
    renameSync(folder, before);
    // Before the name is taken: otherwise a power failure could leave the new folder under it and the old one nowhere.
    syncFolder(dirname(before));
    syncFolder(parent);
  }
  renameSync(ready, folder);
  syncFolder(parent);
}

interface Built {
  /** The unpacked files besides, and where they go. */
  readonly files: readonly OwnFile[];
  readonly missing: readonly string[];
}

/** Builds the restored collection in `to`, in a folder `service`. */
async function build(options: RestoreOptions, to: string, { attachments }: ReadBackup): Promise<Built> {
  const [service, foreign] = [join(to, "service"), join(to, "foreign")];
  const files: OwnFile[] = [];
  let read = 0;
  makeDurableFolder(service);
  await readBackup(options.file, async ({ name, pieces }) => {
    const target = name === storeName ? join(foreign, name) : join(isContent(name) ? service : to, name);
    if (name !== storeName && !isContent(name)) {
      const path = name === settingsName ? undefined : options.pathOf(name);
      // Without --replace a file that is there, such as a review log, stays.
      if (path === undefined || (options.aside === undefined && existsSync(path))) return;
      files.push({ name, path });
    }
    makeDurableFolder(dirname(target));
    await writeFileWith(target, async (file) => {
      for await (const bytes of pieces) {
        await file.write(bytes);
        read += bytes.length;
        options.progress?.(read);
      }
    });
  });
  await takeRows(foreign, service, options.signal);
  rmSync(foreign, { recursive: true, force: true });
  const from = [join(options.folder, "attachments"), ...(options.contents ? [options.contents] : [])];
  return { files, missing: attachments ? [] : takeContents(service, from) };
}

const isContent = (name: string) => /^attachments\/[0-9a-f]{2}\/[0-9a-f]{62}$/.test(name);

/**
 * Copies the rows of the tables of a collection, but for keys, into a new store. One of an earlier version is brought up
 * to date first.
 *
 * @throws DeckhandError for what is no collection, and for one of a newer version
 */
async function takeRows(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  const [path, store] = [join(from, storeName), join(to, storeName)];
  try {
    if (!existsSync(path)) throw new Error(`${storeName} is missing`);
    openForeign(path, knownTables).close();
    using(path, (database) => {
      for (const table of ["card", "deck", "review", "attachment"])
        database.exec(`select 1 from "${table}" limit 1`);
    });
    await (await openSqlite(from)).close();
    await buildStore(join(from, "made"), store, (target) => {
      target.exec(`attach '${path.replaceAll("'", "''")}' as foreign_store`);
      for (const [table, columns] of Object.entries(knownTables)) {
        signal?.throwIfAborted();
        const list = columns.map((name) => `"${name}"`).join(", ");
        if (table !== "key")
          target.exec(
            `insert into main."${table}" (${list}) select ${list} from foreign_store."${table}" not indexed`,
          );
      }
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DeckhandError("partial", `the backup holds no collection: ${why}; nothing was restored`, {
      hint: "Use another backup.",
      cause,
    });
  }
}

/**
 * Makes a new store, with the rows that `fill` writes into it.
 *
 * @param made a folder for the meantime, which the caller removes
 */
export async function buildStore(
  made: string,
  path: string,
  fill: (store: SqliteDatabase) => void,
): Promise<void> {
  await (await openSqlite(made)).close();
  using(join(made, storeName), (store) => {
    // As they were: damage is what `check` finds.
    store.exec("pragma foreign_keys = off; pragma trusted_schema = off");
    fill(store);
  });
  // In a new file: the drop-in of older Nodes keeps one open that statements were prepared for.
  snapshot(join(made, storeName), path);
  using(path, (store) => store.exec("pragma journal_mode = wal"));
  syncFile(path);
}

/** For a backup without contents: takes those that other folders have. @returns the hashes of those that are nowhere */
function takeContents(service: string, folders: readonly string[]): string[] {
  const missing: string[] = [];
  for (const hash of attachmentHashes(join(service, storeName))) {
    const source = folders.map((folder) => join(folder, contentPath(hash))).find((path) => existsSync(path));
    const target = join(service, "attachments", contentPath(hash));
    if (source === undefined) missing.push(hash);
    else {
      makeDurableFolder(dirname(target));
      linkOrCopy(source, target);
      syncFolder(dirname(target));
    }
  }
  return missing;
}
