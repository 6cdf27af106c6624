import { open } from "node:fs/promises";

/** A line of a file, as bytes. */
export interface Line {
  /** Without its line break. */
  readonly bytes: Buffer;
  /** From 1. */
  readonly line: number;
  /** Where it begins, in bytes. */
  readonly start: number;
  /** Where the next line begins, in bytes. */
  readonly next: number;
}

export interface LineOptions {
  /** Where to begin, in bytes. */
  readonly offset?: number;
  /** The number of the line that begins there. */
  readonly line?: number;
  /** Bytes of a line; no limit, if not given. */
  readonly longest?: number;
}

/** A line is longer than the limit. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
  readonly line: number;
  constructor(line: number) {
    super(`line ${line} is too long`);
    this.line = line;
  }
}

const chunkSize = 256 * 1024;

/**
 * The lines of a file in constant memory, blank ones left out.
 *
 * @throws LineTooLong, or what the file system says
 */
export async function* readLines(
  path: string,
  { offset: from = 0, line: first = 1, longest = Number.POSITIVE_INFINITY }: LineOptions = {},
): AsyncGenerator<Line> {
  const file = await open(path, "r");
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
        const begin = offset;
        offset += bytes.length + 1;
        kept = [];
        keptLength = 0;
        if (!isBlank(bytes)) yield { bytes, line, start: begin, next: offset };
        line++;
      }
      if (start < bytesRead) {
        kept.push(buffer.subarray(start, bytesRead));
        keptLength += bytesRead - start;
        if (keptLength > longest) throw new LineTooLong(line);
      }
    }
    const rest = Buffer.concat(kept);
    if (!isBlank(rest)) yield { bytes: rest, line, start: offset, next: offset + rest.length };
  } finally {
    await file.close();
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
