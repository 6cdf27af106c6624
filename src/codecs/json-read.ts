import { canonicalInstant, type Kind, type ObjectKind, type RecordKind } from "../schema/index.ts";
import { refuseBelow } from "./codec.ts";
import { withoutDoubles } from "./doubles.ts";
import { notAnInstant } from "./instant.ts";
import { fieldKinds } from "./plain.ts";

/**
 * Turns a parsed list or map, in place, into the domain value; `depth` is the level that it stands on. Strings, numbers
 * and the like are never given to a reader: where they are instants, the reader of the map around them sees to it.
 */
type Reader = (value: object, depth: number) => unknown;

type JsonMap = Record<string, unknown>;

// Kinds never change: each is compiled once.
const readers = new WeakMap<Kind, Reader>();

/** The reader of a kind. */
export function jsonReader(kind: Kind): Reader {
  let reader = readers.get(kind);
  if (reader === undefined) {
    reader = compile(kind);
    readers.set(kind, reader);
  }
  return reader;
}

function compile(kind: Kind): Reader {
  switch (kind.kind) {
    case "instant":
    case "timestamp":
      return readInstant;
    case "array":
    case "set":
      return listReader(kind.of, kind.kind === "set");
    case "record":
      return recordReader(kind);
    case "object":
      return objectReader(kind);
    default:
      return readPlain;
  }
}

function objectReader(kind: ObjectKind): Reader {
  const fields = new Map(Array.from(fieldKinds(kind), ([name, field]) => [name, jsonReader(field)]));
  const instants = new Set(Object.keys(kind.fields).filter((name) => fields.get(name) === readInstant));
  return (value, depth) => {
    if (Array.isArray(value)) return readPlain(value, depth);
    refuseBelow(depth);
    const map = withoutPrototype(value);
    for (const key in map) {
      const given = map[key];
      if (typeof given === "object" && given !== null) {
        const result = (fields.get(key) ?? readPlain)(given, depth + 1);
        if (result !== given) map[key] = result;
      } else if (typeof given === "string" && instants.has(key)) {
        map[key] = canonicalInstant(given) ?? given;
      }
    }
    return map;
  };
}

function recordReader(kind: RecordKind): Reader {
  const read = jsonReader(kind.of);
  return (value, depth) => {
    if (Array.isArray(value)) return readPlain(value, depth);
    refuseBelow(depth);
    const map = withoutPrototype(value);
    for (const key in map) {
      const given = map[key];
      if (typeof given === "object" && given !== null) map[key] = read(given, depth + 1);
    }
    return map;
  };
}

function listReader(of: Kind, unique: boolean): Reader {
  const read = jsonReader(of);
  return (value, depth) => {
    if (!Array.isArray(value)) return readPlain(value, depth);
    refuseBelow(depth);
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at];
      if (typeof item === "object" && item !== null) value[at] = read(item, depth + 1);
    }
    return unique ? withoutDoubles(value) : value;
  };
}

/** What the schema says nothing about, and what is not of its kind: as it is, but with null-prototype maps. */
function readPlain(value: object, depth: number): unknown {
  refuseBelow(depth);
  const items = Array.isArray(value) ? value : Object.values(withoutPrototype(value));
  for (const item of items) if (typeof item === "object" && item !== null) readPlain(item, depth + 1);
  return value;
}

/** `{"date": "<ISO>"}`. A bare string that names no instant is only a wrong value, a broken map is malformed. */
function readInstant(value: object, depth: number): unknown {
  const date: unknown = Array.isArray(value) ? undefined : (value as JsonMap)["date"];
  if (typeof date !== "string") return readPlain(value, depth);
  const text = canonicalInstant(date);
  if (text === undefined) throw notAnInstant(date);
  return text;
}

const withoutPrototype = (value: object): JsonMap => Object.setPrototypeOf(value, null) as JsonMap;
