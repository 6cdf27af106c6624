import type { Command } from "commander";
import type { Context } from "../../context/context.ts";
import { DeckhandError, type ErrorCode, PartialError, UsageError } from "../../errors.ts";
import { jsonText } from "../../output/index.ts";
import { boolean, integer, keyword, type Listing, object, unknown } from "../../schema/index.ts";
import type { BulkItem, BulkVerb } from "../../transfer/import/bulk.ts";
import type { Journal } from "../../transfer/import/journal.ts";
import type { Result } from "../../transfer/import/ledger.ts";
import { printerOfChanges, writeChanges } from "./changes.ts";
import { accountName } from "./journal.ts";
import { textPieces } from "./text.ts";

export interface BulkOptions {
  readonly from?: string;
  readonly journal?: string;
  readonly failFast?: boolean;
}

/** The options of every verb that takes documents from a file. */
export function addBulkOptions(
  command: Command,
  failFast = "with --from: stop at the first document that fails",
): Command {
  return command
    .option("--from <file>", "documents from a file, or - for standard input: ndjson or a JSON array")
    .option("--journal <file>", "with --from: record what was done, and continue from there the next time")
    .option("--fail-fast", failFast);
}

/** What is meant for `--from` would be ignored without it. */
export function refuseLoneBulkOptions({ journal, failFast }: BulkOptions, ownFailFast = false): void {
  if (journal !== undefined) throw new UsageError("--journal goes with --from only");
  if (failFast && !ownFailFast) throw new UsageError("--fail-fast goes with --from only");
}

const results = {
  name: "results",
  kind: object({
    line: integer({ about: "The line of the input." }),
    id: keyword({ about: "What was created or changed." }),
    "before?": boolean({ about: "Whether an earlier run did it." }),
    error: unknown({ about: "Why it was not done." }),
  }),
  columns: ["line", "id", "before?", "error"],
} satisfies Listing;

type ResultLine = Readonly<Record<string, unknown>>;

/**
 * Does a verb to every document of a file, in order; what came of each is printed as a line of JSON with the line of the
 * input (docs/import-export.md).
 */
export async function runBulk(
  verb: BulkVerb,
  options: BulkOptions & { readonly deckId?: string | undefined; readonly text?: string },
  context: Context,
): Promise<void> {
  const path = options.from ?? "-";
  const pieces = options.text === undefined ? textPieces(path, context) : [options.text];
  const run = bulkResults(verb, pieces, path === "-" ? "standard input" : path, options, context);
  if (context.options.dryRun || context.print.format !== undefined || context.options.jq !== undefined) {
    if (!context.options.dryRun) await context.print.checkFilter();
    await writeChanges(context, results, run, true);
    return;
  }
  const whileRead = printerOfChanges();
  for await (const line of run)
    if (context.io.stdout.isTTY !== true) await whileRead(() => context.io.write(`${jsonText(line)}\n`));
}

async function* bulkResults(
  verb: BulkVerb,
  pieces: AsyncIterable<string> | Iterable<string>,
  name: string,
  options: BulkOptions & { readonly deckId?: string | undefined },
  context: Context,
): AsyncGenerator<ResultLine> {
  const [{ jsonValues }, { bulkItem }, { Journal }] = await Promise.all([
    import("../../transfer/formats/json-values.ts"),
    import("../../transfer/import/bulk.ts"),
    import("../../transfer/import/journal.ts"),
  ]);
  const journal =
    options.journal === undefined || context.options.dryRun
      ? undefined
      : await Journal.open(options.journal, { command: verb, account: accountName(context) });
  const send = await senderOf(verb, journal, context);
  const outcome = new Outcomes();
  const warned = new Set<string>();
  const task = (await context.io.status()).begin({ label: labels[verb], unit: "items" });
  try {
    for await (const value of readable(jsonValues(pieces, name), verb, outcome, context)) {
      context.signal.throwIfAborted();
      const item = await bulkItem(value, verb, options.deckId);
      for (const field of item.unknown)
        if (!warned.has(field) && warned.add(field))
          context.io.warn(`${item.name}: the API has no field ${JSON.stringify(field)}; it is not sent`);
      if (item.moved && !warned.has("") && warned.add(""))
        context.io.note("--deck wins over the deck-id of the documents");
      const result = await send(item).catch((error: unknown) => {
        throw ended(error, item, verb, outcome, journal?.path);
      });
      task.advance();
      if (result.state === "done") outcome.done(result.before);
      else await reportFailure(result.error, item.name, outcome, context);
      if (!context.options.dryRun || result.state === "failed") yield resultLine(item, result);
      outcome.stopped = result.state === "failed" && options.failFast === true;
      if (outcome.stopped) break;
    }
  } finally {
    task.end();
    journal?.close();
    if (journal !== undefined && context.signal.aborted)
      context.io.note(`Stopped. Run it again to continue; the journal is ${journal.path}`);
  }
  if (outcome.some && !context.options.dryRun) context.io.say(outcome.sentence(verb));
  outcome.throwIfAny();
}

