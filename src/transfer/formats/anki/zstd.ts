import { pipeline, type Readable, type Transform } from "node:stream";
import zlib from "node:zlib";
import { limits } from "../../limits.ts";
import { broken } from "../../place.ts";
import { checked } from "../zip/read.ts";

/** The largest window that is accepted, which is what the program `zstd` accepts by default. */
const largestWindow = 128 * 1024 * 1024;
/** A block of 4 bytes can stand for 128 KiB: with input in slices of this size, output is counted before it is much. */
const slice = 512;

/**
 * Decompresses a Zstandard stream: natively where Node can (22.15 and later), else in JavaScript. The stream fails where
 * the output is larger than `limit`, or than `limits.ratio` allows.
 *
 * @param limit bytes of output
 */
export function unzstd(packed: Readable, place: string, limit: number): Readable {
  const native = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;
  let [given, size] = [0, 0];
  const counted = async function* () {
    for await (const chunk of packed as AsyncIterable<Buffer>) {
      given += chunk.length;
      yield chunk;
    }
  };
  const count = checked(place, "it is damaged or cut off", (chunk) => {
    size += chunk.length;
    if (size > limit) return broken(place, `it unpacks to more than ${Math.floor(limit / 1024 / 1024)} MiB`);
    if (size <= limits.ratioFrom || size <= given * limits.ratio) return null;
    return broken(place, `it unpacks to more than ${limits.ratio} times its size`);
  });
  if (native === undefined) pipeline(counted, unpackInScript, count, () => {});
  else pipeline(counted, native(), count, () => {});
  return count;
}

async function* unpackInScript(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import("fzstd");
  const made: Uint8Array[] = [];
  const decompress = new Decompress((bytes) => {
    made.push(bytes);
  });
  let started = false;
  for await (const chunk of chunks) {
    if (!started && windowOf(chunk) > largestWindow) throw new Error("its window is too large");
    started = true;
    for (let at = 0; at < chunk.length; at += slice) {
      decompress.push(chunk.subarray(at, at + slice));
      // Output is passed on before more is made, so that the reader can stop it.
      yield* made.splice(0);
    }
  }
  decompress.push(new Uint8Array(), true);
  yield* made.splice(0);
}

/** The memory that the first frame asks for (RFC 8878, Frame_Header); 0 if that is not known. */
function windowOf(frame: Buffer): number {
  const descriptor = frame[4];
  // What does not begin as a frame does is refused when it is unpacked.
  if (descriptor === undefined || frame.readUInt32LE() !== 0xfd2fb528) return 0;
  const single = (descriptor & 0x20) !== 0;
  if (!single) {
    const window = frame[5] ?? 0;
    const base = 2 ** (10 + (window >> 3));
    return base + (base / 8) * (window & 7);
  }
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + dictionary;
  const bytes = [1, 2, 4, 8][descriptor >> 6] ?? 1;
  if (frame.length < at + bytes) return 0;
  if (bytes === 8) return Number(frame.readBigUInt64LE(at));
  return frame.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
}
