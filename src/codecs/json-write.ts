import type { Kind } from "../schema/index.ts";
import { CodecError, refuseBelow } from "./codec.ts";
import { wireInstant } from "./instant.ts";
import { fieldKinds, plainMap } from "./plain.ts";

/** The value as JSON.stringify is to write it: a copy with `{"date": …}` for instants and without undefined keys. */
export function jsonForm(kind: Kind | undefined, value: unknown, depth: number): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (kind?.kind === "instant") {
    refuseBelow(depth);
    return { date: wireInstant(value) };
  }
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
    return Array.from(value, (item) => jsonForm(of, item, depth + 1));
  }
  return jsonMap(kind, plainMap(value), depth);
}

function jsonMap(kind: Kind | undefined, value: Readonly<Record<string, unknown>>, depth: number): unknown {
  const form = Object.create(null) as Record<string, unknown>;
  const fields = kind?.kind === "object" ? fieldKinds(kind) : undefined;
  const of = kind?.kind === "record" ? kind.of : undefined;
  for (const key of Object.keys(value)) {
    const given = value[key];
    if (given === undefined) continue;
    form[key] = jsonForm(fields?.get(key) ?? of, given, depth + 1);
  }
  return form;
}
