import type { Kind, ObjectKind } from "../schema/index.ts";
import { CodecError } from "./codec.ts";

/** A map whose keys are the data's own: without a prototype, so that any key is an ordinary one, `__proto__` too. */
export type DomainMap = Record<string, unknown>;

/**
 * The map to write.
 *
 * @throws CodecError for what only looks like one: dates, native maps, instances of classes.
 */
export function plainMap(value: object): Readonly<DomainMap> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype)
    throw new CodecError(`${value.constructor?.name || "an instance"} cannot be written`);
  return value as DomainMap;
}

/**
 * Whether the value to write is a list or a map; else it is null, a boolean, a number or a string.
 *
 * @throws CodecError for numbers that are not finite, for undefined, and for what is no data.
 */
export function isNested(value: unknown): value is object {
  if (typeof value === "object") return value !== null;
  if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return false;
  throw new CodecError(`${typeof value === "number" ? value : typeof value} cannot be written`);
}

/** The kinds of a map's fields by key, those under the names that transit gives them included. */
export function fieldKinds(kind: ObjectKind): ReadonlyMap<string, Kind> {
  let kinds = tables.get(kind);
  if (kinds === undefined) {
    kinds = fieldTable(kind);
    tables.set(kind, kinds);
  }
  return kinds;
}

// Kinds never change: each table is made once.
const tables = new WeakMap<ObjectKind, ReadonlyMap<string, Kind>>();

function fieldTable(kind: ObjectKind): Map<string, Kind> {
  const table = new Map(Object.entries(kind.fields));
  for (const [name, alias] of Object.entries(kind.transitKeys ?? {})) {
    const field = table.get(name);
    if (field !== undefined && !table.has(alias)) table.set(alias, field);
  }
  return table;
}
