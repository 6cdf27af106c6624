import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { Transform, type TransformCallback } from "node:stream";

/** The SHA-256 of a file, in hex, in constant memory. */
export function hashAt(path: string): string {
  const hash = createHash("sha256");
  const part = Buffer.allocUnsafe(256 * 1024);
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
