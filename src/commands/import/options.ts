import { InvalidArgumentError } from "commander";
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

const [table, text] = [["csv", "tsv"] as const, ["csv", "tsv", "markdown"] as const];

/** Which formats an option says something about. */
const formatsOf: Partial<Record<keyof ImportOptions, readonly [option: string, readonly ImportFormat[]]>> = {
  front: ["--front", table],
  back: ["--back", table],
  tags: ["--tags", table],
  deckColumn: ["--deck-column", table],
  header: ["--header", table],
  quotes: ["--no-quotes", table],
  template: ["--template", table],
  delimiter: ["--delimiter", table],
  encoding: ["--encoding", text],
  separator: ["--separator", ["markdown"]],
};

/** @throws UsageError for options that say nothing about what is imported: they would be ignored */
export function refuseIdleOptions(options: ImportOptions, format: ImportFormat | "folder"): void {
  const given = (Object.keys(formatsOf) as (keyof ImportOptions)[]).filter(
    // `--no-…` are true where they are not given.
    (name) => options[name] !== undefined && (options[name] !== true || name === "header"),
  );
  for (const name of given) {
    const [named, formats] = formatsOf[name] ?? ["", []];
    const option = options[name] === false ? named.replace("--", "--no-").replace("no-no-", "no-") : named;
    if (format === "folder") throw new UsageError(`${option} goes with files only, and this is a folder`);
    if (!formats.includes(format))
      throw new UsageError(`${option} goes with ${formats.join(" and ")} only, and this is ${format}`, {
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
