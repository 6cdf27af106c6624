import { existsSync, statSync } from "node:fs";
import { Command, Option } from "commander";
import type { Context, StartContext } from "../context/context.ts";
import { DeckhandError, PartialError, UsageError } from "../errors.ts";
import { visible } from "../output/index.ts";
import type { CsvTemplate } from "../transfer/formats/csv/columns.ts";
import type { ExistingDeck, ImportPlan } from "../transfer/import/plan.ts";
import { importFormats, type Source } from "../transfer/model.ts";
import { delimiter, type ImportOptions, refuseIdleOptions } from "./shared/import-options.ts";
import { count, planLines, sentenceOf } from "./shared/import-words.ts";
import { accountName, journalBeside } from "./shared/journal.ts";
import { deckFrom, type NamedDeck, templateFrom } from "./shared/names.ts";
import { whileCounting } from "./shared/progress.ts";

export function importCommand(start: StartContext): Command {
  return new Command("import")
    .description("Fill the collection from a file or folder. Shows what it will do, and asks.")
    .argument("<file|folder>", "csv, tsv, markdown, .mochi, .apkg, or an export")
    .option("-d, --deck <deck>", "the deck for cards and decks that have none above them (id, name or path)")
    .option("--deck-id <id>", "the same by id, not looked up")
    .addOption(
      new Option("--format <format>", "what it is, if its content does not tell").choices(importFormats),
    )
    .option("--journal <file>", "where to take down what was done; next to the input if not given")
    .option("--front <column>", "csv: the column of the first side, by name or number")
    .option("--back <column>", "csv: the column of the second side")
    .option("--tags <column>", "csv: the column of the tags")
    .option("--deck-column <column>", "csv: the column of the deck's path")
    .option("--no-header", "csv: the first row is a card already")
    .option("--template <template>", "csv: the template whose fields the columns are (id or name)")
    .option("--delimiter <character>", "csv: what separates the cells", delimiter)
    .option("--no-quotes", "csv: quotes are characters like any other")
    .option("--encoding <name>", "csv, markdown: the encoding, if it is not UTF-8")
    .option("--separator <line>", "markdown file: the line between two cards")
    .addHelpText(
      "after",
      `
Examples:
  deckhand import spanish.csv --deck Languages/Spanish --front word --back meaning
  deckhand import capitals.csv --deck Geography --template Capital --dry-run
  deckhand import collection.apkg --yes
  deckhand import notes/ --deck Notes`,
    )
    .action((path: string, options: ImportOptions, command: Command) =>
      importCollection(path, options, start(command)),
    );
}

export async function importCollection(
  path: string,
  options: ImportOptions,
  context: Context,
): Promise<void> {
  const [{ openSource }, { assertDeck, decksToMake, planImport }] = await Promise.all([
    import("../transfer/formats/open.ts"),
    import("../transfer/import/plan.ts"),
  ]);
  const template = await csvTemplate(options, context);
  const source = await openSource(path, { ...options, template });
  try {
    refuseIdleOptions(options, statSync(path).isDirectory() ? "folder" : source.format);
    const task = (await context.io.status()).begin({ label: "Reading", unit: "items" });
    const read = await planImport(source, (cards) => task.set(cards)).finally(() => task.end());
    const deck = await deckFrom(options, context, { writing: true });
    assertDeck(read, deck?.id);
    const existing = await existingDecks(source, context);
    const decks = decksToMake(source, deck?.id, existing);
    const plan = { ...read, decks: decks.length };
    const journal = options.journal ?? journalBeside(path, context);
    const lines = planLines(plan, decks, source.format, deck?.label);
    const resumed = existsSync(journal);
    if (resumed) lines.push(`Not done again: what an earlier run did (${journal})`);
    if (options.deck !== undefined && deck !== undefined && plan.cards + plan.decks > 0)
      await refuseTrash(deck, resumed, context);
    if (context.options.dryRun) return await showPlan(plan, lines, context);
    for (const line of lines) context.io.note(visible(line));
    if (plan.cards + plan.decks + plan.templates === 0)
      throw new UsageError(`${path}: there is nothing to import`);
    await context.io.confirm(`Import ${count(plan.cards, "card")}?`, "nothing was imported");
    await carryOut(source, plan, { deck: deck?.id, existing, journal }, context);
  } finally {
    await source.close();
  }
}

/** What is new must not vanish in a deck in the trash; where all of it had been imported before, that hinders nothing. */
async function refuseTrash({ id, label }: NamedDeck, resumed: boolean, context: Context): Promise<void> {
  if (!(await (await context.names()).inTrash(id))) return;
  const problem = `the deck ${JSON.stringify(label)} is in the trash: nothing new is put there`;
  if (!resumed)
    throw new UsageError(problem, {
      hint: "Restore it, or the deck above it that is in the trash, with `deckhand decks restore`, or name another deck.",
    });
  context.io.warn(problem);
}

