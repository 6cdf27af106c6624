import { copyFileSync, existsSync, linkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DeckhandError } from "../../errors.ts";
import { syncFile, writeFileWith } from "../../files/atomic-write.ts";
import { makeDurableFolder, syncFolder } from "../../files/folders.ts";
import { withLock } from "../../files/lock.ts";
import { removeLeftOver, temporaryBeside } from "../../files/temporary.ts";
import { loadSqlite, type SqliteDatabase } from "../../sqlite.ts";
import { contentPath, restoreLock } from "../blobs/paths.ts";
import { sqliteProblem } from "../store/dialects/sqlite/file.ts";
import { beginExchange, carryOut, type Exchange, type OwnFile, unpackedNames } from "./exchange.ts";
import { type ReadBackup, readBackup } from "./read.ts";
import { attachmentHashes, using } from "./snapshot.ts";
import { storeName } from "./write.ts";

export interface RestoreOptions {
  readonly file: string;
  /** The folder of the service's data. */
  readonly folder: string;
  /** Where a part other than the store and attachments belongs; undefined leaves it out. */
  pathOf(name: string): string | undefined;
  /** Files that the restored ones take the place of, by their name in a backup. */
  present(): readonly OwnFile[];
  /** The name of the review log: a collection that has one is not empty. */
  readonly log: string;
  /** Where a collection that is there is moved to; without it only an empty one is replaced. */
  readonly aside: string | undefined;
  /** Called once the backup is verified, before anything is changed; what it throws ends the restore. */
  approve?(): Promise<void>;
  progress?(read: number): void;
}

export type Restored = ReadBackup & Pick<Exchange, "aside" | "replaced" | "missing">;

/**
 * Replaces a collection by that of a backup, which is verified first. Everything is unpacked beside the collection; then
 * the exchange begins, which the next process completes if this one is killed. So killed at any moment, the collection is
 * the old one or the new one, and what was there before is in `aside`.
 *
 * @throws DeckhandError for a damaged backup, a collection that is not empty, and one that is in use
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, folder } = options;
  const backup = await readBackup(file);
  await options.approve?.();
  makeDurableFolder(dirname(folder));
  return withLock(restoreLock(folder), async () => {
    const id = `${backup.created} ${backup.size}`;
    const interrupted = await carryOut(folder);
    // This one was interrupted the last time, and is complete now.
    if (interrupted?.backup === id) return resultOf(backup, interrupted);
    const old = options.present().filter(({ path }) => existsSync(path));
    const held = holdStore(join(folder, storeName));
    const unpacked = temporaryBeside(folder);
    try {
      const there = existsSync(join(folder, storeName));
      const empty = (!there || held?.isEmpty()) && !old.some(({ name }) => name === options.log);
      if (!empty && options.aside === undefined) throw conflict();
      removeLeftOver(folder, Date.now());
      const { files, missing } = await unpack(options, unpacked);
      const aside = options.aside ?? null;
      const replaced = aside !== null && (there || old.length > 0);
      const present = aside === null ? [] : old;
      const exchange = { backup: id, aside, replaced, present, files, missing };
      held?.release();
      await beginExchange(folder, unpacked, exchange);
      await carryOut(folder);
      return resultOf(backup, exchange);
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

const resultOf = (backup: ReadBackup, { aside, replaced, missing }: Exchange): Restored => ({
  ...backup,
  aside,
  replaced,
  missing,
});

/** Unpacks a backup into a folder. @returns the files besides, and the hashes of contents that are nowhere */
async function unpack(options: RestoreOptions, to: string): Promise<Pick<Exchange, "files" | "missing">> {
  const [service, besides] = [join(to, unpackedNames.service), join(to, unpackedNames.files)];
  const files: OwnFile[] = [];
  let read = 0;
  makeDurableFolder(service);
  const { attachments } = await readBackup(options.file, async ({ name, pieces }) => {
    let target = join(service, name);
    if (!isOwn(name)) {
      const path = options.pathOf(name);
      // Without --replace a file that is there, such as the settings, stays.
      if (path === undefined || (options.aside === undefined && existsSync(path))) return;
      files.push({ name, path });
      target = join(besides, name);
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
  const store = join(service, storeName);
  assertStore(store);
  // As a new store is created. In WAL mode other processes read while one writes.
  using(store, (database) => database.exec("pragma journal_mode = wal"));
  syncFile(store);
  const contents = join(service, "attachments");
  return {
    files,
    missing: attachments ? [] : takeContents(store, join(options.folder, "attachments"), contents),
  };
}

/**
 * A backup with right hashes may still hold no collection: anybody can write one.
 *
 * @throws DeckhandError before anything is replaced
 */
function assertStore(store: string): void {
  try {
    if (!existsSync(store)) throw new Error(`${storeName} is missing`);
    using(store, (database) => {
      for (const table of ["card", "deck", "review", "attachment"])
        database.exec(`select 1 from "${table}" limit 1`);
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DeckhandError("partial", `the backup holds no collection: ${why}; nothing was restored`, {
      hint: "Use another backup.",
      cause,
    });
  }
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
    syncFile(to);
  }
}

/**
 * Keeps other processes from opening a store until it is released.
 *
 * @returns undefined where there is none, and for a damaged one, which is what a backup is restored for
 * @throws DeckhandError if another process has it open
 */
function holdStore(path: string): HeldStore | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return new HeldStore(path);
  } catch (cause) {
    if (sqliteProblem(cause) !== "busy") return undefined;
    throw new DeckhandError("conflict", "the collection is in use; nothing was restored", {
      hint: "Stop `deckhand serve` and other commands first.",
      cause,
    });
  }
}

class HeldStore {
  #database: SqliteDatabase | undefined;

  constructor(path: string) {
    const database = new (loadSqlite())(path);
    try {
      database.exec("pragma busy_timeout = 1000; pragma locking_mode = exclusive; begin exclusive");
    } catch (error) {
      database.close();
      throw error;
    }
    this.#database = database;
  }

  /** Whether it has no documents and no keys. A damaged one is not empty. */
  isEmpty(): boolean {
    try {
      // Without prepared statements: the drop-in of older Nodes would keep the file open, and locked.
      this.#database?.exec("create temp table none (any check (any is null))");
      for (const table of ["card", "deck", "template", "key"])
        this.#database?.exec(`insert into none select 1 from "${table}" limit 1`);
      return true;
    } catch (error) {
      // A store that was only begun has no tables.
      return (error as { errcode?: unknown }).errcode === sqliteError;
    }
  }

  release(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}

/** SQLITE_ERROR: a table that is missing, in a statement that is right. */
const sqliteError = 1;
