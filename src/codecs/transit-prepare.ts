import { CodecError, refuseBelow } from "./codec.ts";

/**
 * Does in place, on the parsed JSON, what transit-js has no option for: limits the nesting before anything recurses,
 * refuses strings that only look like cache codes, and reads the types whose handlers cannot be replaced. Nothing that
 * takes a place in the reader's cache is changed.
 */
export function prepare(node: unknown, depth: number): unknown {
  if (typeof node === "string") return prepareString(node);
  if (typeof node !== "object" || node === null) return node;
  refuseBelow(depth);
  return Array.isArray(node) ? prepareList(node, depth) : prepareMap(node as Record<string, unknown>, depth);
}

function prepareList(list: unknown[], depth: number): unknown {
  const first = list[0];
  if (first === "^ ") {
    if (list.length % 2 === 0) throw new CodecError("a map has a key without a value");
    for (let at = 1; at < list.length; at += 2) {
      checkKey(list[at]);
      list[at + 1] = prepare(list[at + 1], depth + 1);
    }
    return list;
  }
  if (list.length === 2 && typeof first === "string" && isGroundTag(first))
    return untagged(first.charAt(2), prepare(list[1], depth + 1));
  for (let at = 0; at < list.length; at++) list[at] = prepare(list[at], depth + 1);
  return list;
}

function prepareMap(map: Record<string, unknown>, depth: number): unknown {
  const keys = Object.keys(map);
  const first = keys[0] ?? "";
  if (keys.length === 1 && isGroundTag(first))
    return untagged(first.charAt(2), prepare(map[first], depth + 1));
  for (const key of keys) {
    checkKey(key);
    const value = map[key];
    const prepared = prepare(value, depth + 1);
    if (prepared !== value) map[key] = prepared;
  }
  return map;
}

function prepareString(text: string): unknown {
  const first = text.charCodeAt(0);
  if (first === caret) checkCacheCode(text);
  else if (first === tilde && (text.length === 1 || groundTypes.includes(text.charAt(1))))
    return ground(text.charAt(1), text.slice(2));
  return text;
}

/** Keys are text, or integers in their text form. */
function checkKey(key: unknown): void {
  if (typeof key !== "string") throw new CodecError("a key is no string");
  const first = key.charCodeAt(0);
  if (first === caret) checkCacheCode(key);
  else if (first === tilde && (key.length === 1 || groundTypes.includes(key.charAt(1))))
    if (!/^~i-?\d{1,15}$/.test(key)) throw new CodecError("a key is no string");
}

/** `^` and one or two of the 44 digits from `0` to `[`. */
function checkCacheCode(text: string): void {
  const { length } = text;
  if (
    length < 2 ||
    length > 3 ||
    !isCodeDigit(text.charCodeAt(1)) ||
    !isCodeDigit(text.charCodeAt(length - 1))
  )
    throw new CodecError(`not a cache code: ${JSON.stringify(text.slice(0, 40))}`);
}

const isCodeDigit = (code: number) => code >= 0x30 && code <= 0x5b;

const tilde = 0x7e;
const caret = 0x5e;
const groundTypes = "idb?_";

const isGroundTag = (key: string) =>
  key.length === 3 && key.startsWith("~#") && (key[2] === "'" || groundTypes.includes(key.charAt(2)));

/** A ground type in the form of a tag: `["~#i", "7"]` means the same as `"~i7"`. */
function untagged(type: string, value: unknown): unknown {
  if (type === "'") return value;
  if (typeof value === "string") return ground(type, value);
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  throw new CodecError(`not of type ~${type}`);
}

function ground(type: string, text: string): unknown {
  if (type === "_" && text === "") return null;
  if (type === "?" && (text === "t" || text === "f")) return text === "t";
  if (type === "i" && wholePattern.test(text)) return wholeNumber(text);
  if (type === "d" && decimalPattern.test(text)) return Number(text);
  if (type === "b" && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) return text;
  throw new CodecError(`not of type ~${type}: ${JSON.stringify(text.slice(0, 40))}`);
}

export const wholePattern = /^-?\d+$/;
export const decimalPattern = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Integers that a number cannot hold exactly stay text. */
export function wholeNumber(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}
