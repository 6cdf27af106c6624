import { canonicalInstant, isMap, type Kind } from "../schema/index.ts";
import { refuseBelow } from "./codec.ts";
import { dedupe } from "./dedupe.ts";
import { notAnInstant } from "./instant.ts";
import { type DomainMap, fieldKinds } from "./maps.ts";

/**
 * Converts parsed data, in place, to the domain value of its kind: instants to their one form, sets to lists without
 * duplicates, records and values of unknown kind to null-prototype objects. A value of another kind stays as it is, for
 * `check` to find.
 *
 * @param depth its level of nesting, from 1
 * @throws CodecError for broken instants and for nesting over 200.
 */
export function toDomain(kind: Kind | undefined, value: unknown, depth = 1): unknown {
  if (value === null) return null;
  switch (kind?.kind) {
    case "instant":
    case "timestamp":
      return readInstant(value, depth);
    case "array":
    case "set":
      if (!Array.isArray(value)) break;
      for (let at = 0; at < value.length; at++) value[at] = toDomain(kind.of, value[at], depth + 1);
      return kind.kind === "set" ? dedupe(value) : value;
    case "record":
      if (isMap(value)) return convertFields(withoutPrototype(value), () => kind.of, depth);
      break;
    case "object": {
      const kinds = fieldKinds(kind);
      if (isMap(value)) return convertFields(value, (name) => kinds.get(name), depth);
    }
  }
  return readUnknown(value, depth);
}

function convertFields(map: DomainMap, kindOf: (name: string) => Kind | undefined, depth: number): DomainMap {
  for (const key in map) {
    const given = map[key];
    const result = toDomain(kindOf(key), given, depth + 1);
    if (result !== given) map[key] = result;
  }
  return map;
}

/** A value that the schema does not know, or of another kind: only these can be nested without limit. */
function readUnknown(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  refuseBelow(depth);
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
