import { apply, type Outcome, type Task } from "../../client/apply/index.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, PartialError, UsageError } from "../../errors.ts";
import { jsonText } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import { boolean, integer, keyword, unknown } from "../../schema/index.ts";
import { listingOf } from "../../schema/resources.ts";
import { jsonValues } from "../../transfer/formats/json-values.ts";
import { placed } from "../../transfer/place.ts";
import { openRecord } from "./account.ts";
import { type BulkItem, BulkRecord, bulkItem, type Pieces, type Row } from "./bulk-record.ts";
import { defined } from "./command.ts";
import { type EachOptions, printerOfChanges, Tally, writeChanges } from "./items.ts";
import { textPieces } from "./text.ts";

interface BulkOptions extends EachOptions {
  readonly from?: string | undefined;
  readonly deckId?: string | undefined;
}

const results = listingOf("results", {
  line: integer({ about: "The line of the input." }),
  id: keyword({ about: "What was created." }),
  "before?": boolean({ about: "Whether an earlier run did it." }),
  error: unknown({ about: "Why it was not done." }),
});

/**
 * Creates a card of every document of a file, in order; what came of each is printed as a line of JSON with the line of the
 * input (docs/import-export.md). A run that was stopped goes on with the same command.
 */
export async function runBulk(options: BulkOptions, context: Context): Promise<void> {
  const run = bulkResults(options, context);
  const { dryRun, jq } = context.options;
  if (dryRun || context.print.format !== undefined || jq !== undefined)
    return writeChanges(context, results, run, true);
  const whileRead = printerOfChanges();
  for await (const line of run)
    if (context.io.stdout.isTTY !== true) await whileRead(() => context.io.write(`${jsonText(line)}\n`));
}

async function* bulkResults(
  options: BulkOptions,
  context: Context,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const { io, signal } = context;
  const { dryRun } = context.options;
  const path = options.from ?? "-";
  const given: Pieces = textPieces(path, context);
  const record = dryRun ? undefined : new BulkRecord(await openRecord(context), await context.client());
  const tally = new Tally();
  let before = 0;
  const progress = (await io.status()).begin({ label: "Creating cards", unit: "items" });
  try {
    const items = itemsOf((await record?.begin(path, given)) ?? given, options, context);
    for await (const { item, outcome } of applied(items, options, record, context)) {
      progress.advance();
      if (outcome.state === "done") {
        tally.done += 1;
        if (outcome.before) before += 1;
      } else {
        io.report(placed(outcome.error, item.name));
        tally.fail(outcome.error, options);
      }
      if (!dryRun || outcome.state === "refused") yield resultLine(item, outcome);
      tally.stopped = outcome.state === "refused" && options.failFast === true;
      if (tally.stopped) break;
    }
    if (tally.failed === 0) record?.finish();
  } catch (error) {
    // Exit 2 would say that nothing was sent.
    if (!(error instanceof UsageError) || tally.done === 0 || dryRun) throw error;
    io.report(error);
    const done = `${count(tally.done, "card")} ${tally.done === 1 ? "was" : "were"} created`;
    throw new PartialError(`the rest of the input was not read; ${done} before that`, {
      hint: "Mend that line. A file goes on there with the same command; from standard input, remove what is done.",
    });
  } finally {
    progress.end();
    record?.close();
    if (record !== undefined && signal.aborted) io.note("Stopped. Run the same command again to continue.");
  }
  const already = before === 0 ? "" : `; ${before} were done before`;
  if (tally.done > 0) io.say(`Created ${count(tally.done - before, "card")}${already}`);
  const goesOn = "The next run of the same command finds out, and continues.";
  tally.throwIfAny(undefined, tally.uncertain === 0 ? undefined : goesOn);
}

/** The documents of the input, as they are read. */
async function* itemsOf(
  pieces: Pieces,
  { from = "-", deckId }: BulkOptions,
  context: Context,
): AsyncGenerator<BulkItem> {
  const { io, signal } = context;
  const warned = new Set<string>();
  for await (const value of jsonValues(pieces, from === "-" ? "standard input" : from)) {
    signal.throwIfAborted();
    const item = await bulkItem(value, deckId);
    for (const field of item.unknown)
      if (!warned.has(field) && warned.add(field))
        io.warn(`${item.name}: the API has no field ${JSON.stringify(field)}; it is not sent`);
    if (item.moved && !warned.has("") && warned.add(""))
      io.note("--deck wins over the deck-id of the documents");
    yield item;
  }
}

/**
 * Carries the documents out; in a dry run each is a request of its own, on a service that seems to have no extension.
 *
 * @throws DeckhandError where nothing else would go better, with how to continue
 */
async function* applied(
  items: AsyncIterable<BulkItem>,
  { failFast = false }: BulkOptions,
  record: BulkRecord | undefined,
  context: Context,
): AsyncGenerator<{ readonly item: BulkItem; readonly outcome: Outcome }> {
  const { dryRun = false } = context.options;
  const real = await context.client();
  const client = dryRun ? { ...real, service: { ...real.service, has: async () => false } } : real;
  async function* tasks(): AsyncGenerator<Task<Row>> {
    for await (const item of items) {
      const task = { operation: item.operation, tag: { item, key: "", sentBefore: false } };
      if (item.error !== undefined) yield { ...task, known: { state: "refused", error: item.error } };
      else yield (await record?.task(item)) ?? task;
    }
  }
  /** The document whose request is under way, where it is the only one. */
  let current: BulkItem | undefined;
  const beforeSend = (sent: readonly Task<Row>[], without: number | undefined) => {
    current = sent.length === 1 ? sent[0]?.tag.item : undefined;
    record?.note(sent, without);
  };
  const target = { client, signal: context.signal, oneByOne: failFast || dryRun, beforeSend };
  try {
    for await (const { task, outcome } of apply(tasks(), target)) {
      const { item, sentBefore } = task.tag;
      if (task.known === undefined) record?.settled(task, outcome);
      const before = outcome.state === "done" && outcome.before && sentBefore;
      yield { item, outcome: outcome.state === "done" ? { ...outcome, before } : outcome };
    }
  } catch (error) {
    if (!(error instanceof DeckhandError) || error.code === "usage") throw error;
    const hint = [error.hint, "Run the same command again to continue."].filter(Boolean).join(" ");
    const place = current === undefined ? "" : `${current.name}: `;
    throw error.with({ message: `${place}${error.message}`, hint });
  }
}

function resultLine({ line }: BulkItem, outcome: Outcome) {
  if (outcome.state === "done")
    return { line, id: outcome.id, ...(outcome.before ? { "before?": true } : {}) };
  const { code, status, message, fields, uncertain } = outcome.error;
  return { line, error: defined({ code, status, message, fields, "uncertain?": uncertain || undefined }) };
}
