import { dirname } from "node:path";
import { joinSides } from "../../../cards/index.ts";
import type { Skip, Source, SourceCard } from "../../model.ts";
import { at, quoted } from "../../place.ts";
import { fromAnkiClozes } from "../anki/cloze.ts";
import { FilesBeside } from "../beside.ts";
import { DeckTree } from "../deck-tree.ts";
import {
  ankiColumns,
  ankiTags,
  type CellText,
  htmlCells,
  splitAnkiDeck,
  withoutEmptyExtra,
} from "./anki-text.ts";
import { type Columns, type CsvSourceOptions, readColumns, unmatched } from "./columns.ts";
import { type CsvRow, csvRows, fits, readPreamble, rowsOf } from "./rows.ts";
import { foldedColumn, isSheet, splitTags } from "./sheet.ts";

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
  /** Anki's guid; "" where there is none. */
  keyOf(row: CsvRow): string;
}

/** Cards in rows: a side, or a field of a template, in each column. */
export async function openCsv(path: string, given: CsvSourceOptions): Promise<Source> {
  const { anki, delimiter } = await readPreamble(path, given);
  // What Anki writes says itself what its columns are.
  const header = anki === undefined && (given.header ?? (await hasHeader(path, given)));
  const format = anki === undefined && delimiter === "\t" ? "tsv" : given.format;
  const options = { ...given, format, header, ...(anki === undefined ? {} : { delimiter }) };
  const names = header ? await firstRow(path, options) : [];
  if (isSheet(names) && given.front === undefined && given.template === undefined) {
    const { openSheet } = await import("./read-sheet.ts");
    return openSheet(path, options, names);
  }
  const columns = await (anki === undefined ? readColumns(path, options) : ankiColumns(path, options, anki));
  const cell = ({ cells }: CsvRow, index: number | undefined) =>
    index === undefined ? "" : (cells[index] ?? "").trim();
  const tagCommas = anki === undefined && (await hasTagCommas(path, options, columns));
  const reading: Reading = {
    columns,
    options,
    tree: new DeckTree(anki && splitAnkiDeck),
    text: anki?.html ? await htmlCells() : fromAnkiClozes,
    tagsOf: (row) =>
      anki
        ? ankiTags(`${cell(row, columns.tags)} ${anki.tags}`)
        : splitTags(cell(row, columns.tags), !tagCommas),
    keyOf: (row) => cell(row, anki?.numbers.get("guid")),
    deckOf: (row) => cell(row, columns.deck) || (anki?.deck ?? ""),
  };
  const { tree } = reading;
  const beside = new FilesBeside(dirname(path));
  return {
    format: options.format,
    get decks() {
      return tree.decks;
    },
    templates: [],
    partial: true,
    async *cards(skip) {
      const [others, lost] = [unmatched(columns), new Set<number>()];
      for await (const row of rowsOf(path, options)) {
        const card = cardOf(row, reading, skip);
        for (const index of others) if ((row.cells[index] ?? "").trim() !== "") lost.add(index);
        if (card === undefined) continue;
        yield await withPictures(card, (text) => beside.take(text, "", card.place, skip, "beside"));
      }
      for (const index of lost)
        skip({ ...lostColumns, place: `${options.name}, column ${quoted(columns.names[index] ?? "")}` });
      if (anki?.numbers.has("notetype"))
        skip({ place: options.name, what: "note types", why: "only a package holds their templates" });
    },
    close: async () => {},
  };
}

const sidesOf = ({ front, back }: Columns) => [front, ...(back === undefined ? [] : [back])];

const lostColumns = {
  what: "columns",
  why: "they are no side, field, tags or deck; --front, --back, --tags and --deck-column take a column",
};

/** Whether a cell of tags has a comma: then blanks belong to them. */
async function hasTagCommas(path: string, options: CsvSourceOptions, { tags }: Columns): Promise<boolean> {
  if (tags === undefined) return false;
  for await (const { cells } of rowsOf(path, options)) {
    const text = (cells[tags] ?? "").trim();
    if (/[,;]/.test(text) && !text.startsWith("[")) return true;
  }
  return false;
}

/** Whether the first row names columns: one that is known, or what the user named. */
async function hasHeader(path: string, options: CsvSourceOptions): Promise<boolean> {
  const { front, back, tags, deck, template } = options;
  if ([front, back, tags, deck].some((each) => each !== undefined && !/^\d+$/.test(each))) return true;
  const names = (await firstRow(path, options)).map(foldedColumn);
  if (
    template?.fields.some(({ id, name }) => names.some((each) => each === foldedColumn(name) || each === id))
  )
    return true;
  return names.some((name) => knownColumns.has(name));
}

const knownColumns: ReadonlySet<string> = new Set(
  "front back question answer content tags tag deck id picture image photo audio sound".split(" "),
);

async function firstRow(path: string, options: CsvSourceOptions): Promise<readonly string[]> {
  for await (const { cells } of csvRows(path, options)) return cells.map((cell) => cell.trim());
  return [];
}

/** With the pictures that its sides or its fields embed, if they are beside the file. */
async function withPictures(
  card: SourceCard,
  take: (text: string) => ReturnType<FilesBeside["take"]>,
): Promise<SourceCard> {
  const content = await take(card.body.content);
  const attachments = [...content.attachments];
  const fields: Record<string, { id: string; value: string }> = {};
  for (const [id, { value }] of Object.entries(card.body.fields ?? {})) {
    const taken = await take(value);
    attachments.push(...taken.attachments);
    fields[id] = { id, value: taken.text };
  }
  if (attachments.length === 0) return card;
  const body = { ...card.body, content: content.text, ...(card.body.fields ? { fields } : {}) };
  return { ...card, body, attachments };
}

/** The name of a file in a column of pictures, or what embeds it already. */
function pictureOf(text: string): string {
  const [, source] = /<img[^>]+src=["']?([^"'\s>]+)/i.exec(text) ?? [];
  const [, sound] = /^\[sound:([^\]]+)\]$/.exec(text.trim()) ?? [];
  const name = (source ?? sound ?? text).trim();
  return name === "" || name.startsWith("![") ? name : `![](<${name}>)`;
}

/** A picture belongs to the side whose column is before its own. */
const isOnBack = (index: number, { back }: Columns) => back !== undefined && index > back;

const withPicture = (side: string, picture: string) =>
  picture === "" ? side : side.trim() === "" ? picture : `${side}\n\n${picture}`;

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
    const value = columns.pictures.includes(index) ? pictureOf(text(index)) : text(index);
    if (value.trim() !== "") fields[id] = { id, value };
  }
  const given = sidesOf(columns).map(text);
  const sides = columns.own === undefined ? given : withoutEmptyExtra(given);
  for (const index of columns.pictures) {
    const side = isOnBack(index, columns) ? 1 : 0;
    sides[side] = withPicture(sides[side] ?? "", pictureOf(text(index)));
  }
  const blank = options.template
    ? Object.keys(fields).length === 0
    : sides.every((side) => side.trim() === "");
  if (blank) {
    skip({ place, what: "rows without content", why: "the cells that make up the card are empty" });
    return undefined;
  }
  const tags = reading.tagsOf(row);
  const deck = reading.deckOf(row);
  const key = reading.keyOf(row);
  return {
    ...(key === "" ? {} : { key }),
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
