import { joinSides } from "../../../cards/index.ts";
import { canonicalInstant, isMap, type TemplateCreate } from "../../../schema/index.ts";
import { historyOf } from "../../history.ts";
import type { Skip, Source, SourceCard, SourceTemplate } from "../../model.ts";
import { at } from "../../place.ts";
import { DeckTree } from "../deck-tree.ts";
import { cardOf } from "../documents.ts";
import type { CsvSourceOptions, CsvTemplate } from "./columns.ts";
import { type CsvFile, type CsvRow, fits } from "./rows.ts";
import { fieldOfHeader, foldedColumn, ownColumns, safeColumn, splitTags } from "./sheet.ts";

/** A spreadsheet that an export wrote: it comes back as it went. */
export async function openSheet(file: CsvFile, options: CsvSourceOptions): Promise<Source> {
  const names = file.first;
  const sheet = new Sheet(names);
  const tree = new DeckTree();
  const made = new Map<string, Set<number>>();
  const rows = () => (names.includes(safeColumn) ? withoutApostrophes(file.rows(true)) : file.rows(true));
  for await (const row of rows()) {
    const template = sheet.cell(row, "template");
    if (template === "") continue;
    const columns = made.get(template) ?? new Set();
    made.set(template, columns);
    for (const index of sheet.fieldColumns) if (row.cells[index]) columns.add(index);
  }
  const known = made.size > 0 && options.templates ? await options.templates() : [];
  const templates = new Map<string, { readonly template: CsvTemplate; readonly isNew: boolean }>();
  for (const [name, columns] of made) {
    const named = known.filter((each) => each.name === name);
    const there = known.find((each) => each.id === name) ?? (named.length === 1 ? named[0] : undefined);
    templates.set(name, { template: there ?? sheet.templateOf(name, columns), isNew: there === undefined });
  }
  return {
    format: options.format,
    get decks() {
      return tree.decks;
    },
    templates: [...templates.values()].flatMap(({ template, isNew }) =>
      isNew ? [sourceTemplate(template, options.name)] : [],
    ),
    async *cards(skip): AsyncGenerator<SourceCard> {
      for (const [name, { isNew }] of templates)
        if (isNew)
          skip({
            place: `${options.name}: ${name}`,
            what: "layouts of templates",
            why: "a spreadsheet has none: each field becomes a line",
          });
      for await (const row of rows()) {
        const template = templates.get(sheet.cell(row, "template"));
        if (fits(row, names, options.name, skip))
          yield await sheet.card(row, template, tree, at(options.name, row.line), skip);
      }
    },
    close: async () => {},
  };
}

/** Without the apostrophes that an export for spreadsheets wrote. */
async function* withoutApostrophes(rows: AsyncIterable<CsvRow>): AsyncGenerator<CsvRow> {
  for await (const { cells, line } of rows)
    yield { line, cells: cells.map((cell) => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)) };
}

class Sheet {
  readonly #names: readonly string[];
  readonly #index: ReadonlyMap<string, number>;
  /** The columns that hold fields of templates. */
  readonly fieldColumns: readonly number[];

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#index = new Map(names.map((name, index) => [name, index]));
    this.fieldColumns = names.flatMap((name, index) => (ownColumns.has(name) ? [] : [index]));
  }

  cell({ cells }: CsvRow, name: string): string {
    const index = this.#index.get(name);
    return index === undefined ? "" : (cells[index] ?? "");
  }

  /** A template with a field for each column that its rows fill; the first is its primary field. */
  templateOf(name: string, columns: ReadonlySet<number>): CsvTemplate {
    const sorted = [...columns].sort((a, b) => a - b);
    const fields = sorted.map((column, index) => ({
      id: index === 0 ? "name" : `field${String(index).padStart(4, "0")}`,
      name: fieldOfHeader(this.#names[column] ?? ""),
    }));
    return { id: `template ${name}`, name, fields };
  }

  async card(
    row: CsvRow,
    found: { readonly template: CsvTemplate; readonly isNew: boolean } | undefined,
    tree: DeckTree,
    place: string,
    skip: Skip,
  ): Promise<SourceCard> {
    const get = (name: string) => this.cell(row, name);
    const fields = { ...this.#fields(row, found?.template), ...jsonMap(get("fields"), place, skip) };
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
      ...(found ? { template: found.isNew ? { key: found.template.id } : { id: found.template.id } } : {}),
      reviews: historyOf([], { due: canonicalInstant(get("due")) }),
    };
  }

  #fields(row: CsvRow, template: CsvTemplate | undefined): Record<string, string> {
    const fields: Record<string, string> = {};
    for (const index of template === undefined ? [] : this.fieldColumns) {
      const value = row.cells[index] ?? "";
      const name = fieldOfHeader(this.#names[index] ?? "");
      const named = (each: CsvTemplate["fields"][number]) =>
        foldedColumn(each.name || each.id) === foldedColumn(name);
      const field = template?.fields.find(named) ?? template?.fields.find((each) => each.id === name);
      if (field !== undefined && value !== "") fields[field.id] = value;
    }
    return fields;
  }
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

function sourceTemplate({ id, name, fields }: CsvTemplate, place: string): SourceTemplate {
  const body: TemplateCreate = {
    name,
    content: fields.map((field) => `<< ${field.name} >>`).join("\n\n---\n\n"),
    fields: Object.fromEntries(fields.map((field) => [field.id, field])),
  };
  return { key: id, body, place };
}
