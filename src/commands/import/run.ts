import { statSync } from "node:fs";
import { basename } from "node:path";
import { Command, Option } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import type { Template } from "../../schema/index.ts";
import type { CsvTemplate } from "../../transfer/formats/csv/columns.ts";
import type { MatchCounts, Matches } from "../../transfer/import/match.ts";
import type { ImportPlan } from "../../transfer/import/plan.ts";
import type { Scratch } from "../../transfer/import/scratch.ts";
import { cardsWithoutDeck, importFormats, type Source } from "../../transfer/model.ts";
import { deckOrMissing } from "../shared/create-deck.ts";
import { overwriteSentence, planLines, reviewsApartLines, unreadFileLines } from "../shared/import-words.ts";
import { journalBeside } from "../shared/journal.ts";
import { templateFrom } from "../shared/names.ts";
import { carryOut, leftError, leftReporter, reasonOf } from "./carry-out.ts";
import { inputFile } from "./input.ts";
import { delimiter, type ImportOptions, refuseIdleOptions } from "./options.ts";
import { freeJournal, isIdle, type Prepared, prepare, prepareWithoutDeck, updatesOf } from "./prepare.ts";
import { refuseTrash, refuseTrashOfSource } from "./trash.ts";

export function runCommand(start: StartContext): Command {
  return new Command("import")
    .description("Fill the collection from a file or folder. Shows what it will do, and asks.")
    .argument("<file|folder>", "csv, tsv, markdown, .mochi, .apkg, or an export; - is standard input")
    .option("-d, --deck <deck>", "the deck for cards and decks that have none above them (id, name or path)")
    .option("--deck-id <id>", "the same by id, not looked up")
    .addOption(
      new Option("--format <format>", "what it is, if its content does not tell").choices(importFormats),
    )
    .option("--journal <file>", "where to record what was done; next to the input if not given")
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
    .option("--update", "change cards that are there already, and import the new ones")
    .option("--duplicate", "import all cards, also those that are there already")
    .option("--overwrite", "as --update, and replace cards that were changed in the collection, too")
    .addHelpText(
      "after",
      `
The columns of a spreadsheet are found by their names: front or question, back or
answer, tags, deck, picture. A picture is a file beside the spreadsheet; it goes
to the side whose column is before its own.

Examples:
  deckhand import spanish.csv --deck Languages/Spanish \\
    --front word --back meaning
  deckhand import capitals.csv --deck Geography --template Capital --dry-run
  deckhand import collection.apkg --yes
  deckhand import notes/ --deck Notes --create-deck
  deckhand import spanish.csv --deck Languages/Spanish --update`,
    )
    .action((path: string, options: ImportOptions, command: Command) =>
      importCollection(path, options, start(command)),
    );
}

async function importCollection(name: string, options: ImportOptions, context: Context): Promise<void> {
  const [{ openSource }, { Scratch }] = await Promise.all([
    import("../../transfer/formats/open.ts"),
    import("../../transfer/import/scratch.ts"),
  ]);
  const template = await csvTemplate(options, context);
  const input = name === "-" ? await inputFile(context) : undefined;
  const path = input?.path ?? name;
  try {
    const source = await openSource(path, { ...options, template, templates: () => templatesOf(context) });
    const scratch = new Scratch();
    try {
      refuseIdleOptions(options, statSync(path).isDirectory() ? "folder" : source.format);
      await importSourceOf({ path, source, scratch, journal: input?.journal }, options, context);
    } finally {
      scratch.close();
      await source.close();
    }
  } finally {
    await input?.remove();
  }
}

interface OpenInput {
  readonly path: string;
  readonly source: Source;
  readonly scratch: Scratch;
  /** Where the journal is kept of what came on standard input. */
  readonly journal: string | undefined;
}

