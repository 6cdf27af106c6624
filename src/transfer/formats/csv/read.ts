import { dirname } from "node:path";
import { joinSides } from "../../../cards/index.ts";
import { UsageError } from "../../../errors.ts";
import type { Skip, Source, SourceCard } from "../../model.ts";
import { at, quoted } from "../../place.ts";
import { fromAnkiClozes } from "../anki/cloze.ts";
import { FilesBeside, isMedia } from "../beside.ts";
import { DeckTree } from "../deck-tree.ts";
import { type Columns, type CsvSourceOptions, columnsOf, unmatched } from "./columns.ts";
import type { AnkiPreamble } from "./preamble.ts";
import { type CsvFile, type CsvRow, fits, openRows } from "./rows.ts";
import { foldedColumn, isSheet, splitTags } from "./sheet.ts";

/** How the rows of a file become cards. */
interface Reading {
  readonly columns: Columns;
  readonly options: CsvSourceOptions;
  readonly tree: DeckTree;
  readonly text: CellText;
  readonly anki: AnkiPreamble | undefined;
  /** Whether blanks belong to tags. */
  readonly tagCommas: boolean;
}

/** Cards in rows: a side, or a field of a template, in each column. */
export async function openCsv(path: string, given: CsvSourceOptions): Promise<Source> {
  const file = await openRows(path, given);
  const { anki, first } = file;
  if (first.length === 0) throw new UsageError(`${given.name}: there is no row in it`);
  // What Anki writes says itself what its columns are.
  const header = anki === undefined && (given.header ?? hasHeader(first, given));
  const format = anki === undefined && file.delimiter === "\t" ? "tsv" : given.format;
  const options = { ...given, format, header };
  if (header && isSheet(first) && given.front === undefined && given.template === undefined) {
    const { openSheet } = await import("./read-sheet.ts");
    return openSheet(file, options);
  }
  const columns = columnsOf(header ? first : await numbered(file), options, anki);
  const tree = new DeckTree(anki && ((path) => path.split("::")));
  const text = anki?.html ? await htmlCells() : fromAnkiClozes;
  const tagCommas = anki === undefined && (await hasTagCommas(file, header, columns));
  const reading: Reading = { columns, options, tree, text, anki, tagCommas };
  const beside = new FilesBeside(dirname(path));
  return {
    format,
    decks: tree.decks,
    templates: [],
    partial: true,
    async *cards(skip) {
      const [others, lost] = [unmatched(columns), new Set<number>()];
      for await (const row of file.rows(header)) {
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

/** The names of columns that a header does not name: their numbers, or those that Anki says. */
async function numbered({ anki, delimiter, first, rows }: CsvFile): Promise<string[]> {
  if (anki === undefined) return first.map((_, index) => String(index + 1));
  const named = anki.columns === "" ? [] : anki.columns.split(delimiter);
  // Notes of other types have other numbers of fields.
  let width = named.length;
  for await (const { cells } of rows(false)) width = Math.max(width, cells.length);
  return Array.from({ length: width }, (_, index) => named[index] ?? String(index + 1));
}

const sidesOf = ({ front, back }: Columns) => [front, ...(back === undefined ? [] : [back])];

const lostColumns = {
  what: "columns",
  why: "they are no side, field, tags or deck; --front, --back, --tags and --deck-column take a column",
};

/** Whether a cell of tags has a comma: then blanks belong to them. */
async function hasTagCommas({ rows }: CsvFile, header: boolean, { tags }: Columns): Promise<boolean> {
  if (tags === undefined) return false;
  for await (const { cells } of rows(header)) {
    const text = (cells[tags] ?? "").trim();
    if (/[,;]/.test(text) && !text.startsWith("[")) return true;
  }
  return false;
}

/** Whether the first row names columns: one that is known, or what the user named. */
function hasHeader(first: readonly string[], options: CsvSourceOptions): boolean {
  const { front, back, tags, deckColumn, template } = options;
  if ([front, back, tags, deckColumn].some((each) => each !== undefined && !/^\d+$/.test(each))) return true;
  const fields = (template?.fields ?? []).flatMap(({ id, name }) => [id, foldedColumn(name)]);
  return first.map(foldedColumn).some((name) => knownColumns.has(name) || fields.includes(name));
}

const knownColumns: ReadonlySet<string> = new Set(
  "front back question answer content tags tag deck id picture image photo audio sound".split(" "),
);

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
  const { columns, options, tree, anki } = reading;
  const place = at(options.name, row.line);
  if (!fits(row, columns.names, options.name, skip)) return undefined;
  const cell = (index: number | undefined) => (index === undefined ? "" : (row.cells[index] ?? "").trim());
  const text = (index: number | undefined) =>
    index === undefined ? "" : reading.text(row.cells[index] ?? "", place, skip);
  const fields: Record<string, { id: string; value: string }> = Object.create(null);
  for (const [index, id] of columns.fields) {
    const value = columns.pictures.includes(index) ? pictureOf(text(index)) : text(index);
    if (value.trim() !== "") fields[id] = { id, value };
  }
  const given = sidesOf(columns).map(text);
  const sides = anki === undefined ? given : withoutEmptyExtra(given);
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
  const tags = anki
    ? ankiTags(`${cell(columns.tags)} ${anki.tags}`)
    : splitTags(cell(columns.tags), !reading.tagCommas);
  const deck = cell(columns.deck) || (anki?.deck ?? "");
  const key = cell(anki?.numbers.get("guid"));
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

/** Without the empty second field that all notes with deletions have. */
const withoutEmptyExtra = ([front = "", back = ""]: readonly string[]): string[] =>
  back.trim() === "" && front.includes("{{") ? [front] : [front, back];

/** Anki's tags hold no blanks, but they may hold commas. */
const ankiTags = (text: string): string[] => [...new Set(text.split(/\s+/).filter((tag) => tag !== ""))];

/** What a cell says, as markdown. */
type CellText = (cell: string, place: string, skip: Skip) => string;

/** Cells that hold HTML, and cloze deletions as Anki writes them. */
async function htmlCells(): Promise<CellText> {
  const [{ HtmlConverter }, { convertClozes }] = await Promise.all([
    import("../anki/html.ts"),
    import("../anki/cloze.ts"),
  ]);
  const converter = new HtmlConverter();
  return (cell, place, skip) => {
    const { markdown, media, dropped } = converter.convert(
      convertClozes(cell, (markdown) => converter.keep(markdown)),
    );
    for (const name of media)
      if (!isMedia(name))
        skip({
          place: `${place}: ${name}`,
          what: "media files",
          why: "they are neither pictures nor sounds",
        });
    for (const what of dropped) skip({ place, what, why: "cards are markdown" });
    return markdown;
  };
}
