import type { TemplateCreate } from "../../../schema/index.ts";
import { replaceBetween } from "./between.ts";
import type { AnkiTemplate, NoteType } from "./collection.ts";
import type { HtmlConverter } from "./html.ts";

/** A card template of a note type as a template of the service. */
export interface ConvertedTemplate {
  readonly body: TemplateCreate;
  /** Ids of the fields, in the order of the note type's. */
  readonly fieldIds: readonly string[];
  /** Media that the template itself shows. */
  readonly media: readonly string[];
  /** What was left out, in words. */
  readonly dropped: ReadonlySet<string>;
}

/** What Anki fills in by itself. */
const special = new Set(["Tags", "Type", "Deck", "Subdeck", "Card", "CardFlag", "CardID"]);

/** Question and answer become two sides; the answer's repetition of the question goes, since sides stay visible. */
export function convertTemplate(
  noteType: NoteType,
  template: AnkiTemplate,
  converter: HtmlConverter,
): ConvertedTemplate {
  const names = uniqueNames(noteType.fields);
  const fieldIds = idsOf(names, noteType.sortField);
  const dropped = new Set<string>();
  const media = new Set<string>();
  const side = (html: string) => {
    const converted = converter.convert(withPlaceholders(html, noteType.fields, names, converter, dropped));
    for (const name of converted.media) media.add(name);
    for (const what of converted.dropped) dropped.add(what);
    return unescapedTags(converted.markdown);
  };
  const question = side(template.question);
  const repeats = /\{\{\s*FrontSide\s*\}\}/.test(template.answer);
  const whole = side(
    template.answer
      .replace(/\{\{\s*FrontSide\s*\}\}/g, "")
      .replace(/<hr\b[^<>]*>/gi, (tag) => (/id\s*=\s*["']?answer/i.test(tag) ? "<div></div>" : tag)),
  );
  // Only whole lines: an answer may well go on behind the text of the question.
  const begins =
    !repeats &&
    question !== "" &&
    whole.startsWith(question) &&
    /^\s*(?:\n|$)/.test(whole.slice(question.length));
  const answer = (begins ? whole.slice(question.length) : whole).replace(/^(?:\s*-{4,}[ \t]*\n)?\s+/, "");
  const sides = (answer === "" ? [question] : [question, answer]).map((text) =>
    withoutLoneMarks(text, names[0]),
  );
  const content = sides.map((text) => text.replace(/^---$/gm, "\\---")).join("\n---\n");
  const alignment = /\.card\s*\{[^{}]*text-align\s*:\s*(left|center|right)/.exec(noteType.css)?.[1];
  return {
    body: {
      name: templateName(noteType, template),
      content,
      fields: Object.fromEntries(
        names.map((name, index) => {
          const id = fieldIds[index] ?? "";
          return [id, { id, name, pos: String(index).padStart(3, "0") }];
        }),
      ),
      ...(alignment === undefined
        ? {}
        : { style: { "text-alignment": alignment as "left" | "center" | "right" } }),
      ...(repeats || begins || answer === "" ? {} : { options: { "show-sides-separately?": true } }),
    },
    fieldIds,
    media: [...media],
    dropped,
  };
}

function templateName(noteType: NoteType, template: AnkiTemplate): string {
  const name = noteType.templates.size > 1 ? `${noteType.name}: ${template.name}` : noteType.name;
  return [...name.trim()].slice(0, 64).join("").trim() || "Untitled";
}

/** Puts what stands for a placeholder in the place of each `{{…}}`. */
function withPlaceholders(
  html: string,
  fields: readonly string[],
  names: readonly string[],
  converter: HtmlConverter,
  dropped: Set<string>,
): string {
  return replaceBetween(html, /<!--/g, "-->", () => "", { least: 0 }).replace(
    /\{\{([^{}]{1,1000})\}\}/g,
    (_, inner: string) => {
      const kind = /^\s*[#^/]/.exec(inner)?.[0].trim() ?? "";
      const filters = (kind === "" ? inner : inner.trim().slice(1)).split(":").map((part) => part.trim());
      const field = filters.pop() ?? "";
      if (kind === "" && filters.some((filter) => filter.startsWith("tts"))) {
        dropped.add("speech");
        return "";
      }
      const index = fields.indexOf(field);
      if (index < 0) {
        if (!/^c\d+$/.test(field))
          dropped.add(
            special.has(field) ? `what Anki fills in ({{${field}}})` : `placeholders of unknown fields`,
          );
        return "";
      }
      return converter.keep(`<< ${kind}${names[index]} >>`);
    },
  );
}

/** A conditional alone in its paragraph leaves no paragraph behind when it is not shown. */
const unescapedTags = (markdown: string) =>
  markdown.replace(/(?<!\n)\n{2,}(<< \/[^<>\n]+ >>)/g, "\n$1").replace(/(<< [#^][^<>\n]+ >>)\n{2,}/g, "$1\n");

/** What stands around text: emphasis, struck out, marked, code. */
const marks = "(?<![*~=`])(\\*{1,3}|~~|==|`)";
const sameMarks = "\\1(?![*~=`])";

/** Marks around a conditional and no more than that; what is in it is short, or is left as it is. */
const markedConditional = new RegExp(
  `${marks}(<< [#^]([^<>\\n]+) >>)((?:(?!\\1)[^\\n]){0,1000}?)(<< /\\3 >>)${sameMarks}`,
  "g",
);
const markedOrConditional = new RegExp(
  `${marks}(<< ([^<>\\n]+) >>)${sameMarks}|<< ([#/])([^<>\\n]+) >>`,
  "g",
);

/**
 * Marks of emphasis without a text between them would be text, a rule, or a fence: around a field they are shown only
 * where it has a value, and they never stand around a conditional. The first field of a note always has a value. Around
 * several fields, or beside other marks, they stay as they are.
 */
function withoutLoneMarks(markdown: string, first: string | undefined): string {
  const open = new Set<string>();
  const note = (kind: string | undefined, condition: string) => {
    if (kind === "#") open.add(condition);
    if (kind === "/") open.delete(condition);
  };
  return markdown
    .replace(markedConditional, "$2$1$4$1$5")
    .replace(
      markedOrConditional,
      (found, _, tag: string, name: string | undefined, kind: string | undefined, condition: string) => {
        if (name === undefined) {
          note(kind, condition);
          return found;
        }
        if (/^[#^/]/.test(name)) {
          note(name[0], name.slice(1));
          return tag;
        }
        return name === first || open.has(name) ? found : `<< #${name} >>${found}<< /${name} >>`;
      },
    );
}

/** Names that a placeholder can hold, none of them twice whatever their case. */
function uniqueNames(fields: readonly string[]): string[] {
  const used = new Set<string>();
  return fields.map((field, index) => {
    const plain =
      field
        .replace(/[<>\r\n]/g, " ")
        .trim()
        .replace(/^[#^/\s]+/, "") || `Field ${index + 1}`;
    let name = plain;
    for (let number = 2; used.has(name.toLowerCase()); number++) name = `${plain} ${number}`;
    used.add(name.toLowerCase());
    return name;
  });
}

/** The sort field becomes the primary field, whose id is `name` (cards.md); the others are called after their names. */
function idsOf(names: readonly string[], sortField: number): string[] {
  const used = new Set(["name"]);
  return names.map((name, index) => {
    if (index === sortField) return "name";
    const plain =
      name
        .normalize("NFKD")
        .toLowerCase()
        .replace(/[^a-z\d]+/g, "-")
        .replace(/^-+|-+$/g, "") || `field-${index + 1}`;
    let id = plain;
    for (let number = 2; used.has(id); number++) id = `${plain}-${number}`;
    used.add(id);
    return id;
  });
}
