import { closeSync, openSync, readSync } from "node:fs";
import { checksumState } from "../files/checksum.ts";
import { systemCode } from "../files/errors.ts";
import { isMap } from "../schema/index.ts";

/** A line of the base: its parts but the document, and where it is in the file, in bytes. */
interface BaseLine {
  readonly values: Readonly<Record<string, unknown>>;
  readonly offset: number;
  /** Without the line break. */
  readonly length: number;
}

const chunkSize = 1024 * 1024;
/** Lines of cards begin with the entry and its hash, then comes the document, which is not parsed here. */
const cardStart = Buffer.from('{"card":{');
const documentStart = Buffer.from(',"doc":{');

/** The lines of the file of a base; one that is cut or damaged has `{ damaged: true }`. None if there is no file. */
export function* readBaseLines(path: string): Generator<BaseLine> {
  for (const { bytes, offset } of linesOf(path)) {
    if (bytes.length === 0) continue;
    yield { values: valuesOf(bytes) ?? { damaged: true }, offset, length: bytes.length };
  }
}

function valuesOf(bytes: Buffer): Record<string, unknown> | undefined {
  const state = checksumState(bytes);
  if (state === "damaged") return undefined;
  // Without a checksum, a crash may have cut it.
  const isCard = state === "good" && bytes.compare(cardStart, 0, cardStart.length, 0, cardStart.length) === 0;
  const end = isCard ? bytes.indexOf(documentStart) : -1;
  const text = end < 0 ? bytes.toString("utf8") : `${bytes.toString("utf8", 0, end)}}`;
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of each line are valid until the next one. */
function* linesOf(path: string): Generator<{ readonly bytes: Buffer; readonly offset: number }> {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
    throw error;
  }
  try {
    let buffer = Buffer.allocUnsafe(chunkSize);
    // Where the buffer begins in the file, and how much of it is read.
    let [position, filled] = [0, 0];
    for (;;) {
      const count = readSync(file, buffer, filled, buffer.length - filled, position + filled);
      filled += count;
      let start = 0;
      for (let end = buffer.indexOf(10); end >= 0 && end < filled; end = buffer.indexOf(10, start)) {
        yield { bytes: buffer.subarray(start, end), offset: position + start };
        start = end + 1;
      }
      if (count === 0) {
        if (start < filled) yield { bytes: buffer.subarray(start, filled), offset: position + start };
        return;
      }
      const larger = start === 0 && filled === buffer.length;
      const next = larger ? Buffer.allocUnsafe(buffer.length * 2) : buffer;
      buffer.copy(next, 0, start, filled);
      [buffer, position, filled] = [next, position + start, filled - start];
    }
  } finally {
    closeSync(file);
  }
}
