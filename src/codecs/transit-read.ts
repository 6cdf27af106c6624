import transit from "transit-js";
import { canonicalInstant, instantText } from "../schema/index.ts";
import { CodecError } from "./codec.ts";
import { dedupe } from "./dedupe.ts";
import { notAnInstant } from "./instant.ts";
import type { DomainMap } from "./maps.ts";
import { decimalPattern, prepare, wholeNumber, wholePattern } from "./transit-prepare.ts";

/**
 * Reads verbose and compact transit (docs/design/wire.md, transit) as plain data: keywords and symbols are strings, sets
 * and lists arrays, instants text, maps null-prototype objects.
 */
export function readTransit(parsed: unknown): unknown {
  const tree = prepare(parsed, 1);
  // With a reused reader, the cache codes of a document would refer to strings of the previous one.
  return settled(transit.decoder(reading).decode(tree, transit.readCache()));
}

/** A result of transit-js as plain data. What it returns for broken input without an error is refused. */
function settled(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    if (value === undefined) throw new CodecError("a cache code names nothing");
    return value;
  }
  if (Array.isArray(value) || Object.getPrototypeOf(value) === null) return value;
  if (!transit.isTaggedValue(value)) throw new CodecError("a tag is where a value is expected");
  return settled(contents(value.rep));
}

/** The content of a tag: transit-js leaves the items of a list to the handler. */
const contents = (value: unknown): unknown => (Array.isArray(value) ? value.map(settled) : value);

const mapBuilder = {
  // Object.create(null) would allocate a hash table for every map.
  init: () => Object.setPrototypeOf({}, null) as DomainMap,
  add(map: DomainMap, key: unknown, value: unknown): DomainMap {
    if (typeof key !== "string" && typeof key !== "number") throw new CodecError("a key is no string");
    map[String(key)] = settled(value);
    return map;
  },
  finalize: (map: DomainMap) => map,
};

const arrayBuilder = {
  init: (): unknown[] => [],
  add(list: unknown[], item: unknown): unknown[] {
    list.push(settled(item));
    return list;
  },
  finalize: (list: unknown[]) => list,
};

/** The handler of a tag whose content is read by `read`. */
const tagged = (read: (value: unknown) => unknown) => (value: unknown) => read(contents(value));

function mapOf(entries: readonly unknown[]): DomainMap {
  if (entries.length % 2 === 1) throw new CodecError("a map has a key without a value");
  const map = mapBuilder.init();
  for (let at = 0; at < entries.length; at += 2) mapBuilder.add(map, entries[at], entries[at + 1]);
  return map;
}

const reading = {
  /** The tags that the wire knows. */
  handlers: {
    ":": tagged(text),
    $: tagged(text),
    c: tagged(text),
    r: tagged(text),
    u: tagged(uuid),
    n: (value: unknown) =>
      typeof value === "number" ? value : wholeNumber(matching(wholePattern, value, "n")),
    f: (value: unknown) =>
      typeof value === "number" ? value : decimal(matching(decimalPattern, value, "f")),
    z: tagged(specialDouble),
    m: tagged(instant),
    t: tagged(instant),
    dt: tagged(instant),
    set: tagged((value) => dedupe([...listOf(value, "set")])),
    list: tagged((value) => listOf(value, "list")),
    link: contents,
    cmap: tagged((value) => mapOf(listOf(value, "cmap"))),
    // transit-js looks tags up in a plain object, where `constructor` and the like would be found. It copies this key,
    // which replaces that object's prototype with an empty one. In brackets it is a key and not this table's prototype.
    ["__proto__"]: Object.create(null) as unknown,
  },
  defaultHandler: (_tag: string, value: unknown) => contents(value),
  mapBuilder,
  arrayBuilder,
};

function text(value: unknown): string {
  if (typeof value !== "string") throw new CodecError("a keyword or symbol is no text");
  return value;
}

function matching(pattern: RegExp, value: unknown, type: string): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  throw new CodecError(`not of type ~${type}`);
}

function decimal(digits: string): number | string {
  const number = Number(digits);
  return Number.isFinite(number) ? number : digits;
}

function uuid(value: unknown): string {
  return matching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, value, "u").toLowerCase();
}

function specialDouble(value: unknown): null {
  matching(/^(?:NaN|-?INF)$/, value, "z");
  return null;
}

/** Epoch milliseconds as a number or in digits, or ISO 8601, whatever its tag, and even under a second one. */
function instant(value: unknown): string {
  let found: string | undefined;
  if (typeof value === "number") found = instantText(value);
  else if (typeof value === "string")
    found = wholePattern.test(value) ? instantText(Number(value)) : canonicalInstant(value);
  if (found === undefined) throw notAnInstant(value);
  return found;
}

function listOf(value: unknown, tag: string): unknown[] {
  if (!Array.isArray(value)) throw new CodecError(`~#${tag} holds no list`);
  return value;
}
