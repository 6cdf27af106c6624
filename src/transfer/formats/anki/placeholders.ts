import { freeName } from "../../../files/safe-names.ts";
import type { NoteType } from "./collection.ts";
import { escapeText } from "./escape.ts";
import type { HtmlConverter } from "./html.ts";

/** The filters of Anki that become fields with values of their own. */
type Filter = "kanji" | "kana" | "text" | "cloze-only";
const filters: ReadonlySet<string> = new Set<Filter>(["kanji", "kana", "text", "cloze-only"]);

/** The source of the value of a template's field. */
export interface FieldSource {
  /** The index of the note's field; -1 for none. */
  readonly index: number;
  readonly filter?: Filter | undefined;
}

/** A field of a template that is being built. */
export interface TemplateField {
  readonly id: string;
  readonly name: string;
  readonly source: FieldSource;
}

/** The names that Anki fills in. */
const special = new Set(["Tags", "Type", "Deck", "Subdeck", "Card", "CardFlag", "CardID"]);

const placeholder = /\{\{([^{}]{1,1000})\}\}/g;

interface Placeholder {
  /** `#`, `^` or `/` for the tags of a condition, else "". */
  readonly kind: string;
  readonly filters: readonly string[];
  readonly name: string;
}

/** A side of a template. */
interface TemplateSide {
  readonly placeholders: readonly Placeholder[];
  /** Whether it shows nothing but inputs for the answer. */
  readonly asksOnly: boolean;
}

function readPlaceholder(inner: string): Placeholder {
  const kind = /^\s*[#^/]/.exec(inner)?.[0].trim() ?? "";
  const filters = (kind === "" ? inner : inner.trim().slice(1)).split(":").map((part) => part.trim());
  return { kind, name: filters.pop() ?? "", filters };
}

/** The fields that any template of a note type shows by `furigana:`. */
export function furiganaFields({ templates, fields }: NoteType): Set<number> {
  const found = new Set<number>();
  for (const { question, answer } of templates.values())
    for (const [, inner = ""] of `${question}${answer}`.matchAll(placeholder)) {
      const { filters, name } = readPlaceholder(inner);
      if (filters.includes("furigana")) found.add(fields.indexOf(name));
    }
  return found;
}

/** One that does not end hides what follows. */
const withoutComments = (html: string): string =>
  html
    .split("<!--")
    .map((part, index) => (index === 0 ? part : part.replace(/^[\s\S]*?(?:-->|$)/, "")))
    .join("");

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

  replace(html: string, isAnswer: boolean): string {
    const text = withoutComments(html);
    const found = [...text.matchAll(placeholder)].map(([, inner = ""]) => readPlaceholder(inner));
    const rest = text.replace(placeholder, "").replace(/<[^<>]*>|&nbsp;/g, "");
    const isInput = ({ kind, filters }: Placeholder) => kind !== "" || filters.includes("type");
    const side = { placeholders: found, asksOnly: rest.trim() === "" && found.every(isInput) };
    return text.replace(placeholder, (_, inner: string) =>
      this.#replacement(readPlaceholder(inner), isAnswer, side),
    );
  }

  #replacement({ kind, filters, name }: Placeholder, isAnswer: boolean, side: TemplateSide): string {
    const index = this.#noteFields.indexOf(name);
    const field = this.fields[index];
    if (filters.some((filter) => /^tts(?:-voices)?\b/.test(filter))) {
      this.dropped.add("speech");
      return "";
    }
    if (field === undefined) {
      if (special.has(name)) this.dropped.add(`placeholders that Anki fills in ({{${name}}})`);
      else if (/^c\d+$/.test(name)) this.dropped.add("conditions on cloze deletions");
      else this.dropped.add(`placeholders without a field ({{${name}}})`);
      return "";
    }
    if (kind !== "") return this.#tag(`${kind}${field.name}`);
    if (filters.includes("type")) {
      this.dropped.add("inputs for the answer");
      // Anki compares what was typed with the field: it is the answer, and never part of the question.
      const shown = side.placeholders.some(
        (other) => other.name === name && other.kind === "" && !other.filters.includes("type"),
      );
      if (shown) return "";
      // A question must not be blank where it is nothing but the input.
      if (!isAnswer)
        return side.asksOnly ? this.#converter.keep(`${escapeText(field.name)}: \\_\\_\\_\\_`) : "";
    }
    const filter = filters.find((each): each is Filter => isFilter(each));
    const unknown = filters.find((each) => !knownFilters.has(each));
    if (unknown !== undefined) this.dropped.add(`filters of add-ons ({{${unknown}:}})`);
    const shown = filter === undefined ? field.name : this.#filtered(index, filter);
    if (!filters.includes("hint")) return this.#tag(shown);
    const summary = field.name.replace(/[<>&]/g, " ");
    return this.#converter.keep(
      `<< #${shown} >><details><summary>${summary}</summary><< ${shown} >></details><< /${shown} >>`,
    );
  }

  #tag(inner: string): string {
    return this.#converter.keep(`<< ${inner} >>`);
  }

  /** The name of the field with the filtered value of another. */
  #filtered(index: number, filter: Filter): string {
    const known = this.fields.find(({ source }) => source.index === index && source.filter === filter);
    if (known !== undefined) return known.name;
    const names = uniqueNames([
      ...this.fields.map(({ name }) => name),
      `${this.fields[index]?.name} (${filter})`,
    ]);
    const name = names.at(-1) ?? "";
    const id =
      idsOf(
        names,
        this.fields.findIndex(({ id }) => id === "name"),
      ).at(-1) ?? "";
    this.fields.push({ id, name, source: { index, filter } });
    return name;
  }
}

const isFilter = (filter: string): filter is Filter => filters.has(filter);
const knownFilters = new Set([...filters, "furigana", "hint", "type", "cloze", "nc"]);

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
    const plain =
      name
        .normalize("NFKD")
        .toLowerCase()
        .replace(/[^a-z\d]+/g, "-")
        .replace(/^-+|-+$/g, "") || `field-${index + 1}`;
    const id = freeName(plain, (each) => used.has(each));
    used.add(id);
    return id;
  });
}
