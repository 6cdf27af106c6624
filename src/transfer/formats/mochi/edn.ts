import { canonicalInstant } from "../../../schema/index.ts";
import { at, broken, quoted } from "../../place.ts";

/**
 * Reads one EDN value (the text form of Clojure data, github.com/edn-format/edn) into the plain data that the codecs
 * give, too: keywords and symbols are strings, lists, vectors and sets arrays, instants ISO 8601, maps null-prototype
 * objects. The readers on npm take mismatched brackets and cut-off text for valid, and name no line.
 *
 * @throws UsageError naming the line.
 */
export function readEdn(text: string, name: string): unknown {
  const reader = new EdnReader(text, name);
  const value = reader.value(1);
  reader.end();
  return value;
}

const deepest = 200;
const blank = /[\s,]/;
const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const token = /[^\s,;"()[\]{}]+/y;
const escapes: Readonly<Record<string, string>> = {
  t: "\t",
  r: "\r",
  n: "\n",
  b: "\b",
  f: "\f",
  "\\": "\\",
  '"': '"',
};
const characters: Readonly<Record<string, string>> = {
  newline: "\n",
  return: "\r",
  space: " ",
  tab: "\t",
  formfeed: "\f",
  backspace: "\b",
};
const nothing = Symbol("nothing");

class EdnReader {
  readonly #text: string;
  readonly #name: string;
  #index = 0;

  constructor(text: string, name: string) {
    this.#text = text;
    this.#name = name;
  }

  /** The next value; what `#_` discards is passed over. */
  value(depth: number): unknown {
    const value = this.#next(depth);
    if (value === nothing) throw this.#fail("a value is missing");
    return value;
  }

  /** Nothing may follow. */
  end(): void {
    if (this.#next(1) !== nothing) throw this.#fail("there is text after the end of the data");
  }

  /** The next value, or `nothing` before a closing bracket or the end. */
  #next(depth: number): unknown {
    if (depth > deepest) throw this.#fail(`nested more than ${deepest} levels deep`);
    for (;;) {
      this.#skipBlank();
      const character = this.#text[this.#index];
      if (character === undefined || character === ")" || character === "]" || character === "}")
        return nothing;
      if (character === '"') return this.#string();
      if (closing[character] !== undefined) return this.#collection(character, depth);
      if (character === "\\") return this.#character();
      if (character !== "#") return this.#atom();
      if (this.#text.startsWith("#_", this.#index)) {
        this.#index += 2;
        this.value(depth + 1);
        continue;
      }
      return this.#tagged(depth);
    }
  }

  #skipBlank(): void {
    for (;;) {
      const character = this.#text[this.#index];
      if (character === undefined) return;
      if (character === ";") {
        const end = this.#text.indexOf("\n", this.#index);
        this.#index = end < 0 ? this.#text.length : end;
      } else if (!blank.test(character)) return;
      else this.#index++;
    }
  }

  #collection(open: string, depth: number): unknown {
    const begin = this.#index++;
    const items: unknown[] = [];
    for (let item = this.#next(depth + 1); item !== nothing; item = this.#next(depth + 1)) items.push(item);
    if (this.#text[this.#index] !== closing[open]) {
      const problem =
        this.#index >= this.#text.length ? "is never closed" : `is closed by ${this.#text[this.#index]}`;
      throw this.#fail(`the ${open} ${problem}`, begin);
    }
    this.#index++;
    return open === "{" ? this.#map(items, begin) : items;
  }

  #map(items: readonly unknown[], begin: number): unknown {
    if (items.length % 2 === 1) throw this.#fail("a map has a key without a value", begin);
    const map: Record<string, unknown> = Object.create(null);
    for (let index = 0; index < items.length; index += 2) {
      const key = items[index];
      if (typeof key !== "string" && typeof key !== "number")
        throw this.#fail("a key of a map is no keyword or text", begin);
      map[String(key)] = items[index + 1];
    }
    return map;
  }

  #string(): string {
    const begin = this.#index++;
    let result = "";
    for (;;) {
      const start = this.#index;
      while (
        this.#index < this.#text.length &&
        this.#text[this.#index] !== '"' &&
        this.#text[this.#index] !== "\\"
      )
        this.#index++;
      result += this.#text.slice(start, this.#index);
      const character = this.#text[this.#index++];
      if (character === undefined) throw this.#fail("the text is never closed", begin);
      if (character === '"') return result;
      result += this.#escape();
    }
  }

  #escape(): string {
    const character = this.#text[this.#index++] ?? "";
    if (character !== "u") {
      const escaped = Object.hasOwn(escapes, character) ? escapes[character] : undefined;
      if (escaped === undefined) throw this.#fail(`there is no escape \\${character}`);
      return escaped;
    }
    const digits = this.#text.slice(this.#index, this.#index + 4);
    if (!/^[\da-fA-F]{4}$/.test(digits)) throw this.#fail(`not a character: \\u${digits}`);
    this.#index += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #character(): string {
    const first = String.fromCodePoint(this.#text.codePointAt(this.#index + 1) ?? 0x20);
    // The character may itself be one that ends a token, as in `\\(`.
    this.#index += 1 + first.length;
    const name = first + this.#token();
    if (name === first) return first;
    const hex = /^u([\da-fA-F]{4})$/.exec(name)?.[1];
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    const known = Object.hasOwn(characters, name) ? characters[name] : undefined;
    if (known === undefined) throw this.#fail(`there is no character \\${name}`);
    return known;
  }

  #tagged(depth: number): unknown {
    const begin = this.#index++;
    if (this.#text[this.#index] === "{") {
      this.#index++;
      const items: unknown[] = [];
      for (let item = this.#next(depth + 1); item !== nothing; item = this.#next(depth + 1)) items.push(item);
      if (this.#text[this.#index++] !== "}") throw this.#fail("the set is never closed", begin);
      return items;
    }
    const tag = this.#token();
    if (tag === "") throw this.#fail("a # stands alone", begin);
    const value = this.value(depth + 1);
    if (tag !== "inst") return value;
    const instant = typeof value === "string" ? canonicalInstant(value) : undefined;
    if (instant === undefined) throw this.#fail(`not an instant: ${quoted(String(value))}`, begin);
    return instant;
  }

  #atom(): unknown {
    const begin = this.#index;
    const text = this.#token();
    if (text === "nil") return null;
    if (text === "true" || text === "false") return text === "true";
    if (text.startsWith(":")) {
      if (text.length === 1) throw this.#fail("a keyword has no name", begin);
      return text.slice(1);
    }
    if (!/^[-+]?\d/.test(text)) return text;
    if (!/^[-+]?\d+N?$|^[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?M?$/.test(text))
      throw this.#fail(`not a number: ${quoted(text)}`, begin);
    const number = Number(text.replace(/[NM]$/, ""));
    return Number.isSafeInteger(number) || !/^[-+]?\d+N?$/.test(text) ? number : text.replace(/N$/, "");
  }

  #token(): string {
    token.lastIndex = this.#index;
    const found = token.exec(this.#text)?.[0] ?? "";
    this.#index += found.length;
    return found;
  }

  #fail(problem: string, index = this.#index): Error {
    let line = 1;
    for (
      let each = this.#text.indexOf("\n");
      each >= 0 && each < index;
      each = this.#text.indexOf("\n", each + 1)
    )
      line++;
    return broken(at(this.#name, line), `not valid EDN: ${problem}`);
  }
}
