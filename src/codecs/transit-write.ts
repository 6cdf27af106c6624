import { type InstantKind, type Kind, type ObjectKind, parseInstant, Tagged } from "../schema/index.ts";
import { CodecError, refuseBelow } from "./codec.ts";
import { notAnInstant, wireInstant } from "./instant.ts";
import { type DomainMap, fieldKinds, isNested, plainMap } from "./maps.ts";

/**
 * The documented form of a domain value, verbose transit (docs/design/wire.md, transit), as JSON.stringify takes it.
 *
 * @param depth its level of nesting in the text, from 1
 * @throws CodecError for what transit cannot carry.
 */
export function transitForm(kind: Kind | undefined, value: unknown, depth: number): unknown {
  if (value === null) return null;
  if (kind?.kind === "instant") return instantForm(kind, value);
  if (kind?.kind === "timestamp") return wireInstant(value);
  if (typeof value === "string") return kind?.kind === "keyword" ? keyword(value) : escaped(value);
  if (!isNested(value)) return value;
  refuseBelow(depth);
  if (value instanceof Tagged) return taggedForm(value, depth);
  if (!Array.isArray(value)) return mapForm(kind, plainMap(value), depth);
  if (kind?.kind === "set") return { "~#set": listForm(kind.of, value, depth + 1) };
  return listForm(kind?.kind === "array" ? kind.of : undefined, value, depth);
}

/** As it was read, even a keyword that would otherwise be refused. */
const taggedForm = ({ tag, rep }: Tagged, depth: number): unknown =>
  tag.length === 1 && typeof rep === "string"
    ? `~${tag}${rep}`
    : { [`~#${tag}`]: transitForm(undefined, rep, depth + 1) };

function instantForm(kind: InstantKind, value: unknown): unknown {
  const ms = typeof value === "string" ? parseInstant(value) : Number.NaN;
  if (Number.isNaN(ms)) throw notAnInstant(value);
  return kind.transit === "~t" ? `~t${ms}` : { "~#dt": ms };
}

function listForm(of: Kind | undefined, items: readonly unknown[], depth: number): unknown[] {
  const forms: unknown[] = [];
  for (const item of items) forms.push(transitForm(of, item, depth + 1));
  return forms;
}

function mapForm(kind: Kind | undefined, map: Readonly<DomainMap>, depth: number): DomainMap {
  const fields = kind?.kind === "object" ? fieldKinds(kind) : undefined;
  const of = kind?.kind === "record" ? kind.of : undefined;
  const renamed = kind?.kind === "object" ? renamedKeys(kind, map) : noKeys;
  const occupied = [...renamed.values()];
  // The key of a map that the schema does not know, a file name for example, need not be a keyword.
  const keyOf = (name: string) =>
    (kind === undefined || kind.kind === "unknown") && !isKeyword(name) ? name : keyword(name);
  const form: DomainMap = {};
  for (const key of Object.keys(map))
    if (map[key] !== undefined && !occupied.includes(key))
      form[keyOf(renamed.get(key) ?? key)] = transitForm(fields?.get(key) ?? of, map[key], depth + 1);
  return form;
}

/** The keys of the map that transit writes under another name; another field of that name is left out. */
function renamedKeys(kind: ObjectKind, map: Readonly<DomainMap>): ReadonlyMap<string, string> {
  if (kind.transitKeys === undefined) return noKeys;
  const names = Object.entries(kind.transitKeys);
  return new Map(names.filter(([name]) => Object.hasOwn(map, name) && map[name] !== undefined));
}

const noKeys: ReadonlyMap<string, string> = new Map();

const isKeyword = (name: string) => name !== "" && !name.startsWith(":");

/** `~:` alone names nothing, and a reader takes `~::x` for another id than `:x`. */
function keyword(name: string): string {
  if (!isKeyword(name)) throw new CodecError(`not a keyword: ${JSON.stringify(name.slice(0, 40))}`);
  return `~:${name}`;
}

/** Text that begins like something else in transit. */
const escaped = (text: string) => (/^[~^`]/.test(text) ? `~${text}` : text);
