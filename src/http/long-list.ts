import { Buffer } from "node:buffer";
import { CodecError, decodeUtf8 } from "../codecs/index.ts";
import { jsonCodec } from "../codecs/json.ts";
import { parseJson } from "../codecs/text.ts";
import { isMap, type ObjectKind } from "../schema/index.ts";
import { piecesOf } from "./answer.ts";
import type { Attempt } from "./attempt.ts";
import { TooLargeError } from "./failure.ts";
import type { LongList } from "./settings.ts";

// In bytes: of one item, and of all that is not an item.
const largestPart = 64 * 1024 * 1024;

/**
 * Reads a JSON answer with a long list, item by item: neither its bytes nor its text are ever in memory as a whole.
 *
 * @param list its key in the map that the answer is, and the most bytes of the answer
 * @throws CodecError for what is not JSON; TooLargeError; the error of the stream
 */
export async function readLongList(attempt: Attempt, kind: ObjectKind, list: LongList): Promise<unknown> {
  const { key } = list;
  const of = kind.fields[key];
  if (of?.kind !== "array" || of.of.kind !== "object") throw new Error(`the answer has no list ${key}`);
  const itemKind = of.of;
  const items: unknown[] = [];
  const scan = new ListScan(key, (bytes) => items.push(jsonCodec.decode(itemKind, decodeUtf8(bytes))));
  let bytes = 0;
  for await (const chunk of piecesOf(attempt.answer, attempt.limitOf(list), attempt.signal)) {
    bytes += chunk.length;
    attempt.progress(bytes);
    scan.take(chunk);
  }
  attempt.answered(bytes);
  return joined(kind, key, scan.end(), items);
}

/** The answer with its items in the places of their numbers. */
function joined(kind: ObjectKind, key: string, rest: string, items: readonly unknown[]): unknown {
  const answer = parseJson(rest);
  const places = isMap(answer) ? answer[key] : undefined;
  if (!isMap(answer) || !Array.isArray(places)) return jsonCodec.decode(kind, rest);
  const value = jsonCodec.decode(kind, JSON.stringify({ ...answer, [key]: [] }));
  // If the key occurs twice the last list counts, whose first number need not be 0. Any other number is the service's own.
  const first = Number(places[0]);
  const list = places.map((place, at) => (place === first + at ? (items[first + at] ?? place) : place));
  return { ...(value as object), [key]: list };
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [
  0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
];

/**
 * Finds the maps in the list under a key of the outermost map. What is left, with the number of each map in its place, is
 * the rest; so whether everything is JSON is decided by parsing the maps and the rest.
 */
class ListScan {
  readonly #key: string;
  readonly #give: (item: Buffer) => void;
  #depth = 0;
  #string = false;
  #escaped = false;
  /** The last string at the first level: the key of what follows it. */
  #name = "";
  #inList = false;
  /** The parts of the map that is being read; undefined outside. */
  #item: Buffer[] | undefined;
  #length = 0;
  #count = 0;
  /** One character for each byte. */
  #rest = "";

  constructor(key: string, give: (item: Buffer) => void) {
    this.#key = key;
    this.#give = give;
  }

  take(chunk: Buffer): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#string) this.#inString(byte);
      else if (byte === quote) {
        this.#string = true;
        if (this.#depth === 1) this.#name = "";
      } else if (byte === openBrace || byte === openBracket) {
        if (this.#depth === 1) this.#inList = byte === openBracket && this.#name === this.#key;
        if (this.#depth === 2 && this.#inList && byte === openBrace) {
          this.#keep(chunk.toString("latin1", start, at));
          start = at;
          this.#item = [];
        }
        this.#depth++;
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (this.#depth === 2 && this.#item !== undefined) {
          this.#endItem(chunk.subarray(start, at + 1));
          start = at + 1;
        }
      }
    }
    if (this.#item === undefined) this.#keep(chunk.toString("latin1", start));
    else this.#addTo(this.#item, Buffer.from(chunk.subarray(start)));
  }

  /** @throws CodecError for an answer that ends within an item */
  end(): string {
    if (this.#item !== undefined) throw new CodecError("not JSON: Unexpected end of JSON input");
    return decodeUtf8(Buffer.from(this.#rest, "latin1"));
  }

  #inString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#string = false;
    if (this.#string && this.#depth === 1 && this.#name.length <= this.#key.length)
      this.#name += String.fromCharCode(byte);
  }

  #keep(text: string): void {
    this.#rest += text;
    if (this.#rest.length > largestPart) throw new TooLargeError(largestPart);
  }

  #addTo(item: Buffer[], part: Buffer): void {
    this.#length += part.length;
    if (this.#length > largestPart) throw new TooLargeError(largestPart);
    item.push(part);
  }

  #endItem(last: Buffer): void {
    const item = this.#item ?? [];
    this.#addTo(item, last);
    this.#give(item.length === 1 ? last : Buffer.concat(item));
    this.#item = undefined;
    this.#length = 0;
    this.#keep(String(this.#count++));
  }
}
