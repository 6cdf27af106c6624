import transit from "transit-js";
import { CodecError, refuseBelow } from "../../src/codecs/codec.ts";
import { wireInstant } from "../../src/codecs/instant.ts";
import { type DomainMap, fieldKinds, isNested, plainMap } from "../../src/codecs/maps.ts";
import {
  type InstantKind,
  type Kind,
  type ObjectKind,
  parseInstant,
  Tagged,
} from "../../src/schema/index.ts";

/** What transit-js itself makes of a domain value: the program's own writer is held against it. */
export function writtenByTransitJs(kind: Kind, value: unknown): string {
  // A writer writes into its options, and is corrupt after it threw: each document gets its own.
  const writer = transit.writer("json-verbose", { handlers: new Map([[Entries, entriesHandler]]) });
  return writer.write(formOf(kind, value, 1));
}

/** The value as the writer is to get it. `depth` is the level of lists and maps that it stands on in the text. */
function formOf(kind: Kind | undefined, value: unknown, depth: number): unknown {
  if (value === null) return null;
  if (kind?.kind === "instant") return instantForm(kind, value);
  if (kind?.kind === "timestamp") return wireInstant(value);
  if (!isNested(value)) return typeof value === "string" && kind?.kind === "keyword" ? keyword(value) : value;
  refuseBelow(depth);
  if (value instanceof Tagged) return taggedForm(value, depth);
  if (!Array.isArray(value)) return mapForm(kind, plainMap(value), depth);
  if (kind?.kind !== "set") return listForm(kind?.kind === "array" ? kind.of : undefined, value, depth);
  // A transit set would hash the items: whoever chose them could make that take forever.
  return transit.tagged("set", listForm(kind.of, value, depth + 1));
}

/** As it was read, were it a keyword that we would not write. */
function taggedForm({ tag, rep }: Tagged, depth: number): unknown {
  return tag === ":" ? transit.keyword(String(rep)) : transit.tagged(tag, formOf(undefined, rep, depth + 1));
}

function instantForm(kind: InstantKind, value: unknown): unknown {
  const ms = parseInstant(wireInstant(value));
  return kind.transit === "~t" ? transit.tagged("t", String(ms)) : transit.tagged("dt", ms);
}

function listForm(of: Kind | undefined, items: readonly unknown[], depth: number): unknown[] {
  return Array.from(items, (item) => formOf(of, item, depth + 1));
}

function mapForm(kind: Kind | undefined, map: Readonly<DomainMap>, depth: number): Entries {
  const fields = kind?.kind === "object" ? fieldKinds(kind) : undefined;
  const of = kind?.kind === "record" ? kind.of : undefined;
  const renamed = kind?.kind === "object" ? renamedKeys(kind, map) : noKeys;
  const taken = [...renamed.values()];
  const asKey = kind === undefined || kind.kind === "unknown" ? keywordOrText : keyword;
  const entries = new Entries();
  for (const key of Object.keys(map)) {
    if (map[key] === undefined || taken.includes(key)) continue;
    entries.add(asKey(renamed.get(key) ?? key), formOf(fields?.get(key) ?? of, map[key], depth + 1));
  }
  return entries;
}

/** The keys of the map that transit writes under another name; that name is then theirs alone. */
function renamedKeys(kind: ObjectKind, map: Readonly<DomainMap>): ReadonlyMap<string, string> {
  if (kind.transitKeys === undefined) return noKeys;
  const names = Object.entries(kind.transitKeys);
  return new Map(names.filter(([name]) => Object.hasOwn(map, name) && map[name] !== undefined));
}

const noKeys: ReadonlyMap<string, string> = new Map();

/** The key of a map that nothing is known of: a file's name, for example, can be what no keyword can. */
const keywordOrText = (name: string) => (isKeyword(name) ? transit.keyword(name) : name);

const isKeyword = (name: string) => name !== "" && !name.startsWith(":");

/** `~:` alone names nothing, and `~::x` is another id than `:x` to whoever reads it (wire.md). */
function keyword(name: string): unknown {
  if (!isKeyword(name)) throw new CodecError(`not a keyword: ${JSON.stringify(name.slice(0, 40))}`);
  return transit.keyword(name);
}

/** A map on its way to the writer, which asks for no more than `forEach`: a transit map would hash every key. */
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
