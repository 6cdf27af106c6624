import type { Kind, ObjectKind } from "../schema/index.ts";
import { CodecError } from "./codec.ts";

/** Refuses what only looks like a map: dates, native maps, instances of classes. */
export function plainMap(value: object): Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype)
    throw new CodecError(`${value.constructor?.name || "an instance"} cannot be written`);
  return value as Record<string, unknown>;
}

/** The kinds of a map's fields by key, those under the names that transit gives them included. */
export function fieldKinds(kind: ObjectKind): ReadonlyMap<string, Kind> {
  let kinds = tables.get(kind);
  if (kinds === undefined) {
    const table = new Map(Object.entries(kind.fields));
    for (const [name, alias] of Object.entries(kind.transitKeys ?? {})) {
      const field = table.get(name);
      if (field !== undefined && !table.has(alias)) table.set(alias, field);
    }
    kinds = table;
    tables.set(kind, kinds);
  }
  return kinds;
}

// Kinds never change: each table is made once.
const tables = new WeakMap<ObjectKind, ReadonlyMap<string, Kind>>();

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CodecError(`not JSON: ${(error as Error).message}`, { cause: error });
  }
}
