import { joinSides } from "../../../cards/index.ts";
import { canonicalInstant, isMap } from "../../../schema/index.ts";
import { historyOf } from "../../history.ts";
import type { Skip, Source, SourceCard } from "../../model.ts";
import { at, broken, quoted } from "../../place.ts";
import { DeckTree } from "../deck-tree.ts";
import { cardOf } from "../documents.ts";
import type { CsvSourceOptions, CsvTemplate } from "./columns.ts";
import { type CsvFile, type CsvRow, fits } from "./rows.ts";
import { fieldOfHeader, foldedColumn, ownColumns, safeColumn, splitTags } from "./sheet.ts";

/** A spreadsheet that an export wrote: it comes back as it went. Templates are those of the account. */
export async function openSheet(file: CsvFile, options: CsvSourceOptions): Promise<Source> {
  const names = file.first;
  const sheet = new Sheet(names, options);
  const tree = new DeckTree();
  return {
    format: options.format,
    get decks() {
      return tree.decks;
    },
    templates: [],
    async *cards(skip): AsyncGenerator<SourceCard> {
      const rows = file.rows(true);
      for await (const row of names.includes(safeColumn) ? withoutApostrophes(rows) : rows)
        if (fits(row, names, options.name, skip))
          yield await sheet.card(row, tree, at(options.name, row.line), skip);
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
  readonly #options: CsvSourceOptions;
  readonly #index: ReadonlyMap<string, number>;
  #templates: readonly CsvTemplate[] | undefined;

  constructor(names: readonly string[], options: CsvSourceOptions) {
    this.#names = names;
    this.#options = options;
    this.#index = new Map(names.map((name, index) => [name, index]));
  }

  async card(row: CsvRow, tree: DeckTree, place: string, skip: Skip): Promise<SourceCard> {
    const get = (name: string) => row.cells[this.#index.get(name) ?? -1] ?? "";
    const template = get("template") === "" ? undefined : await this.#template(get("template"), place);
    const fields = { ...this.#fields(row, template), ...jsonMap(get("fields"), place, skip) };
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
      reviews: historyOf([], { due: canonicalInstant(get("due")) }),
    };
  }

  /** @throws UsageError: a spreadsheet does not have the layouts of templates */
  async #template(name: string, place: string): Promise<CsvTemplate> {
    this.#templates ??= (await this.#options.templates?.()) ?? [];
    const named = this.#templates.filter((each) => each.name === name);
    const found =
      this.#templates.find((each) => each.id === name) ?? (named.length === 1 ? named[0] : undefined);
    if (found !== undefined) return found;
    throw broken(
      place,
      `the collection has no template ${quoted(name)}`,
      "Create it first, or import a file that has templates: .ndjson, .mochi or a folder.",
    );
  }

  #fields(row: CsvRow, template: CsvTemplate | undefined): Record<string, string> {
    const fields: Record<string, string> = {};
    for (const [index, header] of template === undefined ? [] : this.#names.entries()) {
      const value = row.cells[index] ?? "";
      const name = fieldOfHeader(header);
      const named = (each: CsvTemplate["fields"][number]) =>
        foldedColumn(each.name || each.id) === foldedColumn(name);
      const field = template?.fields.find(named) ?? template?.fields.find((each) => each.id === name);
      if (field !== undefined && value !== "" && !ownColumns.has(header)) fields[field.id] = value;
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
