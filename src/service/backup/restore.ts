import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { DeckhandError } from "../../errors.ts";
import { writeFileWith } from "../../files/atomic-write.ts";
import { linkOrCopy, makeDurableFolder, syncFile, syncFolder } from "../../files/folders.ts";
import { withLock } from "../../files/lock.ts";
import { removeLeftOver, temporaryBeside } from "../../files/temporary.ts";
import { openForeign } from "../../sqlite/copy.ts";
import type { SqliteDatabase } from "../../sqlite.ts";
import { contentPath, restoreLock } from "../blobs/paths.ts";
import { placeLogs, restoredFolder, takeRestored } from "../restored.ts";
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
  /** Whether a review log of the backup is taken. */
  takes(name: string): boolean;
  /** Files of the collection that is there, by their name in a backup: they go where it goes. */
  present(): readonly OwnFile[];
  /** The name of the review log: a collection that has one is not empty. */
  readonly log: string;
  /** Where a collection that is there is moved to; without it only an empty one is replaced. */
  readonly aside: string | undefined;
  /** Where else contents of attachments are that a backup without them may need. */
  readonly contents?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called once the backup is verified and built, before anything is changed; what it throws ends the restore.
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
 * Replaces a collection by that of a backup. Everything is built beside the collection, in a new store, while the backup is
 * read and verified: of the store in it only rows are taken, since anybody can have written it. Then two renames, and the
 * review logs that came in the new folder take their places, if need be by the next program: killed at any moment, the
 * collection and its log are the old ones or the new ones, and what was there before is in `aside`.
 *
 * @throws DeckhandError for a damaged backup, one of a newer version, a collection that is not empty, and one that is in use
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { folder, aside } = options;
  removeLeftOver(folder, Date.now());
  const unpacked = temporaryBeside(folder);
  const service = join(unpacked, "service");
  try {
    const { settings, ...restored } = await build(options, unpacked);
    await options.approve?.(settings);
    return await withLock(restoreLock(folder), () => {
      placeLogs(folder);
      const held = HeldStore.take(join(folder, storeName));
      try {
        const old = options.present().filter(({ path }) => existsSync(path));
        const there = existsSync(join(folder, storeName));
        const empty = (!there || held?.isEmpty()) && !old.some(({ name }) => name === options.log);
        if (!empty && aside === undefined) throw conflict();
        if (aside !== undefined) setAside(old, aside, service);
        held?.release();
        exchange(folder, service, aside === undefined ? join(unpacked, "before") : join(aside, "service"));
        return { ...restored, replaced: aside !== undefined && (there || old.length > 0) };
      } finally {
        held?.release();
      }
    });
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

const conflict = () =>
  new DeckhandError("conflict", "there is a collection already; nothing was restored", {
    hint: "--replace moves it to another folder first.",
  });

/**
 * Keeps the files of the collection that is there. A log stays in its place until that of the backup, or an empty one, takes
 * it; the rest goes, since the new collection must not find it.
 */
function setAside(old: readonly OwnFile[], aside: string, service: string): void {
  for (const { name, path } of old) {
    const kept = join(aside, name);
    makeDurableFolder(dirname(kept));
    // Copied where it is on another file system.
    linkOrCopy(path, kept);
    syncFolder(dirname(kept));
    if (isLog(name)) {
      if (existsSync(join(service, name))) continue;
      makeDurableFolder(join(service, "reviews"));
      writeFileSync(join(service, name), "", { mode: 0o600 });
      syncFolder(join(service, "reviews"));
    } else {
      rmSync(path, { force: true });
      syncFolder(dirname(path));
    }
  }
}

/** Puts a built folder in the place of another. Killed in between, the next program does the second rename. */
function exchange(folder: string, built: string, before: string): void {
  const [parent, ready] = [dirname(folder), restoredFolder(folder)];
  rmSync(ready, { recursive: true, force: true });
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
  takeRestored(folder);
}

interface Built extends ReadBackup {
  readonly settings: string | undefined;
  readonly missing: readonly string[];
}

/** Builds the restored collection in `to`, in a folder `service`. */
async function build(options: RestoreOptions, to: string): Promise<Built> {
  const [service, foreign] = [join(to, "service"), join(to, "foreign")];
  let settings: string | undefined;
  let read = 0;
  const backup = await readBackup(options.file, async ({ name, size, pieces }) => {
    if (name === settingsName && size <= longestSettings) settings = await text(pieces);
    const isTaken = isContent(name) || (isLog(name) && options.takes(name));
    if (!isTaken && name !== storeName) return;
    const target = join(name === storeName ? foreign : service, name);
    makeDurableFolder(dirname(target));
    await writeFileWith(target, async (file) => {
      for await (const bytes of pieces) {
        await file.write(bytes);
        read += bytes.length;
        options.progress?.(read);
      }
    });
  });
  makeDurableFolder(service);
  await takeRows(foreign, service, options.signal);
  rmSync(foreign, { recursive: true, force: true });
  const from = [join(options.folder, "attachments"), ...(options.contents ? [options.contents] : [])];
  return { ...backup, settings, missing: backup.attachments ? [] : takeContents(service, from) };
}

const isLog = (name: string) => /^reviews\/[\w-]+\.jsonl$/.test(name);
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
