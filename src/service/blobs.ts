import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, promises, renameSync, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { removeLeftOver, temporaryBeside } from "../files/temporary.ts";
import { tooLarge } from "./errors.ts";
import { isNamed, takeUnsettled } from "./store/attachments.ts";
import type { Store } from "./store/index.ts";

/** A file that was received whole and synced, under a temporary name. */
export interface Received {
  /** SHA-256 of the content, in hex. */
  readonly hash: string;
  readonly size: number;
  readonly file: string;
}

/** Uploads in progress are files beside this path; their names say which process writes them. */
const uploadsIn = (folder: string) => join(folder, "incoming", "upload");

/** Removes uploads of processes that were killed. */
export function sweepIncoming(folder: string, now: number): void {
  removeLeftOver(uploadsIn(folder), now);
}

/**
 * The files of attachments: each content once, named by its hash. `keep` and `remove` belong inside a writing
 * transaction, together with the rows about them, since another process may share the folder.
 */
export class Blobs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a stream to a temporary file. @throws Problem 413 over `limit` bytes. */
  async receive(content: Readable, limit: number): Promise<Received> {
    const file = temporaryBeside(uploadsIn(this.#folder));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    try {
      return { file, ...(await write(content, file, limit)) };
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
  }

  /** Gives a received file its final name. It replaces one that is there, which may have been damaged. */
  keep({ file, hash }: Received): void {
    const kept = this.#fileOf(hash);
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
    renameSync(file, kept);
    syncFolder(dirname(kept));
    syncFolder(this.#folder);
  }

  /** Deletes a received file unless it was kept. */
  discard({ file }: Received): void {
    rmSync(file, { force: true });
  }

  /**
   * A content; undefined if it is missing, has another size, or is short and damaged. The stream of a long damaged one
   * fails before its last piece: its reader never gets all of it.
   */
  async read(hash: string, size: number): Promise<Readable | undefined> {
    // Opened here: a stream that opens later could find the file gone after the headers were sent.
    const handle = await openIfExists(this.#fileOf(hash));
    if (handle === undefined) return undefined;
    const pieces = verified(handle, hash, size);
    try {
      const { value: first } = await pieces.next();
      const stream = Readable.from(startingWith(first ?? undefined, pieces), { objectMode: false });
      // Closes the file, also where nothing was read.
      return stream.once("close", () => void pieces.return());
    } catch (error) {
      if (error instanceof DamagedError) return undefined;
      throw error;
    }
  }

  /** Deletes a content if it exists. */
  remove(hash: string): void {
    rmSync(this.#fileOf(hash), { force: true });
  }

  #fileOf(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash.slice(2));
  }
}

/**
 * Deletes contents that no row names any more. Each is checked in its own writing transaction, so that no other process
 * can start to name it meanwhile. If deleting fails, its note stays, and the next start tries again.
 */
export async function settle(store: Store, blobs: Blobs, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) {
    await store.write(async (db) => {
      if (!(await isNamed(db, hash))) blobs.remove(hash);
      await takeUnsettled(db, hash);
    });
  }
}

class DamagedError extends Error {
  override readonly name = "DamagedError";
}

const pieceLength = 256 * 1024;

/**
 * The pieces of a file. Each is given out when the next one has been read, the last one when the hash fits.
 *
 * @throws DamagedError
 */
async function* verified(handle: FileHandle, hash: string, size: number): AsyncGenerator<Buffer, void> {
  try {
    if ((await handle.stat()).size !== size) throw new DamagedError("the file has another size");
    const content = createHash("sha256");
    let held: Buffer | undefined;
    for (let at = 0; at < size; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(pieceLength), 0, pieceLength, at);
      if (bytesRead === 0) throw new DamagedError("the file has become shorter");
      if (held !== undefined) yield held;
      held = buffer.subarray(0, bytesRead);
      content.update(held);
      at += bytesRead;
    }
    if (content.digest("hex") !== hash) throw new DamagedError("the file has another hash");
    if (held !== undefined) yield held;
  } finally {
    await handle.close();
  }
}

async function* startingWith(
  first: Buffer | undefined,
  rest: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  if (first !== undefined) yield first;
  yield* rest;
}

async function openIfExists(file: string): Promise<FileHandle | undefined> {
  try {
    return await promises.open(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function write(
  content: Readable,
  file: string,
  limit: number,
): Promise<{ hash: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  const handle = await promises.open(file, "wx", 0o600);
  try {
    for await (const chunk of content as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > limit) throw tooLarge("the file", limit);
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { hash: hash.digest("hex"), size };
}

/** Makes a rename survive a crash of the machine. Windows cannot sync folders. */
function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
  } catch {
    return;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