/** What a dry run prints: sentences, or one object where JSON is wanted. */
async function showPlan(plan: ImportPlan, lines: readonly string[], context: Context): Promise<void> {
  if (
    context.print.format === "json" ||
    context.print.format === "ndjson" ||
    context.options.jq !== undefined
  ) {
    const { decks, templates, cards, attachments, reviews, skipped } = plan;
    const bytes = plan.attachmentBytes;
    return context.print.value({
      decks,
      templates,
      cards,
      attachments,
      "attachment-bytes": bytes,
      reviews,
      skipped,
    });
  }
  await context.io.write(lines.map((line) => `${visible(line)}\n`).join(""));
}

async function csvTemplate(options: ImportOptions, context: Context): Promise<CsvTemplate | undefined> {
  const found = await templateFrom(options, context, { writing: true });
  if (found?.template === undefined) return undefined;
  const { id, name, fields } = found.template;
  const list = Object.entries(fields ?? {}).map(([key, field]) => ({ id: key, name: field?.name ?? key }));
  return { id, name: name ?? id, fields: list };
}

interface Destination {
  readonly deck: string | undefined;
  readonly existing: ExistingDeck;
  /** The path of the journal. */
  readonly journal: string;
}

async function carryOut(
  source: Source,
  plan: ImportPlan,
  { deck, existing, journal: path }: Destination,
  context: Context,
): Promise<void> {
  const [{ importSource }, { Journal }, { Ledger }] = await Promise.all([
    import("../transfer/import/run.ts"),
    import("../transfer/import/journal.ts"),
    import("../transfer/import/ledger.ts"),
  ]);
  const client = await context.client();
  const journal = await Journal.open(path, { command: "import", account: accountName(context) });
  const task = (await context.io.status()).begin({
    label: "Importing cards",
    unit: "items",
    total: plan.cards,
  });
  let failures = 0;
  try {
    const summary = await importSource(source, plan, {
      client,
      ledger: new Ledger(journal),
      deck,
      reviews: plan.reviews > 0 && (await (await context.client()).service.has("reviews")),
      attachmentList: plan.attachments > 0 && (await (await context.client()).service.has("attachment-list")),
      existingDeck: existing,
      skip: ({ place, what, why }) => context.io.note(visible(`skipped: ${place}: ${what}: ${why}`)),
      failed: (error) => {
        failures++;
        context.io.report(error);
      },
      progress: (cards) => {
        context.signal.throwIfAborted();
        task.set(cards, plan.cards);
      },
    });
    task.end();
    if (
      context.print.format === "json" ||
      context.print.format === "ndjson" ||
      context.options.jq !== undefined
    )
      await context.print.value({ ...summary, journal: path });
    context.io.say(sentenceOf(summary));
    if (summary.cards === 0 && summary.before > 0 && failures === 0)
      context.io.note(
        `All of it had been imported before. To import it again, give another --journal or remove ${path}`,
      );
  } catch (error) {
    task.end();
    if (context.signal.aborted)
      context.io.note(`Stopped. Run it again to go on: what was done stands in ${path}`);
    if (
      error instanceof DeckhandError &&
      (passing.has(error.code) || (error.hint === undefined && error.code !== "usage"))
    )
      throw new DeckhandError(error.code, error.message, {
        ...error,
        cause: error.cause,
        hint: `${error.code === "validation" ? "Mend that, and run it again" : "Run it again"} to go on: what was done stands in ${path}`,
      });
    throw error;
  } finally {
    task.end();
    journal.close();
    // Decks and templates were made behind its back.
    await forgetNames(context);
  }
  if (failures > 0)
    throw new PartialError(`${count(failures, "item")} failed`, {
      hint: "Run it again to try them once more.",
    });
}

/** What may be over the next time: there running it again is the better advice than what the request says itself. */
const passing: ReadonlySet<string> = new Set([
  "network",
  "timeout",
  "bad-response",
  "server",
  "rate-limited",
]);

/** Finds the decks that are there, where the source can use them. */
async function existingDecks(source: Source, context: Context): Promise<ExistingDeck> {
  if (!source.decks.some((each) => each.reuse)) return () => undefined;
  const names = await context.names();
  const decks = await whileCounting("Reading decks", context, (progress) =>
    names.decks({ maxAge: 0, progress }),
  );
  const ids = new Map(
    decks
      .filter(({ trashed }) => !trashed)
      .map(({ id, name, parent }) => [deckKey(parent ?? undefined, name), id]),
  );
  return (name, parent) => ids.get(deckKey(parent, name));
}

const deckKey = (parent: string | undefined, name: string) =>
  JSON.stringify([parent ?? null, name.normalize("NFC")]);

async function forgetNames(context: Context): Promise<void> {
  if (context.account().kind === "local") return;
  await (await context.names()).decks().catch(() => {});
}
