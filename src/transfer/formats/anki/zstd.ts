import { pipeline, type Readable, Transform } from "node:stream";
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
export async function unzstd(packed: Readable, place: string, limit: number): Promise<Readable> {
  const native = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;
  const unpack = native === undefined ? await unpackInScript() : native();
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
  pipeline(counted, unpack, count, () => {});
  return count;
}

/** Whether bytes begin as a Zstandard frame does. */
const isZstd = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd;

async function unpackInScript(): Promise<Transform> {
  const { Decompress } = await import("fzstd");
  let output: Transform;
  const decompress = new Decompress((bytes) => {
    output.push(bytes);
  });
  let started = false;
  output = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      void (async () => {
        if (!started && windowOf(chunk) > largestWindow) throw new Error("its window is too large");
        started = true;
        for (let at = 0; at < chunk.length; at += slice) {
          decompress.push(chunk.subarray(at, at + slice));
          // Output is passed on before more is made, so that the reader can stop it.
          while (output.readableLength > 1024 * 1024 && !output.destroyed)
            await new Promise((resolve) => setImmediate(resolve));
          if (output.destroyed) return;
        }
      })().then(
        () => done(),
        (error: unknown) => done(error as Error),
      );
    },
    flush(done) {
      try {
        decompress.push(new Uint8Array(), true);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  return output;
}

/** The memory that the first frame asks for (RFC 8878, Frame_Header); 0 if that is not known. */
function windowOf(frame: Buffer): number {
  const descriptor = frame[4];
  if (!isZstd(frame) || descriptor === undefined) return 0;
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
