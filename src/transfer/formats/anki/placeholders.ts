import { freeName } from "../../../files/safe-names.ts";
import type { NoteType } from "./collection.ts";
import { escapeText } from "./escape.ts";
import type { HtmlConverter } from "./html.ts";

/** The filters of Anki that become fields with values of their own. */
const filters = ["kanji", "kana", "text"] as const;
type Filter = (typeof filters)[number];

/** The source of the value of a template's field. */
export interface FieldSource {
  /** The index of the note's field. */
  readonly index: number;
  readonly filter?: Filter | undefined;
}

/** A field of a template that is being built. */
interface TemplateField {
  readonly id: string;
  readonly name: string;
  readonly source: FieldSource;
}

const placeholder = /\{\{([^{}]{1,1000})\}\}/g;

interface Placeholder {
  /** `#`, `^` or `/` for the tags of a condition, else "". */
  readonly kind: string;
  readonly filters: readonly string[];
  readonly name: string;
}

function readPlaceholder(inner: string): Placeholder {
  const kind = /^\s*[#^/]/.exec(inner)?.[0].trim() ?? "";
  const filters = (kind === "" ? inner : inner.trim().slice(1)).split(":").map((part) => part.trim());
  return { kind, name: filters.pop() ?? "", filters };
}

const placeholdersOf = (html: string): Placeholder[] =>
  [...html.matchAll(placeholder)].map(([, inner = ""]) => readPlaceholder(inner));

/** The fields that any template of a note type shows by `furigana:`. */
export const furiganaFields = ({ templates, fields }: NoteType): Set<number> =>
  new Set(
    [...templates.values()]
      .flatMap(({ question, answer }) => placeholdersOf(question + answer))
      .filter((each) => each.filters.includes("furigana"))
      .map(({ name }) => fields.indexOf(name)),
  );

/** Replaces the placeholders of a template by those of the card language, and collects its fields. */
export class Placeholders {
  readonly dropped = new Set<string>();
  readonly fields: TemplateField[];
  readonly #noteFields: readonly string[];
  readonly #converter: HtmlConverter;

  constructor(noteType: NoteType, converter: HtmlConverter) {
    this.#noteFields = noteType.fields;
    this.#converter = converter;
    const names = uniqueNames(noteType.fields);
    const ids = idsOf(names, noteType.sortField);
    this.fields = names.map((name, index) => ({ id: ids[index] ?? "", name, source: { index } }));
  }

  replace(source: string, isAnswer: boolean): string {
    const html = source.replace(/<!--[\s\S]*?(?:-->|$)/g, "");
    const found = placeholdersOf(html);
    const rest = html.replace(placeholder, "").replace(/<[^<>]*>|&nbsp;/g, "");
    // A question must not be blank where it is nothing but inputs for the answer.
    const asksOnly =
      !isAnswer &&
      rest.trim() === "" &&
      found.every(({ kind, filters }) => kind !== "" || filters.includes("type"));
    const shown = new Set(
      found.filter(({ kind, filters }) => kind === "" && !filters.includes("type")).map(({ name }) => name),
    );
    return html.replace(placeholder, (_, inner: string) => {
      const each = readPlaceholder(inner);
      const index = this.#noteFields.indexOf(each.name);
      const field = this.fields[index];
      if (each.filters.some((filter) => /^tts(?:-voices)?\b/.test(filter))) this.dropped.add("speech");
      else if (field === undefined) this.dropped.add(`placeholders without a field ({{${each.name}}})`);
      else if (each.kind !== "") return this.#tag(`${each.kind}${field.name}`);
      else if (!each.filters.includes("type")) return this.#value(field, each.filters);
      else {
        this.dropped.add("inputs for the answer");
        // Anki compares what was typed with the field: it is the answer, and never part of the question.
        if (isAnswer && !shown.has(each.name)) return this.#value(field, each.filters);
        if (asksOnly) return this.#converter.keep(`${escapeText(field.name)}: \\_\\_\\_\\_`);
      }
      return "";
    });
  }

  #value(field: TemplateField, given: readonly string[]): string {
    const unknown = given.find((each) => !known.has(each));
    if (unknown !== undefined) this.dropped.add(`filters of add-ons ({{${unknown}:}})`);
    const { name } = this.#filtered(
      field,
      filters.find((each) => given.includes(each)),
    );
    if (!given.includes("hint")) return this.#tag(name);
    const summary = field.name.replace(/[<>&]/g, " ");
    return this.#converter.keep(
      `<< #${name} >><details><summary>${summary}</summary><< ${name} >></details><< /${name} >>`,
    );
  }

  #tag(inner: string): string {
    return this.#converter.keep(`<< ${inner} >>`);
  }

  /** The field with the filtered value of another. */
  #filtered(field: TemplateField, filter: Filter | undefined): TemplateField {
    if (filter === undefined) return field;
    // Other ids have no underscore.
    const id = `${field.id}_${filter}`;
    const before = this.fields.find((each) => each.id === id);
    if (before !== undefined) return before;
    const made = { id, name: `${field.name} (${filter})`, source: { ...field.source, filter } };
    this.fields.push(made);
    return made;
  }
}

const known = new Set<string>([...filters, "furigana", "hint", "type", "cloze", "nc"]);

/** Makes names valid in placeholders, and unique regardless of case. */
export function uniqueNames(fields: readonly string[]): string[] {
  const used = new Set<string>();
  return fields.map((field, index) => {
    const plain =
      field
        .replace(/[<>\r\n]/g, " ")
        .trim()
        .replace(/^[#^/\s]+/, "") || `Field ${index + 1}`;
    const name = freeName(
      plain,
      (each) => used.has(each.toLowerCase()),
      (number) => `${plain} ${number}`,
    );
    used.add(name.toLowerCase());
    return name;
  });
}

/** The sort field becomes the primary field, whose id is `name` (docs/design/cards.md); other ids come from the names. */
function idsOf(names: readonly string[], sortField: number): string[] {
  const used = new Set(["name"]);
  return names.map((name, index) => {
    if (index === sortField) return "name";
    const plain = name
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z\d]+/g)
      ?.join("-");
    const id = freeName(plain ?? `field-${index + 1}`, (each) => used.has(each));
    used.add(id);
    return id;
  });
}
