import { createHash } from "node:crypto";
import { closeSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { Transform, type TransformCallback } from "node:stream";

/** A file that was recorded so soon after it was written, in ms, could have been written once more since. */
const justWritten = 1000;

export interface Stat {
  readonly mtime: number;
  readonly ctime: number;
  readonly size: number;
}

/** Recorded of a file that has to be read by the next sync: no file has these times. */
export const neverUnchanged: Stat = { mtime: 0, ctime: 0, size: 0 };

export const isSameStat = (one: Stat, other: Stat): boolean =>
  one.mtime === other.mtime && one.ctime === other.ctime && one.size === other.size;

/** Zeros for a file that is not there. */
export const statOf = (path: string): Stat => statFrom(lstatSync(path, { throwIfNoEntry: false }));

export const statFrom = (found: Stats | undefined): Stat => ({
  mtime: found?.mtimeMs ?? 0,
  ctime: found?.ctimeMs ?? 0,
  size: found?.size ?? 0,
});

/** What was recorded so soon after it was written that it could have been written once more since has to be read again. */
export function settled(stat: Stat, at: number): Stat {
  return at > Math.max(stat.mtime, stat.ctime) + justWritten ? stat : { ...neverUnchanged, size: stat.size };
}

/** For one file after the other: memory of its own for each would cost more than reading it. */
let part: Buffer | undefined;

/** The SHA-256 of a file, in hex, in constant memory. */
export function hashAt(path: string): string {
  const hash = createHash("sha256");
  part ??= Buffer.allocUnsafe(256 * 1024);
  const file = openSync(path, "r");
  try {
    for (let length = readSync(file, part); length > 0; length = readSync(file, part))
      hash.update(part.subarray(0, length));
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}

/** Passes bytes on, and computes their SHA-256. */
export class HashStream extends Transform {
  readonly #hash = createHash("sha256");

  override _transform(part: Buffer, _encoding: BufferEncoding, next: TransformCallback): void {
    this.#hash.update(part);
    next(null, part);
  }

  /** In hex; once, when all bytes came through. */
  digest(): string {
    return this.#hash.digest("hex");
  }
}

/** In hex. */
export const hashOfBytes = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");
