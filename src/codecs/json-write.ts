import { type Kind, Tagged } from "../schema/index.ts";
import { refuseBelow } from "./codec.ts";
import { wireInstant } from "./instant.ts";
import { type DomainMap, fieldKinds, isNested, plainMap } from "./maps.ts";

/**
 * The value in the form that JSON.stringify takes, with `{"date": …}` for instants: a copy if something has to change,
 * else the value itself.
 */
export function jsonForm(kind: Kind | undefined, value: unknown, depth: number): unknown {
  if (value === null) return null;
  if (kind?.kind === "instant") return { date: wireInstant(value) };
  if (kind?.kind === "timestamp") return wireInstant(value);
  if (!isNested(value)) return value;
  refuseBelow(depth);
  if (value instanceof Tagged) return jsonForm(undefined, value.plain, depth);
  if (!Array.isArray(value)) return mapForm(kind, plainMap(value), depth);
  return listForm(kind?.kind === "array" || kind?.kind === "set" ? kind.of : undefined, value, depth);
}

function listForm(of: Kind | undefined, items: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const form = jsonForm(of, items[at], depth + 1);
    if (form === items[at]) continue;
    copy ??= items.slice();
    copy[at] = form;
  }
  return copy ?? items;
}

function mapForm(kind: Kind | undefined, map: Readonly<DomainMap>, depth: number): Readonly<DomainMap> {
  const fields = kind?.kind === "object" ? fieldKinds(kind) : undefined;
  const of = kind?.kind === "record" ? kind.of : undefined;
  let copy: DomainMap | undefined;
  for (const key of Object.keys(map)) {
    const given = map[key];
    if (given === undefined) continue; // JSON.stringify leaves it out.
    const form = jsonForm(fields?.get(key) ?? of, given, depth + 1);
    if (form === given) continue;
    copy ??= { ...map }; // Which makes own keys, `__proto__` too.
    copy[key] = form;
  }
  return copy ?? map;
}
