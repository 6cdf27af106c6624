import { joinSides } from "../../../cards/index.ts";
import { canonicalInstant, isMap, type TemplateCreate } from "../../../schema/index.ts";
import { historyOf } from "../../history.ts";
import type { Skip, Source, SourceCard, SourceTemplate } from "../../model.ts";
import { at } from "../../place.ts";
import { DeckTree } from "../deck-tree.ts";
import { cardOf } from "../documents.ts";
import type { CsvSourceOptions, CsvTemplate } from "./columns.ts";
import { type CsvFile, type CsvRow, fits } from "./rows.ts";
import { fieldOfHeader, foldedColumn, ownColumns, splitTags } from "./sheet.ts";

/** A spreadsheet that an export wrote: it comes back as it went. */
export async function openSheet(file: CsvFile, options: CsvSourceOptions): Promise<Source> {
  const names = file.first;
  const sheet = new Sheet(names, options);
  const tree = new DeckTree();
  return {
    format: options.format,
    decks: tree.decks,
    get templates() {
      return sheet.templates;
    },
    async *cards(skip): AsyncGenerator<SourceCard> {
      for await (const row of file.rows(true))
        if (fits(row, names, options.name, skip))
          yield await sheet.card(row, tree, at(options.name, row.line), skip);
    },
    close: async () => {},
  };
}

class Sheet {
  readonly #names: readonly string[];
  readonly #options: CsvSourceOptions;
  readonly #index: ReadonlyMap<string, number>;
  #known: readonly CsvTemplate[] | undefined;
  /** The fields of templates that the account lacks, by their columns, by the names of the templates. */
  readonly #made = new Map<string, Map<number, CsvField>>();

  constructor(names: readonly string[], options: CsvSourceOptions) {
    this.#names = names;
    this.#options = options;
    this.#index = new Map(names.map((name, index) => [name, index]));
  }

  async card(row: CsvRow, tree: DeckTree, place: string, skip: Skip): Promise<SourceCard> {
    const get = (name: string) => row.cells[this.#index.get(name) ?? -1] ?? "";
    const name = get("template");
    const template = name === "" ? undefined : await this.#template(name);
    const isNew = name !== "" && template === undefined;
    if (isNew && !this.#made.has(name)) {
      this.#made.set(name, new Map());
      skip({ ...layouts, place: `${this.#options.name}: ${name}` });
    }
    const fields = { ...this.#fields(row, template, name), ...jsonMap(get("fields"), place, skip) };
    const [front, back] = [get("front"), get("back")];
    const content = get("content") || (back === "" ? front : joinSides([front, back]));
    const document = {
      content,
      ...(Object.keys(fields).length > 0 ? { fields } : {}),
      "manual-tags": splitTags(get("tags")),
      ...(get("pos") === "" ? {} : { pos: get("pos") }),
      ...(get("archived?") === "true" ? { "archived?": true } : {}),
      ...(get("review-reverse?") === "true" ? { "review-reverse?": true } : {}),
      "trashed?": get("trashed?") || undefined,
      "updated-at": get("updated-at"),
    };
    const deck = get("deck");
    const card = await cardOf(document, get("id") || undefined, { place, skip });
    return {
      ...card,
      ...(deck === "" ? {} : { deck: tree.add(deck, place) }),
      ...(template === undefined ? {} : { template: { id: template.id } }),
      ...(isNew ? { template: { key: name } } : {}),
      reviews: historyOf([], { due: canonicalInstant(get("due")) }),
    };
  }

  /** The templates that the account lacks, with a field for each column that their rows fill. */
  get templates(): SourceTemplate[] {
    return [...this.#made].map(([name, columns]) => {
      const fields = [...columns].sort(([a], [b]) => a - b).map(([, field]) => field);
      const body: TemplateCreate = {
        name,
        content: fields.map((field) => `<< ${field.name} >>`).join("\n\n---\n\n"),
        fields: Object.fromEntries(fields.map((field) => [field.id, field])),
      };
      return { key: name, body, place: this.#options.name };
    });
  }

  async #template(name: string): Promise<CsvTemplate | undefined> {
    this.#known ??= (await this.#options.templates?.()) ?? [];
    const named = this.#known.filter((each) => each.name === name);
    return this.#known.find((each) => each.id === name) ?? (named.length === 1 ? named[0] : undefined);
  }

  /** @param name of the template; "" for none */
  #fields(row: CsvRow, template: CsvTemplate | undefined, name: string): Record<string, string> {
    const fields: Record<string, string> = {};
    for (const [index, header] of name === "" ? [] : this.#names.entries()) {
      const value = row.cells[index] ?? "";
      if (value === "" || ownColumns.has(header)) continue;
      const field = template === undefined ? this.#newField(name, index) : fieldOf(template, header);
      if (field !== undefined) fields[field.id] = value;
    }
    return fields;
  }

  /** The field of a new template that a column is; the first one is its primary field. */
  #newField(template: string, index: number): CsvField | undefined {
    const columns = this.#made.get(template);
    const id = columns?.size === 0 ? "name" : `field${String(index).padStart(4, "0")}`;
    const field = columns?.get(index) ?? { id, name: fieldOfHeader(this.#names[index] ?? "") };
    columns?.set(index, field);
    return field;
  }
}

const layouts = {
  what: "layouts of templates",
  why: "a spreadsheet has none: each field becomes a line",
};

type CsvField = CsvTemplate["fields"][number];

function fieldOf({ fields }: CsvTemplate, header: string): CsvField | undefined {
  const name = fieldOfHeader(header);
  const isNamed = (each: CsvField) => foldedColumn(each.name || each.id) === foldedColumn(name);
  return fields.find(isNamed) ?? fields.find((each) => each.id === name);
}

function jsonMap(text: string, place: string, skip: Skip): Record<string, unknown> {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : {};
  } catch {
    skip({ place, what: "cells", why: "they are not JSON, as an export writes them" });
    return {};
  }
}
