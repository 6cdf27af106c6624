import type { Skip } from "../../model.ts";
import { isMedia } from "../beside.ts";
import { type Columns, type CsvSourceOptions, Finder } from "./columns.ts";
import type { AnkiPreamble } from "./preamble.ts";
import { csvRows } from "./rows.ts";

/**
 * Notes that Anki wrote as plain text: rows below lines that say what is in them (docs.ankiweb.net, Text Files). The first
 * two columns that hold a field are the sides of a card, unless others are named.
 */
export async function ankiColumns(
  path: string,
  options: CsvSourceOptions,
  { columns, numbers }: AnkiPreamble,
): Promise<Columns> {
  // Notes of other types have other numbers of fields.
  const named = columns === "" ? [] : columns.split(options.delimiter ?? "\t");
  let width = named.length;
  for await (const { cells } of csvRows(path, options)) width = Math.max(width, cells.length);
  const names = Array.from({ length: width }, (_, index) => named[index] ?? String(index + 1));
  const find = new Finder(names, options);
  const fields = options.template === undefined ? new Map<number, string>() : find.fields(options.template);
  const own = new Set(numbers.values());
  const sides = names.map((_, index) => index).filter((index) => !own.has(index));
  const asked = (option: "front" | "back" | "tags" | "deck") => find.column(option, [], own);
  const plain = options.template === undefined && options.front === undefined;
  return {
    names,
    fields,
    pictures: [],
    own,
    front: asked("front") ?? (plain ? sides[0] : undefined),
    back: asked("back") ?? (plain ? sides[1] : undefined),
    tags: asked("tags") ?? numbers.get("tags"),
    deck: asked("deck") ?? numbers.get("deck"),
  };
}

/** Without the empty second field that all notes with deletions have. */
export const withoutEmptyExtra = ([front = "", back = ""]: readonly string[]): string[] =>
  back.trim() === "" && front.includes("{{") ? [front] : [front, back];

/** Anki's tags hold no blanks, but they may hold commas. */
export const ankiTags = (text: string): string[] => [
  ...new Set(text.split(/\s+/).filter((tag) => tag !== "")),
];

export const splitAnkiDeck = (path: string): string[] => path.split("::");

/** What a cell says, as markdown. */
export type CellText = (cell: string, place: string, skip: Skip) => string;

/** Cells that hold HTML, and cloze deletions as Anki writes them. */
export async function htmlCells(): Promise<CellText> {
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
