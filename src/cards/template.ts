import type { Card } from "../schema/card.ts";
import type { Template } from "../schema/template.ts";
import { bounds } from "./bounds.ts";
import { type Line, sideSpans } from "./sides.ts";

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

/**
 * The content of a template with the values of a card (docs/design/cards.md). A placeholder is a field's name, or its id; one that
 * names no field is kept. Placeholders in a value are not replaced, and a line of a value never ends a side or opens a
 * code fence that includes what follows in the template.
 */
export function fillSides(content: string, fields: TemplateFields, values: CardFields): FilledTemplate {
  const filled = fill(content, fields, values);
  const fromTemplate = lineSource(filled.values);
  const sides = sideSpans(filled.text, fromTemplate).map(({ start, end }) => filled.text.slice(start, end));
  return { sides, placeholders: filled.placeholders };
}

/** The names used by placeholders and conditionals of a template that are not names of its fields, without duplicates. */
export function unknownPlaceholders(content: string, fields: TemplateFields): string[] {
  const find = finder(fields, {});
  return [...new Set(tags(content).flatMap((tag) => (find(tag.name) ? [] : tag.name)))];
}

interface Tag {
  readonly kind: "value" | "if" | "unless" | "end";
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Where the line break begins that is removed with the tag; `end` where there is none. */
  readonly lineEnd: number;
}

const tagPattern = /<<([^<>\r\n]{1,1000})>>/g;
const tagKinds: Readonly<Record<string, Tag["kind"]>> = { "#": "if", "^": "unless", "/": "end" };

function tags(content: string): Tag[] {
  const found: Tag[] = [];
  for (const match of content.matchAll(tagPattern)) {
    const inner = (match[1] ?? "").trim();
    const kind = tagKinds[inner[0] ?? ""] ?? "value";
    const name = kind === "value" ? inner : inner.slice(1).trim();
    const end = match.index + match[0].length;
    const place =
      kind === "value" ? { start: match.index, end, lineEnd: end } : ownLine(content, match.index, end);
    if (name !== "") found.push({ kind, name, ...place });
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

interface Range {
  readonly start: number;
  readonly end: number;
}

function fill(content: string, fields: TemplateFields, values: CardFields) {
  const find = finder(fields, values);
  const output = { text: "", values: [] as Range[], placeholders: new Set<string>() };
  /** For each open conditional whether it and all conditionals around it are shown. */
  const shown: boolean[] = [];
  const all = tags(content);
  const ends = matchEnds(all);
  let at = 0;
  const copy = (to: number) => {
    if (shown.at(-1) ?? true) output.text += content.slice(at, to);
    at = to;
  };
  for (const [index, tag] of all.entries()) {
    if (tag.kind === "value") {
      copy(tag.start);
      const field = find(tag.name);
      if (field) {
        if (shown.at(-1) ?? true) put(output, field);
        at = tag.end;
      }
    } else if (ends.has(index)) {
      copy(tag.start);
      at = tag.end;
      if (tag.kind === "end") {
        const hidden = shown.pop() === false && (shown.at(-1) ?? true);
        // Text before a hidden conditional must not join the next line, which may be a line of dashes.
        if (hidden && output.text !== "" && !output.text.endsWith("\n")) at = tag.lineEnd;
      } else {
        shown.push((shown.at(-1) ?? true) && (find(tag.name)?.filled ?? false) === (tag.kind === "if"));
      }
    }
  }
  copy(content.length);
  return { ...output, placeholders: [...output.placeholders] };
}

function put(output: { text: string; values: Range[]; placeholders: Set<string> }, field: Field): void {
  const room = bounds.filled - output.text.length;
  if (field.value === "" && field.appMade && field.name.length < room) {
    output.placeholders.add(field.name);
    output.text += `<< ${field.name} >>`;
    return;
  }
  const start = output.text.length;
  output.text += field.value.length <= room ? field.value : "…";
  output.values.push({ start, end: output.text.length });
}

/** The conditionals that have both ends, as indexes of both. One without its counterpart is kept as text. */
function matchEnds(all: readonly Tag[]): ReadonlySet<number> {
  const matched = new Set<number>();
  const open: number[] = [];
  const openNames = new Map<string, number>();
  const count = (name: string, by: number) => openNames.set(name, (openNames.get(name) ?? 0) + by);
  for (const [index, tag] of all.entries()) {
    if (tag.kind === "if" || tag.kind === "unless") {
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

/** Whether a line begins in the template, and a line of dashes has nothing of a value in it. Lines come in order. */
function lineSource(values: readonly Range[]): (line: Line) => boolean {
  let next = 0;
  return (line) => {
    while (next < values.length && (values[next]?.end ?? 0) <= line.start) next++;
    const value = values[next];
    if (!value) return true;
    return line.text === "---" ? value.start >= line.end : value.start > line.start;
  };
}
