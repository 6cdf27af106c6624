import { canonicalInstant, isMap, type Kind, type ObjectKind, Tagged } from "../schema/index.ts";
import { refuseBelow } from "./codec.ts";
import { dedupe } from "./dedupe.ts";
import { notAnInstant } from "./instant.ts";
import { type DomainMap, fieldKinds } from "./maps.ts";

/**
 * Converts parsed data, in place, to the domain value of its kind: instants to their one form, sets to lists without
 * duplicates, records and values of unknown kind to null-prototype objects. A value of another kind stays as it is, for
 * `check` to find.
 *
 * @throws CodecError for broken instants and for nesting over 200.
 */
export const toDomain = (kind: ObjectKind, data: unknown): unknown =>
  data === null ? null : readerOf(kind)(data, 1);

/** Converts a value that is not null. `depth` is its level of nesting, from 1. */
type Reader = (value: unknown, depth: number) => unknown;

const readers = new WeakMap<Kind, Reader>();

/** The reader of a kind, compiled when it is first needed. */
function readerOf(kind: Kind): Reader {
  const known = readers.get(kind);
  if (known !== undefined) return known;
  const reader = compile(kind);
  readers.set(kind, reader);
  return reader;
}

function compile(kind: Kind): Reader {
  switch (kind.kind) {
    case "instant":
    case "timestamp":
      return readInstant;
    case "array":
    case "set":
      return listReader(readerOf(kind.of), kind.kind === "set");
    case "record":
      return recordReader(readerOf(kind.of));
    case "object":
      return objectReader(kind);
    default:
      return readUnknown;
  }
}

function objectReader(kind: ObjectKind): Reader {
  const fields = new Map(Array.from(fieldKinds(kind), ([name, field]) => [name, readerOf(field)]));
  return (value, depth) => {
    if (!isMap(value)) return readUnknown(value, depth);
    for (const key in value) {
      const given = value[key];
      if (given === null) continue;
      const result = (fields.get(key) ?? readUnknown)(given, depth + 1);
      if (result !== given) value[key] = result;
    }
    return value;
  };
}

function recordReader(read: Reader): Reader {
  return (value, depth) => {
    if (!isMap(value)) return readUnknown(value, depth);
    const map = withoutPrototype(value);
    for (const key in map) if (map[key] !== null) map[key] = read(map[key], depth + 1);
    return map;
  };
}

function listReader(read: Reader, unique: boolean): Reader {
  return (value, depth) => {
    if (!Array.isArray(value)) return readUnknown(value, depth);
    for (let at = 0; at < value.length; at++) if (value[at] !== null) value[at] = read(value[at], depth + 1);
    return unique ? dedupe(value) : value;
  };
}

/** A value that the schema does not know, or of another kind: only these can be nested without limit. */
function readUnknown(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  refuseBelow(depth);
  if (value instanceof Tagged) return value; // Its depth was checked when its tags were read.
  const items = Array.isArray(value) ? value : Object.values(withoutPrototype(value));
  for (const item of items) readUnknown(item, depth + 1);
  return value;
}

/** Text, or `{"date": "<ISO>"}`. Text that is not an instant is a wrong value; such a map is an error. */
function readInstant(value: unknown, depth: number): unknown {
  if (typeof value === "string") return canonicalInstant(value) ?? value;
  const { date } = value as { readonly date?: unknown };
  if (typeof date !== "string") return readUnknown(value, depth);
  const text = canonicalInstant(date);
  if (text === undefined) throw notAnInstant(date);
  return text;
}

function withoutPrototype(value: object): DomainMap {
  if (Object.getPrototypeOf(value) !== null) Object.setPrototypeOf(value, null);
  return value as DomainMap;
}
