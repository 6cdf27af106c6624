import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { tooLarge } from "./errors.ts";
import { type RandomBytes, randomText } from "./ids.ts";
import { incomingOf } from "./incoming.ts";

/** A file that came in whole and is safe on the disk, under a name that means nothing yet. */
export interface Received {
  /** SHA-256 of the content, in hex. */
  readonly hash: string;
  readonly size: number;
  readonly file: string;
}

/**
 * The files of attachments: each content once, named by its hash. `keep` and `remove` belong inside a write transaction,
 * together with what is recorded about them: another process may share the folder.
 */
export interface Blobs {
  /** Writes a stream to a temporary file. @throws Problem 413 beyond `limit` bytes. */
  receive(content: Readable, limit: number): Promise<Received>;
  /** Gives a received file its final name. */
  keep(received: Received): void;
  /** Removes a received file that is not wanted; one that was kept stays. */
  discard(received: Received): void;
  /** A content of that size; undefined where there is none, or not all of it. */
  read(hash: string, size: number): Promise<Readable | undefined>;
  /** Removes a content; it is no error if it is not there. */
  remove(hash: string): void;
}

export function createBlobs(folder: string, random: RandomBytes): Blobs {
  const incoming = incomingOf(folder);
  const fileOf = (hash: string) => join(folder, hash.slice(0, 2), hash.slice(2));
  return {
    async receive(content, limit) {
      mkdirSync(incoming, { recursive: true, mode: 0o700 });
      const file = join(incoming, randomText(16, random));
      try {
        return { file, ...(await write(content, file, limit)) };
      } catch (error) {
        rmSync(file, { force: true });
        throw error;
      }
    },
    keep({ file, hash, size }) {
      const kept = fileOf(hash);
      // One that was cut short since is replaced, or nobody could ever put the file here again.
      if (statSync(kept, { throwIfNoEntry: false })?.size === size) return rmSync(file, { force: true });
      mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
      renameSync(file, kept);
      syncFolder(dirname(kept));
      syncFolder(folder);
    },
    discard: ({ file }) => rmSync(file, { force: true }),
    async read(hash, size) {
      // Opened at once: a stream that opens later could find the file gone after the headers went out.
      const handle = await openIfThere(fileOf(hash));
      if (handle === undefined) return undefined;
      if ((await handle.stat()).size !== size) {
        await handle.close();
        return undefined;
      }
      // Told its size, it ends with its last byte: looking for more after it would keep the account busy meanwhile.
      return createReadStream("", { fd: handle, ...(size > 0 ? { end: size - 1 } : {}) });
    },
    remove: (hash) => rmSync(fileOf(hash), { force: true }),
  };
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, "r");
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
  const handle = await open(file, "wx", 0o600);
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

/** Makes a rename outlive a crash of the machine, where folders can be synced at all. */
function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
  } catch {
    // Windows has no such thing.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
