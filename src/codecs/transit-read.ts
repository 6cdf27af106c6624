import transit from "transit-js";
import { canonicalInstant, instantText, Tagged } from "../schema/index.ts";
import { CodecError } from "./codec.ts";
import { withoutDoubles } from "./doubles.ts";
import { notAnInstant } from "./instant.ts";
import type { DomainMap } from "./maps.ts";
import { decimalPattern, prepare, wholeNumber, wholePattern } from "./transit-prepare.ts";

/**
 * Reads verbose and compact transit (wire.md, transit, reading) into plain data: keywords and symbols are strings, sets
 * and lists arrays, instants text, maps null-prototype objects.
 *
 * @param tags "kept": what has a tag is Tagged instead; numbers, flags and keys of maps are plain all the same.
 */
export function readTransit(parsed: unknown, tags?: "kept"): unknown {
  const tree = prepare(parsed, 1);
  const { settled, ...reading } = tags === "kept" ? keeping : plainly;
  // A used reader would let the next document's cache codes name strings of this one.
  return settled(transit.decoder(reading).decode(tree, transit.readCache()));
}

/** What a tagged value is read as: `plain` is what it is as plain data. */
type Mark = (tag: string, rep: unknown, plain: unknown) => unknown;

const plainly = createReading((_tag, _rep, plain) => plain);
const keeping = createReading((tag, rep, plain) => new Tagged(tag, rep, plain));

function createReading(mark: Mark) {
  /** What transit-js gives, as our data. What it gives for broken input without a word is refused. */
  function settled(value: unknown): unknown {
    if (typeof value !== "object" || value === null) {
      if (value === undefined) throw new CodecError("a cache code names nothing");
      return value;
    }
    if (Array.isArray(value) || value instanceof Tagged || Object.getPrototypeOf(value) === null)
      return value;
    if (!transit.isTaggedValue(value)) throw new CodecError("a tag stands where a value is due");
    const rep = settled(contents(value.rep));
    return mark(value.tag, rep, rep);
  }

  /** What stands behind a tag: transit-js leaves the items of a list to the handler. */
  const contents = (value: unknown): unknown => (Array.isArray(value) ? value.map(settled) : value);

  /** The handler of a tag whose values are read by `read`. */
  const tagged = (tag: string, read: (value: unknown) => unknown) => (value: unknown) => {
    const rep = contents(value);
    return mark(tag, rep, read(rep));
  };

  const mapBuilder = {
    // Not Object.create(null), which makes a hash table of its own for every map.
    init: () => Object.setPrototypeOf({}, null) as DomainMap,
    add(map: DomainMap, given: unknown, value: unknown): DomainMap {
      const key = plainOf(given);
      if (typeof key === "string") map[key] = settled(value);
      else if (typeof key === "number") map[String(key)] = settled(value);
      else throw new CodecError("a key is no string");
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

  function mapOf(entries: readonly unknown[]): DomainMap {
    if (entries.length % 2 === 1) throw new CodecError("a map has a key without a value");
    const map = mapBuilder.init();
    for (let at = 0; at < entries.length; at += 2) mapBuilder.add(map, entries[at], entries[at + 1]);
    return map;
  }

  const handlers = {
    ":": tagged(":", text),
    $: tagged("$", text),
    c: tagged("c", text),
    r: tagged("r", text),
    u: tagged("u", uuid),
    n: (value: unknown) =>
      typeof value === "number" ? value : wholeNumber(matching(wholePattern, value, "n")),
    f: (value: unknown) =>
      typeof value === "number" ? value : decimal(matching(decimalPattern, value, "f")),
    z: tagged("z", specialDouble),
    m: tagged("m", instant),
    t: tagged("t", instant),
    dt: tagged("dt", instant),
    set: tagged("set", (value) => withoutDoubles([...listOf(value, "set")])),
    list: tagged("list", (value) => listOf(value, "list")),
    link: tagged("link", (value) => value),
    cmap: (value: unknown) => mapOf(listOf(contents(value), "cmap")),
    // transit-js looks tags up in a plain object, which would find `constructor` and the like. Assigning this key, as it
    // does, makes that object inherit from an empty one, so that these are unknown tags as any other. The brackets make
    // it a key of this table; without them it would be this table's own prototype.
    ["__proto__"]: Object.create(null) as unknown,
  };

  const defaultHandler = (tag: string, value: unknown) => tagged(tag, (rep) => rep)(value);

  return { settled, handlers, defaultHandler, mapBuilder, arrayBuilder };
}

const plainOf = (value: unknown) => (value instanceof Tagged ? value.plain : value);

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

/** Epoch milliseconds as a number or in digits, or ISO 8601, whatever tag stands before it, and were there another. */
function instant(given: unknown): string {
  const value = plainOf(given);
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
