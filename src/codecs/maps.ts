import type { Kind, ObjectKind } from "../schema/index.ts";
import { CodecError } from "./codec.ts";

/** A map without a prototype, in which any key is an ordinary one, even `__proto__`. */
export type DomainMap = Record<string, unknown>;

/**
 * The map to write.
 *
 * @throws CodecError for dates, native maps and instances of other classes.
 */
export function plainMap(value: object): Readonly<DomainMap> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype)
    throw new CodecError(`${value.constructor?.name || "an instance"} cannot be written`);
  return value as DomainMap;
}

/**
 * Whether the value is a list or a map, as opposed to null, a boolean, a number or a string.
 *
 * @throws CodecError for numbers that are not finite, undefined, functions, symbols and bigints.
 */
export function isNested(value: unknown): value is object {
  if (typeof value === "object") return value !== null;
  if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return false;
  throw new CodecError(`${typeof value === "number" ? value : typeof value} cannot be written`);
}

/** The kinds of a map's fields by key, including the names that transit uses. */
export function fieldKinds(kind: ObjectKind): ReadonlyMap<string, Kind> {
  let kinds = tables.get(kind);
  if (kinds === undefined) {
    kinds = fieldTable(kind);
    tables.set(kind, kinds);
  }
  return kinds;
}

// Kinds never change, so each table is computed once.
const tables = new WeakMap<ObjectKind, ReadonlyMap<string, Kind>>();

function fieldTable(kind: ObjectKind): Map<string, Kind> {
  const table = new Map(Object.entries(kind.fields));
  for (const [name, alias] of Object.entries(kind.transitKeys ?? {})) {
    const field = table.get(name);
    if (field !== undefined && !table.has(alias)) table.set(alias, field);
  }
  return table;
}
