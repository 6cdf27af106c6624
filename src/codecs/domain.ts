import { canonicalInstant, isMap, type Kind, type ObjectKind, perKind, Tagged } from "../schema/index.ts";
import { type Decoded, refuseBelow } from "./codec.ts";
import { dedupe } from "./dedupe.ts";
import { notAnInstant } from "./instant.ts";
import { type DomainMap, fieldKinds } from "./maps.ts";

/**
 * Converts parsed data, in place, to the domain value of its kind: instants to their one form, sets to lists without
 * duplicates, records and values of unknown kind to null-prototype objects. A value of another kind stays as it is, and
 * the result only says that there is one: `check` then says which.
 *
 * @throws CodecError for broken instants and for nesting over 200.
 */
export function toDomain(kind: ObjectKind, data: unknown): Decoded {
  const found: Findings = { wrong: data === null };
  const value = data === null ? null : readerOf(kind)(data, 1, found);
  return { value, conforms: !found.wrong };
}

/** What the conversion found. */
interface Findings {
  wrong: boolean;
}

/** Converts a value that is not null. `depth` is its level of nesting, from 1. */
type Reader = (value: unknown, depth: number, found: Findings) => unknown;

const readerOf = perKind(compile);

function compile(kind: Kind): Reader {
  switch (kind.kind) {
    case "boolean":
      return (value, depth, found) => (typeof value === "boolean" ? value : other(value, depth, found));
    case "string":
    case "keyword":
      return (value, depth, found) => (typeof value === "string" ? value : other(value, depth, found));
    case "integer":
    case "number":
      return (value, depth, found) => (Number.isFinite(value) ? value : other(value, depth, found));
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
    case "unknown":
      return readUnknown;
  }
}

function objectReader(kind: ObjectKind): Reader {
  const fields = new Map(Array.from(fieldKinds(kind), ([name, field]) => [name, readerOf(field)]));
  return (value, depth, found) => {
    if (!isMap(value)) return other(value, depth, found);
    for (const key in value) {
      const given = value[key];
      if (given === null) continue;
      const result = (fields.get(key) ?? readUnknown)(given, depth + 1, found);
      if (result !== given) value[key] = result;
    }
    return value;
  };
}

function recordReader(read: Reader): Reader {
  return (value, depth, found) => {
    if (!isMap(value)) return other(value, depth, found);
    const map = withoutPrototype(value);
    for (const key in map) if (map[key] !== null) map[key] = read(map[key], depth + 1, found);
    return map;
  };
}

function listReader(read: Reader, unique: boolean): Reader {
  return (value, depth, found) => {
    if (!Array.isArray(value)) return other(value, depth, found);
    for (let at = 0; at < value.length; at++)
      if (value[at] !== null) value[at] = read(value[at], depth + 1, found);
    return unique ? dedupe(value) : value;
  };
}

/** A value of another kind than the schema's. */
function other(value: unknown, depth: number, found: Findings): unknown {
  found.wrong = true;
  return readUnknown(value, depth);
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
function readInstant(value: unknown, depth: number, found: Findings): unknown {
  if (typeof value === "string") return canonicalInstant(value) ?? other(value, depth, found);
  const { date } = value as { readonly date?: unknown };
  if (typeof date !== "string") return other(value, depth, found);
  const text = canonicalInstant(date);
  if (text === undefined) throw notAnInstant(date);
  return text;
}

function withoutPrototype(value: object): DomainMap {
  if (Object.getPrototypeOf(value) !== null) Object.setPrototypeOf(value, null);
  return value as DomainMap;
}
