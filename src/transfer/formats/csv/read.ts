import { joinSides } from "../../../cards/index.ts";
import type { Skip, Source, SourceCard } from "../../model.ts";
import { at } from "../../place.ts";
import { DeckTree } from "../deck-tree.ts";
import { ankiColumns, ankiTags, type CellText, htmlCells, splitAnkiDeck } from "./anki-text.ts";
import { type Columns, type CsvSourceOptions, readColumns, reportUnmatched } from "./columns.ts";
import { type CsvRow, csvRows, readPreamble } from "./rows.ts";

/** How the rows of a file become cards. */
interface Reading {
  readonly columns: Columns;
  readonly options: CsvSourceOptions;
  readonly tree: DeckTree;
  readonly text: CellText;
  /** Of each card. */
  tagsOf(row: CsvRow): string[];
  /** The path of the deck of a card; "" for the one that the user names. */
  deckOf(row: CsvRow): string;
}

/** Cards in rows: a side, or a field of a template, in each column. */
export async function openCsv(path: string, given: CsvSourceOptions): Promise<Source> {
  const { anki, delimiter } = await readPreamble(path, given);
  // What Anki writes says itself what its columns are.
  const options = anki === undefined ? given : { ...given, header: false, delimiter };
  const columns = await (anki === undefined ? readColumns(path, options) : ankiColumns(path, options, anki));
  const cell = ({ cells }: CsvRow, index: number | undefined) =>
    index === undefined ? "" : (cells[index] ?? "").trim();
  const reading: Reading = {
    columns,
    options,
    tree: new DeckTree(anki && splitAnkiDeck),
    text: anki?.html ? await htmlCells() : (text) => text,
    tagsOf: (row) =>
      anki ? ankiTags(`${cell(row, columns.tags)} ${anki.tags}`) : splitTags(cell(row, columns.tags)),
    deckOf: (row) => cell(row, columns.deck) || (anki?.deck ?? ""),
  };
  const { tree } = reading;
  if (columns.deck !== undefined || anki?.deck !== undefined)
    for await (const row of rowsOf(path, options)) {
      const name = reading.deckOf(row);
      if (name && fits(row, columns)) tree.add(name, at(options.name, row.line));
    }
  return {
    format: options.format,
    decks: tree.decks,
    templates: [],
    partial: true,
    async *cards(skip) {
      reportUnmatched(columns, { ...options, header: options.header || anki !== undefined }, skip);
      for await (const row of rowsOf(path, options)) {
        const card = cardOf(row, reading, skip);
        if (card !== undefined) yield card;
      }
    },
    close: async () => {},
  };
}

async function* rowsOf(path: string, options: CsvSourceOptions): AsyncGenerator<CsvRow> {
  let first = options.header;
  for await (const row of csvRows(path, options)) {
    if (!first) yield row;
    first = false;
  }
}

/** Cells that are missing at the end of a row are blank; more of them than columns mean that a quote went wrong. */
const fits = (row: CsvRow, columns: Columns) =>
  !row.cells.slice(columns.names.length).some((cell) => cell.trim() !== "");

function cardOf(row: CsvRow, reading: Reading, skip: Skip): SourceCard | undefined {
  const { columns, options, tree } = reading;
  const place = at(options.name, row.line);
  if (!fits(row, columns)) {
    const why = `the row has ${row.cells.length} cells, the first row ${columns.names.length}`;
    skip({ place, what: "rows that do not fit the columns", why });
    return undefined;
  }
  const text = (index: number | undefined) =>
    index === undefined ? "" : reading.text(row.cells[index] ?? "", place, skip);
  const fields: Record<string, { id: string; value: string }> = Object.create(null);
  for (const [index, id] of columns.fields) {
    const value = text(index);
    if (value.trim() !== "") fields[id] = { id, value };
  }
  const sides = [text(columns.front), ...(columns.back === undefined ? [] : [text(columns.back)])];
  const blank = options.template
    ? Object.keys(fields).length === 0
    : sides.every((side) => side.trim() === "");
  if (blank) {
    skip({ place, what: "rows without content", why: "all the columns that make the card are blank" });
    return undefined;
  }
  const tags = reading.tagsOf(row);
  const deck = reading.deckOf(row);
  return {
    ...(deck === "" ? {} : { deck: tree.add(deck, place) }),
    ...(options.template ? { template: { id: options.template.id } } : {}),
    body: {
      content: options.template ? "" : joinSides(sides),
      ...(options.template ? { fields } : {}),
      ...(tags.length > 0 ? { "manual-tags": tags } : {}),
    },
    place,
  };
}

/** Tags in one cell: between commas or semicolons; where there are none, between spaces. */
export function splitTags(text: string): string[] {
  const parts = /[,;]/.test(text) ? text.split(/[,;]/) : text.split(/\s+/);
  return [...new Set(parts.map((tag) => tag.trim().replace(/^#+/, "").trim()).filter((tag) => tag !== ""))];
}
