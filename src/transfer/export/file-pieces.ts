import { closeSync, openSync, readSync } from "node:fs";

const size = 256 * 1024;

/** The first bytes of a file that is there to the end of them, in pieces of a good size. */
export function* filePieces(path: string, bytes: number): Generator<Uint8Array<ArrayBuffer>> {
  if (bytes === 0) return;
  const file = openSync(path, "r");
  try {
    for (let left = bytes; left > 0; ) {
      const piece = Buffer.allocUnsafeSlow(Math.min(left, size));
      const length = readSync(file, piece);
      if (length === 0) throw new Error(`${path} was cut off`);
      left -= length;
      yield piece.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
