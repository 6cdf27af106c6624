import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { tooLarge } from "../errors.ts";

interface ReceiveOptions {
  /** The largest content, in bytes. */
  readonly limit: number;
  /** The length of each part but the last, in bytes. */
  readonly partLength: number;
}

/**
 * Passes on a stream in parts, one after the other, so that memory stays constant. An empty one has no part.
 *
 * @returns the SHA-256, in hex, and the size of the whole
 * @throws Problem 413 over the limit
 */
export async function receiveParts(
  content: Readable,
  { limit, partLength }: ReceiveOptions,
  put: (bytes: Uint8Array, part: number) => Promise<void>,
): Promise<{ hash: string; size: number }> {
  const hash = createHash("sha256");
  let [size, part] = [0, 0];
  const checked = async function* () {
    for await (const chunk of content as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > limit) throw tooLarge("the file", limit);
      hash.update(chunk);
      yield chunk;
    }
  };
  for await (const bytes of inParts(checked(), partLength)) await put(bytes, part++);
  return { hash: hash.digest("hex"), size };
}

/** The same bytes in parts of the same length, but for the last. */
async function* inParts(chunks: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array, void> {
  let part = Buffer.allocUnsafe(length);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(length - filled, chunk.length - at);
      part.set(chunk.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < length) continue;
      yield part;
      part = Buffer.allocUnsafe(length);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