/** The documents up to one that cannot be read: exit 2 would say that nothing was sent. */
async function* readable<T>(
  values: AsyncIterable<T>,
  verb: BulkVerb,
  outcome: Outcomes,
  context: Context,
): AsyncGenerator<T> {
  try {
    yield* values;
  } catch (error) {
    if (!(error instanceof UsageError) || !outcome.some || context.options.dryRun) throw error;
    context.io.report(error);
    throw new PartialError(`the rest of the input was not read; ${outcome.before(verb)}`, {
      hint: "Mend that line. With --journal the next run continues there; without it, remove what is done from the input.",
    });
  }
}

/** An error after which nothing else is sent, with how to continue. */
function ended(
  error: unknown,
  { name }: BulkItem,
  verb: BulkVerb,
  outcome: Outcomes,
  journal: string | undefined,
): unknown {
  if (!(error instanceof DeckhandError) || error.code === "usage") return error;
  const how =
    journal === undefined
      ? outcome.some && `${outcome.before(verb)}: remove what is done from the input, and run it again.`
      : `Run it again to continue: what was done is recorded in ${journal}`;
  const hint = [error.hint, how].filter(Boolean).join(" ") || undefined;
  return error.with({ message: `${name}: ${error.message}`, hint });
}

/** Sends one document, and records it in the journal; in a dry run prints the requests. */
async function senderOf(
  verb: BulkVerb,
  journal: Journal | undefined,
  context: Context,
): Promise<(item: BulkItem) => Promise<Result>> {
  const [{ bulkCall, performItem }, { Ledger }] = await Promise.all([
    import("../../transfer/import/bulk.ts"),
    import("../../transfer/import/ledger.ts"),
  ]);
  const client = await context.client();
  const ledger = new Ledger(journal);
  if (!context.options.dryRun) return async (item) => (await performItem(client, verb, item, ledger)).result;
  return async (item) => {
    if (item.error !== undefined) return { state: "failed", error: item.error };
    await context.print.call(bulkCall(client, verb, item));
    // The id is a placeholder: only the service creates it.
    if (item.trashed !== undefined)
      await context.print.call(client.cards.update("CARD-ID", { "trashed?": item.trashed }));
    return { state: "done", id: undefined, before: false };
  };
}

async function reportFailure(
  error: DeckhandError,
  place: string,
  outcome: Outcomes,
  { io }: Context,
): Promise<void> {
  const { placed } = await import("../../transfer/place.ts");
  io.report(placed(error, place));
  outcome.failed(error);
}

function resultLine({ line, id }: BulkItem, result: Result): ResultLine {
  if (result.state === "done")
    return { line, id: result.id ?? id ?? null, ...(result.before ? { "before?": true } : {}) };
  const { code, status, message, fields, uncertain } = result.error;
  const error = {
    code,
    ...(status === undefined ? {} : { status }),
    message,
    ...(fields && { fields }),
    ...(uncertain && { "uncertain?": true }),
  };
  return { line, error };
}

const labels: Readonly<Record<BulkVerb, string>> = {
  "cards create": "Creating cards",
  "cards update": "Changing cards",
  "decks create": "Creating decks",
  "templates create": "Creating templates",
};

/** Counts what was done, and makes of the failures what the command ends with. */
class Outcomes {
  readonly #reasons = new Set<ErrorCode>();
  #done = 0;
  #before = 0;
  #failed = 0;
  /** Whether the rest of the input was left alone after a failure. */
  stopped = false;
  /** Those of the failed ones that the service may have carried out. */
  #uncertain = 0;

  done(before: boolean): void {
    if (before) this.#before++;
    else this.#done++;
  }

  failed({ code, uncertain }: DeckhandError): void {
    this.#failed++;
    if (uncertain) this.#uncertain++;
    this.#reasons.add(code);
  }

  get some(): boolean {
    return this.#done + this.#before > 0;
  }

  /** "2 cards were created before that". */
  before(verb: BulkVerb): string {
    const [noun, act] = verb.split(" ") as [string, string];
    const done = this.#done + this.#before;
    const nouns = done === 1 ? `${noun.replace(/s$/, "")} was` : `${noun} were`;
    return `${done} ${nouns} ${act === "update" ? "changed" : "created"} before that`;
  }

  sentence(verb: BulkVerb): string {
    const [noun, act] = verb.split(" ") as [string, string];
    const already = this.#before === 0 ? "" : `; ${this.#before} were done before`;
    const nouns = this.#done === 1 ? noun.replace(/s$/, "") : noun;
    return `${act === "update" ? "Changed" : "Created"} ${this.#done} ${nouns}${already}`;
  }

  throwIfAny(): void {
    if (this.#failed === 0) return;
    const [reason] = this.#reasons;
    const all = this.#done + this.#before === 0 && this.#reasons.size === 1;
    const unclear =
      this.#uncertain === 0 ? "" : `; ${this.#uncertain} of these may have been carried out all the same`;
    const untried = this.stopped ? "; what comes after was not tried" : "";
    const failed = `${this.#failed} of ${this.#failed + this.#done + this.#before} failed${untried}${unclear}`;
    throw new PartialError(failed, {
      reason: all ? reason : undefined,
      hint: this.#uncertain === 0 ? undefined : "With --journal the next run finds out, and continues.",
    });
  }
}
