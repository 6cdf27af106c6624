import { limits } from "../limits.ts";
import { at, broken } from "../place.ts";

/** A JSON value at the top of a text, or an item of the array that the text is. */
export interface JsonValue {
  readonly value: unknown;
  /** The line it begins on, from 1. */
  readonly line: number;
  /** Which of the values it is that begin on that line, from 1. */
  readonly nth: number;
  readonly text: string;
}

/**
 * The values of newline-delimited JSON, or of one JSON array, each as soon as it is read; a value may span lines. In
 * memory is never more than one of them.
 *
 * @throws UsageError where what follows can't be understood any more, and for a value over the limit.
 */
export async function* jsonValues(
  pieces: AsyncIterable<string> | Iterable<string>,
  name: string,
  limit: number = limits.itemLength,
): AsyncGenerator<JsonValue> {
  const scan = new Scan(name, limit);
  for await (const piece of pieces) yield* scan.take(piece);
  yield* scan.end();
}

class Scan {
  readonly #name: string;
  readonly #limit: number;
  /** Whether the text is one array: undefined until its first character. */
  #array: boolean | undefined;
  #closed = false;
  #comma: "no" | "wanted" | "seen" = "no";
  #line = 1;
  #valueLine = 1;
  #nth = 0;
  #parts: string[] = [];
  #length = 0;
  #depth = 0;
  #string = false;
  #escaped = false;
  /** Whether a value that is no container is being read. */
  #scalar = false;

  constructor(name: string, limit: number) {
    this.#name = name;
    this.#limit = limit;
  }

  *take(piece: string): Generator<JsonValue> {
    let start = this.#inValue ? 0 : -1;
    for (let index = 0; index < piece.length; index++) {
      const code = piece.charCodeAt(index);
      if (this.#inValue) {
        const ends = this.#inside(code);
        if (ends === "no") {
          if (code === newline) this.#line++;
          continue;
        }
        const after = ends === "with" ? index + 1 : index;
        this.#add(piece.slice(start, after));
        yield this.#value();
        start = -1;
        if (ends === "with") continue;
      }
      if (this.#between(code)) {
        start = index;
        this.#nth = this.#valueLine === this.#line ? this.#nth + 1 : 1;
        this.#valueLine = this.#line;
        this.#inside(code);
      }
      if (code === newline) this.#line++;
    }
    if (start >= 0) this.#add(piece.slice(start));
  }

  *end(): Generator<JsonValue> {
    if (this.#scalar) yield this.#value();
    else if (this.#inValue)
      throw broken(at(this.#name, this.#valueLine), "the text ends in the middle of a value");
    if (this.#array && !this.#closed) throw broken(at(this.#name, this.#line), "the array is not closed");
  }

  get #inValue(): boolean {
    return this.#depth > 0 || this.#string || this.#scalar;
  }

  /** Takes a character of a value. Says whether the value ends with it, or before it. */
  #inside(code: number): "no" | "with" | "before" {
    if (this.#string) {
      if (this.#escaped) this.#escaped = false;
      else if (code === backslash) this.#escaped = true;
      else if (code === quote) {
        this.#string = false;
        return this.#depth === 0 ? "with" : "no";
      } else if (code === newline)
        // Otherwise one forgotten quote would take everything after it along.
        throw broken(at(this.#name, this.#line), "a string is not closed");
      return "no";
    }
    if (this.#scalar) {
      if (!isBlank(code) && code !== comma && code !== closeBracket) return "no";
      this.#scalar = false;
      return "before";
    }
    if (code === quote) this.#string = true;
    else if (code === openBrace || code === openBracket) this.#depth++;
    else if (code === closeBrace || code === closeBracket) {
      this.#depth--;
      return this.#depth === 0 ? "with" : "no";
    } else if (this.#depth === 0) this.#scalar = true;
    return "no";
  }

  /** Takes a character outside values. Says whether a value begins with it. */
  #between(code: number): boolean {
    if (isBlank(code) || code === byteOrderMark) return false;
    if (this.#array === undefined) {
      this.#array = code === openBracket;
      if (this.#array) return false;
    }
    if (this.#closed) throw broken(at(this.#name, this.#line), "there is text after the end of the array");
    if (!this.#array) {
      if (code === closeBrace || code === closeBracket)
        throw broken(at(this.#name, this.#line), "not valid JSON: a bracket is closed that was never opened");
      return true;
    }
    if (code === comma && this.#comma === "wanted") {
      this.#comma = "seen";
      return false;
    }
    if (code === closeBracket && this.#comma !== "seen") {
      this.#closed = true;
      return false;
    }
    if (code === comma || code === closeBracket || this.#comma === "wanted")
      throw broken(at(this.#name, this.#line), "the array is not valid JSON here");
    this.#comma = "no";
    return true;
  }

  #add(part: string): void {
    this.#length += part.length;
    if (this.#length > this.#limit)
      throw broken(
        at(this.#name, this.#valueLine),
        `a value has more than ${Math.floor(this.#limit / 1024 / 1024)} MiB`,
      );
    this.#parts.push(part);
  }

  #value(): JsonValue {
    const text = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    this.#comma = "wanted";
    try {
      return { value: JSON.parse(text), line: this.#valueLine, nth: this.#nth, text };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw broken(at(this.#name, this.#valueLine), `not valid JSON: ${reason}`);
    }
  }
}

const newline = 0x0a;
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const byteOrderMark = 0xfeff;
const isBlank = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);
