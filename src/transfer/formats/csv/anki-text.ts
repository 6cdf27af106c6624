import type { Skip } from "../../model.ts";
import { isMedia } from "../beside.ts";

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
