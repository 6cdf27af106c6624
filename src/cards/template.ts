import type { Card } from "../schema/card.ts";
import type { Template } from "../schema/template.ts";
import { bounds } from "./bounds.ts";
import { splitSides } from "./sides.ts";

/** The field types whose values the app generates; a terminal may have no value to show (docs/design/cards.md). */
const appMade: ReadonlySet<string> = new Set([
  "ai",
  "speech",
  "image",
  "translate",
  "transcription",
  "dictionary",
  "pinyin",
  "furigana",
  "draw",
]);

type TemplateFields = NonNullable<Template["fields"]>;
type CardFields = NonNullable<Card["fields"]>;

interface Field {
  readonly name: string;
  readonly value: string;
  readonly appMade: boolean;
  /** Whether `<< #Field >>` shows what follows it. */
  readonly filled: boolean;
}

/** A filled-in template, split into its sides. */
interface FilledTemplate {
  readonly sides: readonly string[];
  /** Names of app-made fields without a value; the sides still contain them as `<< name >>`. */
  readonly placeholders: readonly string[];
}

const tagPattern = /<<([^<>\r\n]{1,1000})>>/g;
const conditionalPattern = /<<[ \t]*([#^/])([^<>\r\n]{1,1000})>>/g;

/**
 * The content of a template with the values of a card (docs/design/cards.md). A placeholder is a field's name, or its id; one that
 * names no field is kept. Values are put into the sides: placeholders in them are not replaced, and they end no side.
 */
export function fillSides(content: string, fields: TemplateFields, values: CardFields): FilledTemplate {
  const find = finder(fields, values);
  const placeholders = new Set<string>();
  let room: number = bounds.filled;
  const fill = (tag: string, inner: string): string => {
    const name = inner.trim();
    const field = /^[#^/]/.test(name) ? undefined : find(name);
    if (field === undefined) return tag;
    const isNamed = field.value === "" && field.appMade;
    const text = isNamed ? `<< ${field.name} >>` : field.value;
    if (text.length > room) return "…";
    room -= text.length;
    if (isNamed) placeholders.add(field.name);
    return text;
  };
  const sides = splitSides(withConditions(content, find)).map((side) => side.replace(tagPattern, fill));
  return { sides, placeholders: [...placeholders] };
}

/** The names used by placeholders and conditionals of a template that are not names of its fields, without duplicates. */
export function unknownPlaceholders(content: string, fields: TemplateFields): string[] {
  const find = finder(fields, {});
  const names = [...content.matchAll(tagPattern)].map(([, inner = ""]) =>
    inner
      .trim()
      .replace(/^[#^/]/, "")
      .trim(),
  );
  return [...new Set(names.filter((name) => name !== "" && find(name) === undefined))];
}

/** The tag of a conditional. */
interface Tag {
  readonly kind: "if" | "unless" | "end";
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Where the line break begins that is removed with the tag; `end` where there is none. */
  readonly lineEnd: number;
}

const tagKinds: Readonly<Record<string, Tag["kind"]>> = { "#": "if", "^": "unless", "/": "end" };

function tags(content: string): Tag[] {
  const found: Tag[] = [];
  for (const match of content.matchAll(conditionalPattern)) {
    const [whole, sign = "", inner = ""] = match;
    const [kind, name] = [tagKinds[sign], inner.trim()];
    if (kind !== undefined && name !== "")
      found.push({ kind, name, ...ownLine(content, match.index, match.index + whole.length) });
  }
  return found;
}

/** A conditional's tag that is alone on its line is removed with its line, so that no blank line remains. */
function ownLine(content: string, start: number, end: number): Pick<Tag, "start" | "end" | "lineEnd"> {
  let first = start;
  while (content[first - 1] === " " || content[first - 1] === "\t") first--;
  const rest = /^([ \t]*)(\r?\n|$)/.exec(content.slice(end, end + 200));
  const alone = (first === 0 || content[first - 1] === "\n") && rest;
  if (!alone) return { start, end, lineEnd: end };
  return { start: first, end: end + rest[0].length, lineEnd: end + (rest[1] ?? "").length };
}

/** The template with only the conditionals that are shown. */
function withConditions(content: string, find: (name: string) => Field | undefined): string {
  const all = tags(content);
  const ends = matchEnds(all);
  /** For each open conditional whether it and all conditionals around it are shown. */
  const shown: boolean[] = [];
  let [text, at] = ["", 0];
  for (const [index, tag] of all.entries()) {
    if (!ends.has(index)) continue;
    const isShown = shown.at(-1) ?? true;
    if (isShown) text += content.slice(at, tag.start);
    at = tag.end;
    if (tag.kind !== "end") {
      shown.push(isShown && (find(tag.name)?.filled ?? false) === (tag.kind === "if"));
      continue;
    }
    const hidden = shown.pop() === false && (shown.at(-1) ?? true);
    // Text before a hidden conditional must not join the next line, which may be a line of dashes.
    if (hidden && text !== "" && !text.endsWith("\n")) at = tag.lineEnd;
  }
  return text + content.slice(at);
}

/** The conditionals that have both ends, as indexes of both. One without its counterpart is kept as text. */
function matchEnds(all: readonly Tag[]): ReadonlySet<number> {
  const matched = new Set<number>();
  const open: number[] = [];
  const openNames = new Map<string, number>();
  const count = (name: string, by: number) => openNames.set(name, (openNames.get(name) ?? 0) + by);
  for (const [index, tag] of all.entries()) {
    if (tag.kind !== "end") {
      open.push(index);
      count(tag.name, 1);
    }
    if (tag.kind !== "end" || !openNames.get(tag.name)) continue;
    for (let opener = open.pop(); opener !== undefined; opener = open.pop()) {
      const name = all[opener]?.name ?? "";
      count(name, -1);
      if (name !== tag.name) continue;
      matched.add(index).add(opener);
      break;
    }
  }
  return matched;
}

/** Finds a field by its name, by its id, then by its name in a different case. */
function finder(fields: TemplateFields, values: CardFields): (name: string) => Field | undefined {
  const names = new Map<string, Field>();
  const ids = new Map<string, Field>();
  const folded = new Map<string, Field>();
  for (const [id, field] of Object.entries(fields)) {
    const name = field?.name?.trim() || id;
    const given: unknown = Object.hasOwn(values, id) ? values[id]?.value : undefined;
    const value = given === undefined || given === null ? "" : String(given);
    const off = field?.type === "boolean" && value.trim().toLowerCase() === "false";
    const made = {
      name: /[<>\r\n]/.test(name) ? id : name,
      value,
      appMade: appMade.has(field?.type ?? "text"),
      filled: value.trim() !== "" && !off,
    };
    if (!names.has(name)) names.set(name, made);
    ids.set(id, made);
    if (!folded.has(name.toLowerCase())) folded.set(name.toLowerCase(), made);
  }
  return (name) => names.get(name) ?? ids.get(name) ?? folded.get(name.toLowerCase());
}
