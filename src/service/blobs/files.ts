import type { Buffer } from "node:buffer";
import { promises, readdirSync, renameSync, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { systemCode } from "../../files/errors.ts";
import { makeDurableFolder, syncFolder } from "../../files/folders.ts";
import { isLocked } from "../../files/lock.ts";
import { removeLeftOver, temporaryBeside } from "../../files/temporary.ts";
import { otherRequests } from "../pauses.ts";
import { allContents, isNamed } from "../store/attachments.ts";
import type { Store } from "../store/index.ts";
import type { Db } from "../store/tables.ts";
import type { Blobs, Received } from "./blobs.ts";
import { receiveParts } from "./parts.ts";
import { backupLock, contentPath } from "./paths.ts";
import { DamagedError, verifiedStream } from "./verified.ts";

/** Uploads in progress are files beside this path; their names say which process writes them. */
const uploadsIn = (folder: string) => join(folder, "incoming", "upload");

/**
 * Attachments as files of a folder: each content once for all accounts, named by its hash. Another process may share the
 * folder, so a file gets its name, or goes, inside a writing transaction together with the rows about it.
 */
export class FileBlobs implements Blobs {
  readonly #folder: string;
  readonly #store: Store;

  constructor(folder: string, store: Store) {
    this.#folder = folder;
    this.#store = store;
  }

  /** Writes a stream to a temporary file and syncs it. */
  async receive(_account: string, content: Readable, limit: number): Promise<Received> {
    removeLeftOver(uploadsIn(this.#folder), Date.now());
    const at = temporaryBeside(uploadsIn(this.#folder));
    makeDurableFolder(dirname(at));
    try {
      const handle = await promises.open(at, "wx", 0o600);
      try {
        const received = await receiveParts(content, { limit, partLength: pieceLength }, (bytes) =>
          handle.writeFile(bytes),
        );
        await handle.sync();
        return { at, ...received };
      } finally {
        await handle.close();
      }
    } catch (error) {
      rmSync(at, { force: true });
      throw error;
    }
  }

  async keep(_db: Db, _account: string, { at, hash }: Received): Promise<void> {
    const kept = this.pathOf(hash);
    makeDurableFolder(dirname(kept));
    renameSync(at, kept);
    syncFolder(dirname(kept));
    syncFolder(dirname(at));
  }

  async release(): Promise<void> {}

  /**
   * Each is checked in its own writing transaction, so that no other process can start to name it meanwhile. If deleting
   * fails, or while a backup is written, it stays until the next sweep.
   */
  async settle(account: string, hashes: readonly string[]): Promise<void> {
    for (const hash of new Set(hashes)) {
      await otherRequests();
      await this.#store.write(account, async (db) => {
        // Looked up inside the transaction: a backup waits for it before it looks which contents there are.
        if (isLocked(backupLock(dirname(this.#folder)))) return;
        if (!(await isNamed(db, hash))) rmSync(this.pathOf(hash), { force: true });
      });
    }
  }

  async discard(_account: string, { at }: Received): Promise<void> {
    rmSync(at, { force: true });
  }

  async read(_account: string, hash: string, size: number): Promise<Readable | undefined> {
    // Opened here: a stream that opens later could find the file gone after the headers were sent.
    const handle = await openIfExists(this.pathOf(hash));
    return handle && verifiedStream(piecesOf(handle, size), hash);
  }

  /** The hashes of files that no row names: a wrong bit in the hash of a row leaves one, for example. */
  async *unnamed(): AsyncGenerator<string, void> {
    // One that was being recorded has its row when the writing transaction ends.
    for (const hash of (await this.#compared()).unnamed)
      if (!(await this.#store.write("", (db) => isNamed(db, hash)))) yield hash;
  }

  /**
   * Removes what processes left that were killed while they received, recorded or deleted a content. Where a row has no
   * file it may be damaged, and one that no row names be its own: `check` moves that aside.
   */
  async sweep(now: number): Promise<void> {
    removeLeftOver(uploadsIn(this.#folder), now);
    const { unnamed, complete } = await this.#compared();
    if (complete) await this.settle("", unnamed);
  }

  /** The files that no row names, and whether each row has its file. */
  async #compared(): Promise<{ readonly unnamed: string[]; readonly complete: boolean }> {
    const named = new Set((await this.#store.read(allContents)).map(({ hash }) => hash));
    const folders = namesIn(this.#folder).filter((name) => /^[0-9a-f]{2}$/.test(name));
    const files = folders.flatMap((name) => namesIn(join(this.#folder, name)).map((rest) => name + rest));
    const unnamed = files.filter((hash) => !named.has(hash));
    return { unnamed, complete: files.length - unnamed.length === named.size };
  }

  pathOf(hash: string): string {
    return join(this.#folder, contentPath(hash));
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

const pieceLength = 256 * 1024;

/** The pieces of a file. @throws DamagedError where it has another size */
async function* piecesOf(handle: FileHandle, size: number): AsyncGenerator<Buffer, void> {
  try {
    if ((await handle.stat()).size !== size) throw new DamagedError("the file has another size");
    yield* handle.createReadStream({ highWaterMark: pieceLength, autoClose: false });
  } finally {
    await handle.close();
  }
}

async function openIfExists(file: string): Promise<FileHandle | undefined> {
  try {
    return await promises.open(file, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
