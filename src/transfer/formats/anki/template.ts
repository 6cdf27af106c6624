import type { TemplateCreate } from "../../../schema/index.ts";
import type { AnkiTemplate, NoteType } from "./collection.ts";
import type { HtmlConverter } from "./html.ts";
import type { OcclusionFields } from "./occlusion.ts";
import { type FieldSource, furiganaFields, Placeholders, type TemplateField } from "./placeholders.ts";

/** A card template of a note type as a template of the service. */
export interface ConvertedTemplate {
  readonly body: TemplateCreate;
  readonly fields: readonly { readonly id: string; readonly source: FieldSource }[];
  /** The fields of the note that have readings in brackets. */
  readonly furigana: ReadonlySet<number>;
  /** Media that the template itself shows. */
  readonly media: readonly string[];
  /** What was left out, as plurals. */
  readonly dropped: ReadonlySet<string>;
  /** Whether it stands for cards without a template (see `isPlain`). */
  readonly plain?: boolean;
}

/**
 * Question and answer become two sides. The answer's repetition of the question is left out, since sides stay visible.
 */
export function convertTemplate(
  noteType: NoteType,
  template: AnkiTemplate,
  converter: HtmlConverter,
): ConvertedTemplate {
  const placeholders = new Placeholders(noteType, converter);
  const media = new Set<string>();
  const side = (html: string, isAnswer: boolean) => {
    const converted = converter.convert(placeholders.replace(html, isAnswer));
    for (const name of converted.media) media.add(name);
    for (const what of converted.dropped) placeholders.dropped.add(what);
    return withoutTagBreaks(converted.markdown);
  };
  const question = side(template.question, false);
  const repeats = /\{\{\s*FrontSide\s*\}\}/.test(template.answer);
  const whole = side(
    template.answer
      .replace(/\{\{\s*FrontSide\s*\}\}/g, "")
      .replace(/<hr\b[^<>]*>/gi, (tag) => (/id\s*=\s*["']?answer/i.test(tag) ? "<div></div>" : tag)),
    true,
  );
  // Only whole lines: an answer may well continue the text of the question.
  const begins =
    !repeats &&
    question !== "" &&
    whole.startsWith(question) &&
    /^\s*(?:\n|$)/.test(whole.slice(question.length));
  const answer = (begins ? whole.slice(question.length) : whole).replace(/^(?:\s*-{4,}[ \t]*\n)?\s+/, "");
  const sides = (answer === "" ? [question] : [question, answer]).map(plainHints);
  const { fields, dropped } = placeholders;
  const name = noteType.templates.size > 1 ? `${noteType.name}: ${template.name}` : noteType.name;
  return {
    body: {
      ...templateBody(shortName(name), sides, fields, noteType),
      ...(repeats || begins || answer === "" ? {} : { options: { "show-sides-separately?": true } }),
    },
    fields,
    furigana: furiganaFields(noteType),
    media: [...media],
    dropped,
  };
}

function templateBody(
  name: string,
  sides: readonly string[],
  fields: readonly TemplateField[],
  { css }: NoteType,
): TemplateCreate {
  const alignment = /\.card\s*\{[^{}]*text-align\s*:\s*(left|center|right)/.exec(css)?.[1];
  return {
    name,
    content: sides.map((text) => text.replace(/^---$/gm, "\\---")).join("\n---\n"),
    fields: Object.fromEntries(
      fields.map(({ id, name }, index) => [id, { id, name, pos: String(index).padStart(3, "0") }]),
    ),
    ...(alignment === undefined
      ? {}
      : { style: { "text-alignment": alignment as "left" | "center" | "right" } }),
  };
}

/**
 * The template of image occlusion notes. Anki's own draws the masks with a script; here the field of the masks holds a link
 * to the picture under them.
 */
export function occlusionTemplate(
  noteType: NoteType,
  parts: OcclusionFields,
  converter: HtmlConverter,
): ConvertedTemplate {
  const sortField = parts.front[0] ?? parts.picture;
  const fields = new Placeholders({ ...noteType, sortField }, converter).fields.map((field) =>
    field.source.index === parts.masks ? { ...field, source: { index: -1 } } : field,
  );
  const names = fields.map(({ name }) => name);
  const shown = (indexes: readonly number[]) =>
    indexes
      .map((index) => names[index])
      .map((name) => `<< #${name} >>\n\n<< ${name} >>\n\n<< /${name} >>\n`)
      .join("");
  return {
    body: {
      ...templateBody(
        shortName(noteType.name),
        [
          `${shown(parts.front)}<< ${names[parts.masks]} >>`,
          `<< ${names[parts.picture]} >>\n${shown(parts.back)}`.trim(),
        ],
        fields,
        noteType,
      ),
      options: { "show-sides-separately?": true },
    },
    fields,
    furigana: new Set(),
    media: [],
    dropped: new Set(),
  };
}

const shortName = (name: string): string => [...name.trim()].slice(0, 64).join("").trim() || "Untitled";

/** A tag of a condition that is alone in its paragraph must not leave an empty paragraph. */
const withoutTagBreaks = (markdown: string) =>
  markdown.replace(/(?<!\n)\n{2,}(<< \/[^<>\n]+ >>)/g, "\n$1").replace(/(<< [#^][^<>\n]+ >>)\n{2,}/g, "$1\n");

/** A hint in a condition on its own field needs no other. */
const plainHints = (markdown: string) =>
  markdown.replace(/(<< #([^<>\n]+) >>)\1(<details>.{0,3000}?<\/details><< \/\2 >>)<< \/\2 >>/g, "$1$3");
