import { createReadStream } from "node:fs";
import { TextDecoder } from "node:util";
import { UsageError } from "../../errors.ts";
import { fileProblem } from "../../files/errors.ts";
import { limits } from "../limits.ts";
import { broken } from "../place.ts";

export interface TextOptions {
  /** As it is named in messages. */
  readonly name: string;
  /** A label of the Encoding standard, for a file without a byte order mark; UTF-8 if not given. */
  readonly encoding?: string | undefined;
}

const chunkSize = 64 * 1024;

/**
 * The text of a file in pieces, a byte order mark dropped.
 *
 * @throws UsageError naming the line at which the file is not in its encoding: replacement characters would silently
 * change what people wrote.
 */
export async function* readText(path: string, { name, encoding }: TextOptions): AsyncGenerator<string> {
  const named = encoding === undefined ? undefined : decoderFor(encoding, name);
  let decoder: TextDecoder | undefined;
  let line = 1;
  for await (const chunk of readBytes(path, name)) {
    const mark = markOf(chunk);
    // As everywhere, the mark is believed: `utf-16` alone does not say which of the two it is.
    decoder ??= mark === undefined ? (named ?? decoderFor("utf-8", name)) : decoderFor(mark, name);
    const text = decode(decoder, chunk, name, line);
    line += count(text);
    if (text !== "") yield text;
  }
  if (decoder !== undefined) {
    const rest = decode(decoder, undefined, name, line);
    if (rest !== "") yield rest;
  }
}

/** The bytes of a file in pieces. */
async function* readBytes(path: string, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: chunkSize }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw broken(name, fileProblem(error), undefined, error);
  }
}

/** The whole text of a file. @param most characters @throws UsageError for a longer file, and as `readText` does */
export async function readWholeText(
  path: string,
  options: TextOptions,
  most: number = limits.itemLength,
): Promise<string> {
  let text = "";
  for await (const part of readText(path, options)) {
    text += part;
    if (text.length > most) throw broken(options.name, `the file has more than ${most / 1024 / 1024} MiB`);
  }
  return text;
}

/** The first bytes of a file, to tell what it is. */
export async function readStart(path: string, name: string): Promise<Uint8Array> {
  for await (const chunk of readBytes(path, name)) return chunk;
  return new Uint8Array();
}

/** The encoding that a byte order mark names. */
export function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  return undefined;
}

/** @throws UsageError for a name that the Encoding standard does not know. */
function decoderFor(encoding: string, name: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new UsageError(`${name}: there is no encoding ${JSON.stringify(encoding)}`, {
      hint: "Names are those of the Encoding standard: utf-8, utf-16le, windows-1252, shift_jis, gbk, …",
    });
  }
}

function decode(decoder: TextDecoder, chunk: Uint8Array | undefined, name: string, line: number): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    const readable = new TextDecoder(decoder.encoding).decode(chunk);
    const where = line + count(readable.slice(0, Math.max(0, readable.indexOf("\ufffd"))));
    throw broken(
      `${name}, line ${where}`,
      `the text is not ${decoder.encoding}`,
      "Name its encoding with --encoding, for example --encoding windows-1252.",
    );
  }
}

const count = (text: string): number => text.split("\n").length - 1;