async function importSourceOf(input: OpenInput, options: ImportOptions, context: Context): Promise<void> {
  const { path, scratch } = input;
  const { planImport } = await import("../../transfer/import/plan.ts");
  const task = (await context.io.status()).begin({ label: "Reading", unit: "items" });
  const read = await planImport(input.source, {
    progress: (cards) => task.set(cards),
    seen: scratch.map(),
    recordsReviews: async () => (await context.client()).service.has("reviews"),
  }).finally(() => task.end());
  const deck = await deckOrMissing(options, context);
  const first = input.journal ?? journalBeside(path, context);
  const journal = options.journal ?? (await freeJournal(first));
  const preparation = { ...input, plan: read, deck: deck?.id, journal, first, ...modeOf(options) };
  const { prepared, deckless } =
    deck === undefined
      ? await prepareWithoutDeck(preparation, context)
      : { prepared: await prepare(preparation, context), deckless: 0 };
  const { source, plan, resumed, matches } = prepared;
  // A run that was stopped may have left its journal open, or what it changed last unrecorded.
  const isEmpty = read.cards + read.decks + read.templates === 0;
  const { overwrite = false } = options;
  const idle = !resumed && !isEmpty && (await isIdle(prepared, overwrite, context));
  const updates = updatesOf(matches.counts, options);
  const lines =
    idle && matches.size === matches.counts.same
      ? [completeSentence(read.cards), ...reviewsApartLines(matches), ...unreadFileLines(read)]
      : planLines(prepared, deck?.label, { updates, overwrite });
  if (plan.cards > 0 && plan.sample !== undefined) {
    const { sampleLine } = await import("./sample.ts");
    lines.push(sampleLine(plan.sample));
  }
  if (deckless > 0) lines.push(`Into the deck ${cardsWithoutDeck}: ${count(deckless, "card")}`);
  lines.push(...(source.notes ?? []));
  if (deck !== undefined && deck.id === undefined) lines.push(`The deck ${deck.label} will be created`);
  if (resumed) lines.push(`Not done again: what an earlier run did (${journal})`);
  if (options.deck !== undefined && deck?.id !== undefined && plan.cards + plan.decks > 0)
    await refuseTrash({ id: deck.id, label: deck.label }, resumed, context);
  await refuseTrashOfSource(prepared, context);
  if (context.options.dryRun) return await showPlan(plan, matches.counts, lines, context);
  for (const line of lines) context.io.note(visible(line));
  if (isEmpty) throw new UsageError(`${basename(path)}: there is nothing to import`);
  if (idle) return await reportIdle(prepared, options, context);
  if (!resumed && matches.size > 0 && !options.update && !options.overwrite)
    await askToUpdate(plan, matches, path, context);
  else await context.io.confirm(questionOf(plan, updates), "nothing was imported");
  if (matches.size > 0 && context.account().kind === "local") await backUpFirst(context);
  // The plan as it was read: whether the source has attachments at all.
  const job = {
    ...prepared,
    plan: read,
    scratch,
    deck,
    journal,
    overwrite,
  };
  await carryOut({ ...job, total: read.cards }, context);
}

async function backUpFirst(context: Context): Promise<void> {
  const { backUpBefore } = await import("../backup/automatic.ts");
  const { placesOf } = await import("../backup/places.ts");
  const path = await backUpBefore("import", placesOf(undefined, context), context);
  if (path !== undefined) context.io.note(`A backup of the collection before the import: ${path}`);
}

const modeOf = (options: ImportOptions) => ({
  duplicate: options.duplicate ?? false,
  update: (options.update ?? false) || (options.overwrite ?? false),
  overwrite: options.overwrite ?? false,
});

function questionOf({ cards }: ImportPlan, updates: number): string {
  if (updates === 0) return cards === 0 ? "Import what is missing?" : `Import ${count(cards, "card")}?`;
  return cards === 0
    ? `Update ${count(updates, "card")}?`
    : `Import ${count(cards, "card")}, and update ${updates}?`;
}

