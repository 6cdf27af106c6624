import { canonicalInstant, isMap, type Kind, type ObjectKind, perKind, Tagged } from "../schema/index.ts";
import { refuseBelow } from "./codec.ts";
import { withoutDoubles } from "./doubles.ts";
import { notAnInstant } from "./instant.ts";
import { type DomainMap, fieldKinds } from "./maps.ts";

/**
 * Turns parsed data, in place, into the domain value of its kind: instants into their one form, sets into lists without
 * doubles, maps into null-prototype objects. What is not of its kind stays as it is.
 *
 * @throws CodecError for broken instants and for nesting over 200.
 */
export function toDomain(kind: ObjectKind, value: unknown): unknown {
  return typeof value === "object" && value !== null ? readerOf(kind)(value, 1) : value;
}

/**
 * Reads a list or map; `depth` is the level that it stands on. Scalars never get here: most are what they are, and
 * a string that is an instant is seen to by what holds it. That keeps a page of cards to one call for each map.
 */
type Reader = (value: object, depth: number) => unknown;

const readerOf = perKind(compile);

function compile(kind: Kind): Reader {
  switch (kind.kind) {
    case "instant":
    case "timestamp":
      return readInstant;
    case "array":
    case "set":
      return listReader(kind.of, kind.kind === "set");
    case "record":
      return recordReader(kind.of);
    case "object":
      return objectReader(kind);
    default:
      return readUnknown;
  }
}

function objectReader(kind: ObjectKind): Reader {
  const fields = new Map(Array.from(fieldKinds(kind), ([name, field]) => [name, readerOf(field)]));
  const instants = new Set(Array.from(fields.keys()).filter((name) => fields.get(name) === readInstant));
  return (value, depth) => {
    if (!isMap(value)) return readUnknown(value, depth);
    const map = withoutPrototype(value);
    for (const key in map) {
      const given = map[key];
      if (typeof given === "object" && given !== null) {
        const result = (fields.get(key) ?? readUnknown)(given, depth + 1);
        if (result !== given) map[key] = result;
      } else if (typeof given === "string" && instants.has(key)) {
        map[key] = canonicalInstant(given) ?? given;
      }
    }
    return map;
  };
}

function recordReader(of: Kind): Reader {
  const readItem = itemReader(of);
  return (value, depth) => {
    if (!isMap(value)) return readUnknown(value, depth);
    const map = withoutPrototype(value);
    for (const key in map) map[key] = readItem(map[key], depth + 1);
    return map;
  };
}

function listReader(of: Kind, unique: boolean): Reader {
  const readItem = itemReader(of);
  return (value, depth) => {
    if (!Array.isArray(value)) return readUnknown(value, depth);
    for (let at = 0; at < value.length; at++) value[at] = readItem(value[at], depth + 1);
    return unique ? withoutDoubles(value) : value;
  };
}

function itemReader(kind: Kind): (item: unknown, depth: number) => unknown {
  const read = readerOf(kind);
  return (item, depth) => {
    if (typeof item === "object" && item !== null) return read(item, depth);
    return typeof item === "string" && read === readInstant ? (canonicalInstant(item) ?? item) : item;
  };
}

/** What the schema says nothing about, and what is not of its kind: only this can be nested without end. */
function readUnknown(value: object, depth: number): unknown {
  refuseBelow(depth);
  if (value instanceof Tagged) return value; // How deep it goes was seen to when its tags were read.
  const items = Array.isArray(value) ? value : Object.values(withoutPrototype(value));
  for (const item of items) if (typeof item === "object" && item !== null) readUnknown(item, depth + 1);
  return value;
}

/** `{"date": "<ISO>"}`. A bare string that names no instant is only a wrong value; a map that names none is broken. */
function readInstant(value: object, depth: number): unknown {
  const date: unknown = Array.isArray(value) ? undefined : (value as DomainMap)["date"];
  if (typeof date !== "string") return readUnknown(value, depth);
  const text = canonicalInstant(date);
  if (text === undefined) throw notAnInstant(date);
  return text;
}

function withoutPrototype(value: object): DomainMap {
  if (Object.getPrototypeOf(value) !== null) Object.setPrototypeOf(value, null);
  return value as DomainMap;
}
