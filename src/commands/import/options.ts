import { type Command, InvalidArgumentError } from "commander";
import { UsageError } from "../../errors.ts";
import type { ImportFormat } from "../../transfer/model.ts";

export interface ImportOptions {
  readonly deck?: string;
  readonly deckId?: string;
  readonly format?: ImportFormat;
  readonly front?: string;
  readonly back?: string;
  readonly tags?: string;
  readonly deckColumn?: string;
  readonly header?: boolean;
  readonly quotes?: boolean;
  readonly template?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly separator?: string;
  readonly createDeck?: boolean;
  readonly update?: boolean;
  readonly duplicate?: boolean;
  readonly overwrite?: boolean;
  readonly ask?: boolean;
  readonly follow?: boolean;
  readonly maxArchive?: string;
}

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
export function delimiter(value: string): string {
  const character = value === "\\t" ? "\t" : value;
  if ([...character].length === 1 && !/["\r\n]/.test(character)) return character;
  throw new InvalidArgumentError("It must be one character, and no quote; \\t is a tab.");
}
