import type { Kind } from "../schema/index.ts";
import { type Codec, refuseBelow, wrapped } from "./codec.ts";
import { toDomain } from "./domain.ts";
import { wireInstant } from "./instant.ts";
import { type DomainMap, fieldKinds, isNested, plainMap } from "./maps.ts";
import { parseJson } from "./text.ts";

/** JSON (docs/design/wire.md, JSON): keywords are strings, sets arrays, instants `{"date": "<ISO>"}`. */
export const jsonCodec: Codec = {
  name: "json",
  encode: (kind, value) =>
    wrapped("cannot be written as JSON", () => JSON.stringify(jsonForm(kind, value, 1))),
  decode: (kind, text) => toDomain(kind, parseJson(text)),
};

/** A copy of the value in the form that JSON.stringify takes, with `{"date": …}` for instants. */
function jsonForm(kind: Kind | undefined, value: unknown, depth: number): unknown {
  if (value === null) return null;
  if (kind?.kind === "instant") return { date: wireInstant(value) };
  if (kind?.kind === "timestamp") return wireInstant(value);
  if (!isNested(value)) return value;
  refuseBelow(depth);
  const of = kind?.kind === "array" || kind?.kind === "set" || kind?.kind === "record" ? kind.of : undefined;
  if (Array.isArray(value)) return value.map((item) => jsonForm(of, item, depth + 1));
  const fields = kind?.kind === "object" ? fieldKinds(kind) : undefined;
  // Spread makes own keys, `__proto__` too.
  const copy: DomainMap = { ...plainMap(value) };
  // JSON.stringify leaves out what is undefined.
  for (const key of Object.keys(copy))
    if (copy[key] !== undefined) copy[key] = jsonForm(fields?.get(key) ?? of, copy[key], depth + 1);
  return copy;
}
