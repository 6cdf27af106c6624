import { type Command, InvalidArgumentError } from "commander";
import { UsageError } from "../../errors.ts";
import { importFormats } from "../../transfer/model.ts";
import { declare, type OptionsOf, option, wholeNumber } from "../shared/command.ts";

export const declaredImport = () =>
  declare(`Fill the collection from a file or folder. Shows what it does; \`import undo\` takes it back.

The columns of a spreadsheet are found by their names: front or question, back or
answer, tags, deck, picture. A picture is a file beside the spreadsheet; it goes
to the side whose column is before its own.

  deckhand import spanish.csv --deck Languages/Spanish \\
    --front word --back meaning
  deckhand import collection.apkg
  deckhand import notes/ --deck Notes --create-deck
  deckhand import ~/notes --follow`)
    .name("import")
    .argument("<file|folder>", "csv, tsv, markdown, .mochi, .apkg, or an export; - is standard input")
    .option("-d, --deck <deck>", "the deck for cards and decks that have none above them (id, name or path)")
    .option("--deck-id <id>", "the deck by id, not looked up")
    .addOption(option("--format <format>", "what it is, if its content does not tell").choices(importFormats))
    .option("--front <column>", "csv: the column of the first side, by name or number")
    .option("--back <column>", "csv: the column of the second side")
    .option("--tags <column>", "csv: the column of the tags")
    .option("--deck-column <column>", "csv: the column of the deck's path")
    .option("--header", "csv: the first row is column names, even unknown ones")
    .option("--no-header", "csv: the first row is a card already")
    .option("--template <template>", "csv: the template whose fields the columns are (id or name)")
    .option("--delimiter <character>", "csv: what separates the cells", delimiter)
    .option("--no-quotes", "csv: quotes are characters like any other")
    .option("--encoding <name>", "csv, markdown: the encoding, if it is not UTF-8")
    .option("--separator <line>", "markdown file: the line between two cards")
    .option("--create-deck", "create the deck of --deck if it is not there")
    .option("--update", "also change cards that are there and that only the file changed")
    .option("--overwrite", "as --update, and replace cards that differ in the collection, too")
    .option("--duplicate", "import all cards, also those that are there already")
    .option("--ask", "ask before anything is imported")
    .option("--follow", "notes: learn from the files from now on; again: read what changed in them")
    .option("--max-archive <n>", "with --follow: archive so many cards of no file unasked", wholeNumber(0));

export type ImportOptions = Partial<OptionsOf<typeof declaredImport>>;

const table = ["csv", "tsv"];

/** Which formats an option says something about. */
const formatsOf: Partial<Record<keyof ImportOptions, readonly string[]>> = {
  ...{ front: table, back: table, tags: table, deckColumn: table, header: table, quotes: table },
  ...{ template: table, delimiter: table, encoding: [...table, "markdown"], separator: ["markdown"] },
};

/** @throws UsageError for options that say nothing about what is imported: they would be ignored */
export function refuseIdleOptions(command: Command, format: string): void {
  const options = command.opts<ImportOptions>();
  for (const [name, formats] of Object.entries(formatsOf)) {
    if (command.getOptionValueSource(name) !== "cli" || formats.includes(format)) continue;
    const isOff = options[name as keyof ImportOptions] === false;
    const option = command.options.find((each) => each.attributeName() === name && each.negate === isOff);
    if (format === "folder")
      throw new UsageError(`${option?.long} goes with files only, and this is a folder`);
    throw new UsageError(`${option?.long} goes with ${formats.join(" and ")} only, and this is ${format}`, {
      hint: "If it is not, say with --format what it is.",
    });
  }
  const side = options.front === undefined ? options.back && "--back" : "--front";
  if (side !== undefined && options.template !== undefined)
    throw new UsageError(`${side} and a template cannot be combined`, {
      hint: "With a template, columns fill the fields that have their names.",
    });
}

/** What separates the cells of a row: one character, `\t` for a tab. */
function delimiter(value: string): string {
  const character = value === "\\t" ? "\t" : value;
  if ([...character].length === 1 && !/["\r\n]/.test(character)) return character;
  throw new InvalidArgumentError("It must be one character, and no quote; \\t is a tab.");
}
