/** The lines above the rows of a csv file. */
export interface Preamble {
  /** The characters, and the lines, that it takes up. */
  readonly length: number;
  readonly lines: number;
  readonly delimiter?: string | undefined;
  /** What Anki says of the rows; undefined in a file of another program. */
  readonly anki?: AnkiPreamble | undefined;
}

export interface AnkiPreamble {
  readonly html: boolean;
  /** The names of columns, separated as the cells are; "" if they have none. */
  readonly columns: string;
  /** The deck of all cards, and tags that all have. */
  readonly deck: string | undefined;
  readonly tags: string;
  /** The indexes of columns that hold no field, by what they hold. */
  readonly numbers: ReadonlyMap<string, number>;
}

/** A first line that tells programs for tables what separates the cells. */
const separatorLine = /^sep=(.)(?:\r?\n|\r)/i;
/** Anki passes over what it does not know, as over comments. */
const ankiLine =
  /#(?:(separator|html|tags|columns|notetype|deck|if matches|match scope|(?:guid|notetype|deck|tags) column):)?([^\r\n]*)(?:\r?\n|\r|$)/iy;

const separators = new Map([
  ["comma", ","],
  ["semicolon", ";"],
  ["tab", "\t"],
  ["space", " "],
  ["pipe", "|"],
  ["colon", ":"],
]);

export function preambleOf(text: string): Preamble {
  const named = separatorLine.exec(text);
  if (named !== null) return { length: named[0].length, lines: 1, delimiter: named[1] };
  const said = new Map<string, string>();
  ankiLine.lastIndex = 0;
  let [length, lines] = [0, 0];
  for (let line = ankiLine.exec(text); line !== null; line = ankiLine.exec(text)) {
    if (line[1] !== undefined) said.set(line[1].toLowerCase(), line[2] ?? "");
    length = ankiLine.lastIndex;
    lines++;
  }
  if (said.size === 0) return { length: 0, lines: 0 };
  const separator = said.get("separator");
  const delimiter = separators.get(separator?.trim().toLowerCase() ?? "") ?? (separator || undefined);
  const numbers = new Map<string, number>();
  for (const what of ["guid", "notetype", "deck", "tags"]) {
    const number = Number(said.get(`${what} column`));
    if (Number.isInteger(number) && number > 0) numbers.set(what, number - 1);
  }
  return {
    length,
    lines,
    delimiter,
    anki: {
      html: said.get("html")?.trim().toLowerCase() === "true",
      columns: said.get("columns") ?? "",
      deck: said.get("deck")?.trim() || undefined,
      tags: said.get("tags") ?? "",
      numbers,
    },
  };
}
