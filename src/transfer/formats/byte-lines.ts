import { open } from "node:fs/promises";
import { fileProblem } from "../../files/errors.ts";
import { limits } from "../limits.ts";
import { at, broken } from "../place.ts";

export interface ByteLine {
  readonly bytes: Buffer;
  /** From 1. */
  readonly line: number;
  /** Where the next line begins, in bytes. */
  readonly next: number;
}

const chunkSize = 256 * 1024;

export interface LineOptions {
  /** Where to begin, in bytes. */
  readonly offset?: number;
  /** The number of the line that begins there. */
  readonly line?: number;
  /** Bytes of a line; twice what an item may have, if not given. */
  readonly longest?: number;
}

/**
 * The lines of a file as bytes, blank ones left out, each without its line break.
 *
 * @throws UsageError for a line over the limit.
 */
export async function* byteLines(
  path: string,
  name: string,
  { offset: from = 0, line: first = 1, longest = 2 * limits.itemLength }: LineOptions = {},
): AsyncGenerator<ByteLine> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw broken(name, fileProblem(error), undefined, error);
  });
  try {
    let [offset, line] = [from, first];
    let kept: Buffer[] = [];
    let keptLength = 0;
    let position = offset;
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkSize), 0, chunkSize, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      let start = 0;
      for (let end = buffer.indexOf(10); end >= 0 && end < bytesRead; end = buffer.indexOf(10, start)) {
        const part = buffer.subarray(start, end);
        const bytes = keptLength === 0 ? part : Buffer.concat([...kept, part]);
        start = end + 1;
        offset += bytes.length + 1;
        kept = [];
        keptLength = 0;
        if (!isBlank(bytes)) yield { bytes, line, next: offset };
        line++;
      }
      if (start < bytesRead) {
        kept.push(buffer.subarray(start, bytesRead));
        keptLength += bytesRead - start;
        if (keptLength > longest) throw broken(at(name, line), "the line is too long");
      }
    }
    const rest = Buffer.concat(kept);
    if (!isBlank(rest)) yield { bytes: rest, line, next: offset + rest.length };
  } finally {
    await file.close();
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
