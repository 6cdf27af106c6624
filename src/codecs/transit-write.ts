import {
  type InstantKind,
  type Kind,
  type ObjectKind,
  parseInstant,
  perKind,
  Tagged,
} from "../schema/index.ts";
import { type Codec, CodecError, refuseBelow, wrapped } from "./codec.ts";
import { notAnInstant, wireInstant } from "./instant.ts";
import { type DomainMap, fieldKinds, isNested, plainMap } from "./maps.ts";

/**
 * The documented form, to the byte what transit-js's verbose writer makes of it (wire.md), which takes four times as
 * long: it builds a tree of the whole document before the first character.
 */
export const encodeTransit: Codec["encode"] = (kind, value) =>
  wrapped("cannot be written as transit", () => writeTransit(kind, value));

function writeTransit(kind: ObjectKind, value: unknown): string {
  const text = writerOf(kind)(value, 1);
  const scalar = !isNested(value) || (value instanceof Tagged && value.tag.length === 1);
  return scalar ? `{"~#'":${text}}` : text;
}

/** The text of a value; `depth` is the level of lists and maps that it stands on. */
type Writer = (value: unknown, depth: number) => string;

const writerOf = perKind(compile);

function compile(kind: Kind): Writer {
  switch (kind.kind) {
    case "instant":
      return instantWriter(kind);
    case "timestamp":
      return (value) => (value === null ? "null" : quoted(wireInstant(value)));
    case "keyword":
      return valueWriter({ text: keyword });
    case "array":
      return valueWriter({ list: listWriter(writerOf(kind.of)) });
    case "set": {
      // A transit set would hash the items: whoever chose them could make that take forever.
      const list = listWriter(writerOf(kind.of));
      return valueWriter({ list: (items, depth) => `{"~#set":${list(items, depth + 1)}}` });
    }
    case "record":
      return valueWriter({ map: mapWriter(keyword, writerOf(kind.of)) });
    case "object":
      return valueWriter({ map: objectWriter(kind) });
    case "unknown":
      return writeUnknown;
    default:
      return valueWriter({});
  }
}

interface Parts {
  readonly text: (text: string) => string;
  readonly list: (items: readonly unknown[], depth: number) => string;
  readonly map: (map: Readonly<DomainMap>, depth: number) => string;
}

/** What is not of its kind is written as it is. */
function valueWriter({
  text = plainText,
  list = listWriter(writeUnknown),
  map = mapWriter(keyword, writeUnknown),
}: Partial<Parts>): Writer {
  return (value, depth) => {
    if (typeof value === "string") return text(value);
    if (!isNested(value)) return String(value);
    refuseBelow(depth);
    if (value instanceof Tagged) return taggedText(value, depth);
    return Array.isArray(value) ? list(value, depth) : map(plainMap(value), depth);
  };
}

/** What nothing is known of. */
function writeUnknown(value: unknown, depth: number): string {
  return unknownWriter(value, depth);
}

function instantWriter({ transit }: InstantKind): Writer {
  return (value) => {
    if (value === null) return "null";
    const ms = typeof value === "string" ? parseInstant(value) : Number.NaN;
    if (Number.isNaN(ms)) throw notAnInstant(value);
    return transit === "~t" ? `"~t${ms}"` : `{"~#dt":${ms}}`;
  };
}

/** As it was read, were it a keyword that we would not write. */
function taggedText({ tag, rep }: Tagged, depth: number): string {
  if (tag === ":") return quoted(`~:${rep}`);
  // These are what text, lists and maps are without a tag.
  if (tag === "s" || tag === "array" || tag === "map") return writeUnknown(rep, depth + 1);
  if (tag.length !== 1) return `{${quoted(`~#${tag}`)}:${writeUnknown(rep, depth + 1)}}`;
  if (typeof rep === "string") return quoted(`~${tag}${rep}`);
  throw new CodecError(`~${tag} stands before what is no text`);
}

function listWriter(write: Writer): Parts["list"] {
  return (items, depth) => {
    let text = "";
    for (let at = 0; at < items.length; at++) {
      if (at > 0) text += ",";
      text += write(items[at], depth + 1);
    }
    return `[${text}]`;
  };
}

function mapWriter(keyText: (name: string) => string, write: Writer): Parts["map"] {
  return (map, depth) => {
    let text = "";
    for (const name of Object.keys(map)) {
      const value = map[name];
      if (value === undefined) continue;
      text += `${text === "" ? "" : ","}${keyText(name)}:${write(value, depth + 1)}`;
    }
    return `{${text}}`;
  };
}

function objectWriter(kind: ObjectKind): Parts["map"] {
  const names = kind.transitKeys ?? {};
  /** A key that transit writes under another name has that name for itself. */
  const owners = new Map(Object.entries(names).map(([name, alias]) => [alias, name]));
  const fields = new Map(
    Array.from(fieldKinds(kind), ([name, field]) => [
      name,
      { before: `,${keyword(names[name] ?? name)}:`, write: writerOf(field), owner: owners.get(name) },
    ]),
  );
  return (map, depth) => {
    let text = "";
    for (const name of Object.keys(map)) {
      const value = map[name];
      if (value === undefined) continue;
      const field = fields.get(name);
      if (field === undefined) text += `,${keyword(name)}:${writeUnknown(value, depth + 1)}`;
      else if (
        field.owner === undefined ||
        !Object.hasOwn(map, field.owner) ||
        map[field.owner] === undefined
      )
        text += field.before + field.write(value, depth + 1);
    }
    return `{${text.slice(1)}}`;
  };
}

/** The key of a map that nothing is known of: a file's name, for example, can be what no keyword can. */
const keywordOrText = (name: string) => (isKeyword(name) ? keyword(name) : quoted(name));

const isKeyword = (name: string) => name !== "" && !name.startsWith(":");

/** `~:` alone names nothing, and `~::x` is another id than `:x` to whoever reads it (wire.md). */
function keyword(name: string): string {
  if (!isKeyword(name)) throw new CodecError(`not a keyword: ${JSON.stringify(name.slice(0, 40))}`);
  return quoted(`~:${name}`);
}

/** What begins as tags, cache codes and the like do is marked as text. */
const plainText = (text: string) => quoted(/^[~^`]/.test(text) ? `~${text}` : text);

/** As JSON.stringify writes it, which takes its time to begin. */
const quoted = (text: string) =>
  /["\\\0-\x1f\ud800-\udfff]/.test(text) ? JSON.stringify(text) : `"${text}"`;

const unknownWriter = valueWriter({ map: mapWriter(keywordOrText, writeUnknown) });
