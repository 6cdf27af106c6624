import { canonicalInstant, type Kind, type ObjectKind, type RecordKind } from "../schema/index.ts";
import { refuseBelow } from "./codec.ts";
import { withoutDoubles } from "./doubles.ts";
import { notAnInstant } from "./instant.ts";

/** Turns a parsed value, in place, into the domain value; `depth` is the level that the value stands on. */
type Reader = (value: unknown, depth: number) => unknown;

type JsonMap = Record<string, unknown>;

// Kinds never change: each is compiled once.
const readers = new WeakMap<Kind, Reader>();

/** The reader of a kind. */
export function jsonReader(kind: Kind): Reader {
  let reader = readers.get(kind);
  if (reader === undefined) {
    reader = makeReader(kind);
    readers.set(kind, reader);
  }
  return reader;
}

function makeReader(kind: Kind): Reader {
  switch (kind.kind) {
    case "instant":
    case "timestamp":
      return readInstant;
    case "array":
      return listReader(jsonReader(kind.of), false);
    case "set":
      return listReader(jsonReader(kind.of), true);
    case "record":
      return recordReader(kind);
    case "object":
      return objectReader(kind);
    default:
      return readPlain;
  }
}

function objectReader(kind: ObjectKind): Reader {
  const fields = new Map<string, Reader>();
  for (const [name, field] of Object.entries(kind.fields)) fields.set(name, jsonReader(field));
  for (const [name, alias] of Object.entries(kind.transitKeys ?? {})) {
    const reader = fields.get(name);
    if (reader !== undefined && !fields.has(alias)) fields.set(alias, reader);
  }
  return (value, depth) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return readPlain(value, depth);
    refuseBelow(depth);
    const map = withoutPrototype(value);
    for (const key of Object.keys(map)) {
      const given = map[key];
      if (given === null || (typeof given !== "object" && typeof given !== "string")) continue;
      const read = fields.get(key);
      const result = (read ?? readPlain)(given, depth + 1);
      if (result !== given) map[key] = result;
    }
    return map;
  };
}

function recordReader(kind: RecordKind): Reader {
  const read = jsonReader(kind.of);
  return (value, depth) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return readPlain(value, depth);
    refuseBelow(depth);
    const map = withoutPrototype(value);
    for (const key of Object.keys(map)) map[key] = read(map[key], depth + 1);
    return map;
  };
}

function listReader(read: Reader, unique: boolean): Reader {
  return (value, depth) => {
    if (!Array.isArray(value)) return readPlain(value, depth);
    refuseBelow(depth);
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at];
      const result = read(item, depth + 1);
      if (result !== item) value[at] = result;
    }
    return unique ? withoutDoubles(value) : value;
  };
}

/** What the schema says nothing about, and what is not of its kind: as it is, but with null-prototype maps. */
function readPlain(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  refuseBelow(depth);
  if (Array.isArray(value)) {
    for (const item of value) readPlain(item, depth + 1);
    return value;
  }
  const map = withoutPrototype(value);
  for (const key of Object.keys(map)) readPlain(map[key], depth + 1);
  return map;
}

/** `{"date": "<ISO>"}` or a bare ISO string. Any other string is a wrong value, which check() reports. */
function readInstant(value: unknown, depth: number): unknown {
  if (typeof value === "string") return canonicalInstant(value) ?? value;
  const map = readPlain(value, depth);
  if (typeof map !== "object" || map === null) return value;
  const date = (map as JsonMap)["date"];
  if (typeof date !== "string") return map;
  const text = canonicalInstant(date);
  if (text === undefined) throw notAnInstant(date);
  return text;
}

const withoutPrototype = (value: object): JsonMap => Object.setPrototypeOf(value, null) as JsonMap;
