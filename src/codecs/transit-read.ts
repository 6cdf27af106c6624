import { canonicalInstant, instantText, type Kind, Tagged } from "../schema/index.ts";
import { CodecError, refuseBelow } from "./codec.ts";
import { dedupe } from "./dedupe.ts";
import { notAnInstant } from "./instant.ts";
import { type DomainMap, fieldKinds } from "./maps.ts";

/**
 * Reads verbose and compact transit (docs/design/wire.md, transit) as plain data: keywords and symbols are strings, sets
 * and lists arrays, instants text, maps null-prototype objects.
 *
 * @param parsed what the text is as JSON
 * @param kept the kind of the document: values with a tag that their kind does not have are Tagged then; numbers, booleans
 * and keys of maps are plain even so
 */
export const readTransit = (parsed: unknown, kept?: Kind): unknown =>
  new TransitReader(kept !== undefined).value(parsed, 1, kept);

/** What says of the value beside it what it is. */
class Tag {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The tags that values of a kind have. A value with any other tag is of another kind, which `check` reports. */
const tagsOf: { readonly [kind in Kind["kind"]]?: readonly string[] } = {
  keyword: [":", "$", "u"],
  instant: ["dt", "t", "m"],
  timestamp: ["dt", "t", "m"],
  array: ["list", "set"],
  set: ["set", "list"],
};

const mostCached = 44 * 44;

class TransitReader {
  readonly #keepsTags: boolean;
  /** The texts that cache codes refer to. */
  readonly #cache: string[] = [];
  #next = 0;

  constructor(keepsTags: boolean) {
    this.#keepsTags = keepsTags;
  }

  /** @param depth the level of nesting in the text, from 1 */
  value(node: unknown, depth: number, kind: Kind | undefined): unknown {
    if (typeof node === "string") return settled(this.#read(this.#text(node, false), kind));
    if (typeof node !== "object" || node === null) return node;
    refuseBelow(depth);
    if (!Array.isArray(node)) return this.#map(node as DomainMap, depth, kind);
    if (node[0] === "^ ") return this.#compactMap(node, depth, kind);
    const of = kind?.kind === "array" || kind?.kind === "set" ? kind.of : undefined;
    const [first] = node;
    const begin = typeof first === "string" ? this.#read(this.#text(first, false), of) : undefined;
    if (begin instanceof Tag && node.length === 2) return this.#tagged(begin, node[1], depth, kind);
    const items: unknown[] = begin === undefined ? [] : [settled(begin)];
    for (let at = items.length; at < node.length; at++) items.push(this.value(node[at], depth + 1, of));
    return items;
  }

  #map(node: DomainMap, depth: number, kind: Kind | undefined): unknown {
    const names = Object.keys(node);
    const map = newMap();
    for (const given of names) {
      const key = this.#key(given);
      if (key instanceof Tag && names.length === 1) return this.#tagged(key, node[given], depth, kind);
      this.#add(map, key, node[given], depth, kind);
    }
    return map;
  }

  #compactMap(node: readonly unknown[], depth: number, kind: Kind | undefined): DomainMap {
    if (node.length % 2 === 0) throw new CodecError("a map has a key without a value");
    const map = newMap();
    for (let at = 1; at < node.length; at += 2)
      this.#add(map, this.#key(node[at]), node[at + 1], depth, kind);
    return map;
  }

  #key(given: unknown): unknown {
    const text = typeof given === "string" ? this.#text(given, true) : "~_";
    return text.startsWith("~b") ? undefined : this.#read(text, undefined);
  }

  #add(map: DomainMap, key: unknown, node: unknown, depth: number, kind: Kind | undefined): void {
    const name = nameOf(key);
    // Only tags that are kept depend on the kind.
    const of = this.#keepsTags && kind !== undefined ? kindIn(kind, name) : undefined;
    map[name] = this.value(node, depth + 1, of);
  }

  #tagged({ name }: Tag, node: unknown, depth: number, kind: Kind | undefined): unknown {
    const isList = name === "set" || name === "list";
    return this.#typed(name, this.value(node, depth + 1, isList ? kind : undefined), kind);
  }

  /** The text that a cache code refers to, and any other as it is; those that codes may refer to later are remembered. */
  #text(given: string, isKey: boolean): string {
    if (given.startsWith("^")) {
      const text = this.#cache[codeOf(given)];
      if (text === undefined) throw new CodecError(`a cache code refers to nothing: ${shown(given)}`);
      return text;
    }
    if (given.length > 3 && (isKey || (given.startsWith("~") && ":$#".includes(given.charAt(1))))) {
      this.#cache[this.#next] = given;
      this.#next = (this.#next + 1) % mostCached;
    }
    return given;
  }

  /** The value of a text, or the tag that it is. */
  #read(text: string, kind: Kind | undefined): unknown {
    if (!text.startsWith("~")) return text;
    const type = text.charAt(1);
    if (type === ":" && !this.#keepsTags) return text.slice(2);
    if (type === "#") return new Tag(text.slice(2));
    if (type === "") throw new CodecError("not of any type: ~");
    return "~^`".includes(type) ? text.slice(1) : this.#typed(type, text.slice(2), kind);
  }

  #typed(tag: string, rep: unknown, kind: Kind | undefined): unknown {
    const readPlain = plainTypes.get(tag);
    if (readPlain !== undefined) return readPlain(rep);
    const plain = (markedTypes.get(tag) ?? same)(rep);
    const isExpected = kind !== undefined && tagsOf[kind.kind]?.includes(tag);
    return this.#keepsTags && !isExpected ? new Tagged(tag, rep, plain) : plain;
  }
}

