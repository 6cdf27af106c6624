import type { TemplateCreate } from "../../../schema/index.ts";
import type { AnkiTemplate, NoteType } from "./collection.ts";
import type { HtmlConverter } from "./html.ts";
import { type FieldSource, furiganaFields, Placeholders } from "./placeholders.ts";

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
    return converted.markdown;
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
  const sides = answer === "" ? [question] : [question, answer];
  const alignment = /\.card\s*\{[^{}]*text-align\s*:\s*(left|center|right)/.exec(noteType.css)?.[1];
  const name = noteType.templates.size > 1 ? `${noteType.name}: ${template.name}` : noteType.name;
  const { fields, dropped } = placeholders;
  return {
    body: {
      name: [...name.trim()].slice(0, 64).join("").trim() || "Untitled",
      content: sides.map((text) => text.replace(/^---$/gm, "\\---")).join("\n---\n"),
      fields: Object.fromEntries(
        fields.map(({ id, name }, index) => [id, { id, name, pos: String(index).padStart(3, "0") }]),
      ),
      ...(alignment === undefined
        ? {}
        : { style: { "text-alignment": alignment as "left" | "center" | "right" } }),
      ...(repeats || begins || answer === "" ? {} : { options: { "show-sides-separately?": true } }),
    },
    fields,
    furigana: furiganaFields(noteType),
    media: [...media],
    dropped,
  };
}