/** Neither an update nor a second copy of each card is a safe guess where the options name neither. */
async function askToUpdate(
  plan: ImportPlan,
  matches: Matches,
  path: string,
  context: Context,
): Promise<void> {
  const { size, counts } = matches;
  const overwrite = overwriteSentence(matches, plan);
  if (context.io.interactive && context.options.yes !== true)
    return context.io.confirm(
      `Import the new cards, and update those that are there and changed?${overwrite === undefined ? "" : ` (${overwrite}.)`}`,
      ["nothing was imported", updateSentence(plan.cards, counts.changed), overwrite ?? ""]
        .filter((part) => part !== "")
        .join("; "),
    );
  throw new DeckhandError(
    "conflict",
    `${basename(path)}: ${count(size, "card")} ${size === 1 ? "is" : "are"} in the collection already`,
    {
      hint: `--update changes those that only the file changed and adds the new ones; ${overwrite === undefined ? "" : `${overwrite}; `}--duplicate imports all of them once more.`,
    },
  );
}

function updateSentence(created: number, changed: number): string {
  const parts = [
    created > 0 ? `imports ${count(created, "new card")}` : "",
    changed > 0 ? `updates ${count(changed, "card")} that changed in the file` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `--update ${parts.join(" and ")}`;
}

/** @throws PartialError where an update was asked for, and cards that differ are left */
async function reportIdle(
  { source, plan, matches }: Prepared,
  { update, overwrite }: ImportOptions,
  context: Context,
): Promise<void> {
  const { same, kept } = matches.counts;
  const left = matches.size - same - kept;
  if (context.print.json) {
    const nothing = {
      decks: 0,
      templates: 0,
      cards: 0,
      attachments: 0,
      reviews: 0,
      "due-dates": 0,
      updated: 0,
    };
    await context.print.value({ ...nothing, unchanged: same, kept, left, failed: 0, before: 0 });
  }
  if (left + kept === 0) return;
  if (left === 0 || (!update && !overwrite)) {
    const overwriting = overwriteSentence(matches, plan)?.replace(" also", "");
    return context.io.note(
      `Nothing to import or update${overwriting === undefined ? "" : `; ${overwriting}`}`,
    );
  }
  const report = await leftReporter(context);
  let number = 0;
  for await (const card of source.cards(() => {})) {
    const match = matches.get(++number);
    if (match !== undefined && match.kind !== "same" && match.kind !== "kept")
      report(card, match.id, reasonOf(match));
  }
  throw leftError(left, overwrite ?? false);
}

const completeSentence = (cards: number) =>
  cards <= 1
    ? `${cards === 0 ? "All of it" : "The card"} is there already; nothing to do.`
    : `All ${cards} cards are there already; nothing to do.`;

/** What a dry run prints: sentences, or one object where JSON is wanted. */
async function showPlan(
  plan: ImportPlan,
  there: MatchCounts,
  lines: readonly string[],
  context: Context,
): Promise<void> {
  if (context.print.json) {
    const { decks, templates, cards, attachments, otherAttachments, reviews, dueDates, skipped } = plan;
    const bytes = plan.attachmentBytes;
    return context.print.value({
      decks,
      templates,
      cards,
      attachments,
      "attachment-bytes": bytes,
      "other-attachments": otherAttachments,
      reviews,
      "due-dates": dueDates,
      skipped,
      there,
    });
  }
  for (const line of lines) await context.io.print(line);
}

async function csvTemplate(options: ImportOptions, context: Context): Promise<CsvTemplate | undefined> {
  const found = await templateFrom(options, context);
  return found?.template === undefined ? undefined : csvTemplateOf(found.template);
}

async function templatesOf(context: Context): Promise<CsvTemplate[]> {
  return (await (await context.client()).templates.all()).map(csvTemplateOf);
}

function csvTemplateOf({ id, name, fields }: Template): CsvTemplate {
  const list = Object.entries(fields ?? {}).map(([key, field]) => ({ id: key, name: field?.name ?? key }));
  return { id, name: name ?? id, fields: list };
}