/** The number of a cache code: one or two digits from `0` to `[`. */
function codeOf(text: string): number {
  const [high, low] = [text.charCodeAt(1) - 0x30, text.length === 2 ? 0 : text.charCodeAt(2) - 0x30];
  if (text.length > 3 || !(high >= 0 && high < 44 && low >= 0 && low < 44)) return Number.NaN;
  return text.length === 2 ? high : high * 44 + low;
}

function settled(value: unknown): unknown {
  if (value instanceof Tag) throw new CodecError("a tag is where a value is expected");
  return value;
}

// Object.create(null) would allocate a hash table for every map.
const newMap = () => Object.setPrototypeOf({}, null) as DomainMap;

function kindIn(kind: Kind, name: string): Kind | undefined {
  if (kind.kind === "object") return fieldKinds(kind).get(name);
  return kind.kind === "record" ? kind.of : undefined;
}

/** Keys are text, or integers. */
function nameOf(key: unknown): string {
  if (typeof key === "string") return key;
  const plain = plainOf(key);
  if (typeof plain !== "string" && !Number.isInteger(plain)) throw new CodecError("a key is no string");
  return String(plain);
}

const plainOf = (value: unknown) => (value instanceof Tagged ? value.plain : value);
const same = (value: unknown) => value;
const shown = (text: string) => JSON.stringify(text.slice(0, 40));

/** A type whose values are numbers, booleans, null or text of this form. */
function scalar(pattern: RegExp, read: (text: string) => unknown): (rep: unknown) => unknown {
  return (rep) => {
    if (typeof rep === "string") return read(matching(pattern, rep));
    if (typeof rep === "object" && rep !== null) throw new CodecError("a number or text has another type");
    return rep;
  };
}

function matching(pattern: RegExp, value: unknown): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  throw new CodecError(`not of its type: ${typeof value === "string" ? shown(value) : typeof value}`);
}

/** Integers that a number cannot hold exactly stay text. */
function wholeNumber(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

function decimal(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

const whole = /^-?\d+$/;
const fraction = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The types whose values have no tag in the program. */
const plainTypes = new Map<string, (rep: unknown) => unknown>([
  ["'", same],
  ["_", scalar(/^$/, () => null)],
  ["?", scalar(/^[tf]$/, (text) => text === "t")],
  ["i", scalar(whole, wholeNumber)],
  ["n", scalar(whole, wholeNumber)],
  ["d", scalar(fraction, decimal)],
  ["f", scalar(fraction, decimal)],
  ["b", scalar(/^[A-Za-z0-9+/]*={0,2}$/, same)],
  ["cmap", mapOf],
]);

/** The plain value for what a tag holds. Unknown tags become their content. */
const markedTypes = new Map<string, (rep: unknown) => unknown>([
  [":", (rep) => matching(/^/, rep)],
  ["$", (rep) => matching(/^/, rep)],
  ["c", (rep) => matching(/^/, rep)],
  ["r", (rep) => matching(/^/, rep)],
  ["u", (rep) => matching(uuid, rep).toLowerCase()],
  ["z", (rep) => matching(/^(?:NaN|-?INF)$/, rep) && null],
  ["m", instant],
  ["t", instant],
  ["dt", instant],
  ["set", (rep) => dedupe([...listOf(rep)])],
  ["list", listOf],
]);

/** Epoch milliseconds as a number or in digits, or ISO 8601, whatever its tag, and even under a second one. */
function instant(given: unknown): string {
  const value = plainOf(given);
  let found: string | undefined;
  if (typeof value === "number") found = instantText(value);
  else if (typeof value === "string")
    found = whole.test(value) ? instantText(Number(value)) : canonicalInstant(value);
  if (found === undefined) throw notAnInstant(value);
  return found;
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new CodecError("a set or list holds something else");
  return value;
}

function mapOf(entries: unknown): DomainMap {
  const list = listOf(entries);
  if (list.length % 2 === 1) throw new CodecError("a map has a key without a value");
  const map = newMap();
  for (let at = 0; at < list.length; at += 2) map[nameOf(list[at])] = list[at + 1];
  return map;
}
