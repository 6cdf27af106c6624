import type { Kind } from "../schema/index.ts";
import { CodecError, refuseBelow } from "./codec.ts";
import { wireInstant } from "./instant.ts";

/** The value as JSON.stringify is to write it: a copy with `{"date": …}` for instants and without undefined keys. */
export function jsonForm(kind: Kind | undefined, value: unknown, depth: number): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (kind?.kind === "instant") return { date: wireInstant(value) };
  if (kind?.kind === "timestamp") return wireInstant(value);
  if (typeof value === "string") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new CodecError(`${value} cannot be written`);
    return value;
  }
  if (typeof value !== "object") throw new CodecError(`${typeof value} cannot be written`);
  refuseBelow(depth);
  if (Array.isArray(value)) {
    const of = kind?.kind === "array" || kind?.kind === "set" ? kind.of : undefined;
    return value.map((item) => jsonForm(of, item, depth + 1));
  }
  return jsonMap(kind, plainMap(value), depth);
}

function jsonMap(kind: Kind | undefined, value: Readonly<Record<string, unknown>>, depth: number): unknown {
  const form = Object.create(null) as Record<string, unknown>;
  const fields = kind?.kind === "object" ? kind.fields : undefined;
  const of = kind?.kind === "record" ? kind.of : undefined;
  for (const key of Object.keys(value)) {
    const given = value[key];
    if (given === undefined) continue;
    const field = fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : of;
    form[key] = jsonForm(field, given, depth + 1);
  }
  return form;
}

/** Refuses what only looks like a map: dates, native maps, instances of classes. */
export function plainMap(value: object): Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype)
    throw new CodecError(`${value.constructor?.name || "an instance"} cannot be written`);
  return value as Record<string, unknown>;
}
