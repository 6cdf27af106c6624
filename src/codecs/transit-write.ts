import transit from "transit-js";
import { type InstantKind, type Kind, type ObjectKind, parseInstant } from "../schema/index.ts";
import { CodecError, refuseBelow } from "./codec.ts";
import { notAnInstant, wireInstant } from "./instant.ts";
import { type DomainMap, fieldKinds, isNested, plainMap } from "./maps.ts";

/**
 * The documented form of a domain value, as transit-js's verbose writer writes it (docs/design/wire.md, transit).
 *
 * @throws CodecError for what transit cannot carry.
 */
export function writeTransit(kind: ObjectKind, value: unknown): string {
  // A writer changes its options, and is corrupt after it threw: each document gets its own.
  const writer = transit.writer("json-verbose", { handlers: new Map([[Entries, entriesHandler]]) });
  return writer.write(formOf(kind, value, 1));
}

/** The value in the form that the writer takes. `depth` is its level of nesting in the text, from 1. */
function formOf(kind: Kind | undefined, value: unknown, depth: number): unknown {
  if (value === null) return null;
  if (kind?.kind === "instant") return instantForm(kind, value);
  if (kind?.kind === "timestamp") return wireInstant(value);
  if (!isNested(value)) return typeof value === "string" && kind?.kind === "keyword" ? keyword(value) : value;
  refuseBelow(depth);
  if (!Array.isArray(value)) return mapForm(kind, plainMap(value), depth);
  if (kind?.kind !== "set") return listForm(kind?.kind === "array" ? kind.of : undefined, value, depth);
  // A transit set would hash the items, and items can be chosen so that this takes very long.
  return transit.tagged("set", listForm(kind.of, value, depth + 1));
}

function instantForm(kind: InstantKind, value: unknown): unknown {
  const ms = typeof value === "string" ? parseInstant(value) : Number.NaN;
  if (Number.isNaN(ms)) throw notAnInstant(value);
  return kind.transit === "~t" ? transit.tagged("t", String(ms)) : transit.tagged("dt", ms);
}

function listForm(of: Kind | undefined, items: readonly unknown[], depth: number): unknown[] {
  const forms: unknown[] = [];
  for (const item of items) forms.push(formOf(of, item, depth + 1));
  return forms;
}

function mapForm(kind: Kind | undefined, map: Readonly<DomainMap>, depth: number): Entries {
  const fields = kind?.kind === "object" ? fieldKinds(kind) : undefined;
  const of = kind?.kind === "record" ? kind.of : undefined;
  const renamed = kind?.kind === "object" ? renamedKeys(kind, map) : noKeys;
  const occupied = [...renamed.values()];
  const asKey = kind === undefined || kind.kind === "unknown" ? keywordOrText : keyword;
  const entries = new Entries();
  for (const key of Object.keys(map)) {
    if (map[key] === undefined || occupied.includes(key)) continue;
    entries.add(asKey(renamed.get(key) ?? key), formOf(fields?.get(key) ?? of, map[key], depth + 1));
  }
  return entries;
}

/** The keys of the map that transit writes under another name; another field of that name is left out. */
function renamedKeys(kind: ObjectKind, map: Readonly<DomainMap>): ReadonlyMap<string, string> {
  if (kind.transitKeys === undefined) return noKeys;
  const names = Object.entries(kind.transitKeys);
  return new Map(names.filter(([name]) => Object.hasOwn(map, name) && map[name] !== undefined));
}

const noKeys: ReadonlyMap<string, string> = new Map();

/** The key of a map that the schema does not know: a file name, for example, need not be a keyword. */
const keywordOrText = (name: string) => (isKeyword(name) ? transit.keyword(name) : name);

const isKeyword = (name: string) => name !== "" && !name.startsWith(":");

/** `~:` alone names nothing, and a reader takes `~::x` for another id than `:x`. */
function keyword(name: string): unknown {
  if (!isKeyword(name)) throw new CodecError(`not a keyword: ${JSON.stringify(name.slice(0, 40))}`);
  return transit.keyword(name);
}

/** A map as the writer takes it: it needs only `forEach`. A transit map would hash every key. */
class Entries {
  readonly #list: unknown[] = [];

  add(key: unknown, value: unknown): void {
    this.#list.push(key, value);
  }

  forEach(visit: (value: unknown, key: unknown) => void): void {
    for (let at = 0; at < this.#list.length; at += 2) visit(this.#list[at + 1], this.#list[at]);
  }
}

const entriesHandler = transit.makeWriteHandler({
  tag: () => "map",
  rep: (entries) => entries,
  stringRep: () => null,
});
