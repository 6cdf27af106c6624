import type { Command } from "commander";
import type { Outcome, Task } from "../../client/apply/index.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, type ErrorCode, PartialError, UsageError } from "../../errors.ts";
import { jsonText } from "../../output/index.ts";
import { boolean, integer, keyword, type Listing, object, unknown } from "../../schema/index.ts";
import type { BulkItem, BulkVerb } from "./bulk-item.ts";
import type { BulkRecord, Pieces, Row } from "./bulk-record.ts";
import { printerOfChanges, writeChanges } from "./changes.ts";
import { textPieces } from "./text.ts";

export interface BulkOptions {
  readonly from?: string;
  readonly failFast?: boolean;
  /** Of `cards update`. */
  readonly detach?: boolean;
}

/** The options of every verb that takes documents from a file. */
export function addBulkOptions(
  command: Command,
  failFast = "with --from: stop at the first document that fails",
): Command {
  return command
    .option("--from <file>", "documents from a file, or - for standard input: ndjson or a JSON array")
    .option("--fail-fast", failFast);
}

/** What is meant for `--from` would be ignored without it. */
export function refuseLoneBulkOptions({ failFast }: BulkOptions): void {
  if (failFast) throw new UsageError("--fail-fast goes with --from only");
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
type RunOptions = BulkOptions & { readonly deckId?: string | undefined; readonly text?: string };

/**
 * Does a verb to every document of a file, in order; what came of each is printed as a line of JSON with the line of the
 * input (docs/import-export.md). Creations that were stopped go on with the same command.
 */
export async function runBulk(verb: BulkVerb, options: RunOptions, context: Context): Promise<void> {
  const run = bulkResults(verb, options, context);
  const { dryRun, jq } = context.options;
  if (dryRun || context.print.format !== undefined || jq !== undefined) {
    if (!dryRun) await context.print.checkFilter();
    await writeChanges(context, results, run, true);
    return;
  }
  const whileRead = printerOfChanges();
  for await (const line of run)
    if (context.io.stdout.isTTY !== true) await whileRead(() => context.io.write(`${jsonText(line)}\n`));
}

interface Settled {
  readonly item: BulkItem;
  readonly outcome: Outcome;
}

async function* bulkResults(
  verb: BulkVerb,
  options: RunOptions,
  context: Context,
): AsyncGenerator<ResultLine> {
  const { io, signal } = context;
  const { dryRun } = context.options;
  const path = options.from ?? "-";
  const given: Pieces = options.text === undefined ? textPieces(path, context) : [options.text];
  const record = dryRun || verb === "cards update" ? undefined : await openBulkRecord(verb, context);
  const outcomes = new Outcomes();
  const progress = (await io.status()).begin({ label: labels[verb], unit: "items" });
  try {
    const pieces = (await record?.begin(path, given)) ?? given;
    const items = itemsOf(pieces, verb, options, context);
    for await (const { item, outcome } of dryRun
      ? shown(items, verb, context)
      : applied(items, verb, options, record, context)) {
      progress.advance();
      if (outcome.state === "done") outcomes.done(outcome.before);
      else await reportFailure(outcome.error, item.name, outcomes, context);
      if (!dryRun || outcome.state === "refused") yield resultLine(item, outcome);
      outcomes.stopped = outcome.state === "refused" && options.failFast === true;
      if (outcomes.stopped) break;
    }
    if (!outcomes.someFailed) record?.finish();
  } catch (error) {
    // Exit 2 would say that nothing was sent.
    if (!(error instanceof UsageError) || !outcomes.some || dryRun) throw error;
    io.report(error);
    throw new PartialError(`the rest of the input was not read; ${outcomes.before(verb)}`, {
      hint: "Mend that line. A file goes on there with the same command; from standard input, remove what is done.",
    });
  } finally {
    progress.end();
    record?.close();
    if (record !== undefined && signal.aborted) io.note("Stopped. Run the same command again to continue.");
  }
  if (outcomes.some && !dryRun) io.say(outcomes.sentence(verb));
  outcomes.throwIfAny();
}

async function openBulkRecord(verb: BulkVerb, context: Context): Promise<BulkRecord> {
  const [{ openRecord }, { BulkRecord }] = await Promise.all([
    import("./record.ts"),
    import("./bulk-record.ts"),
  ]);
  return new BulkRecord(await openRecord(context), await context.client(), verb);
}

/** The documents of the input, as they are read. */
async function* itemsOf(
  pieces: Pieces,
  verb: BulkVerb,
  { from = "-", deckId, detach }: RunOptions,
  context: Context,
): AsyncGenerator<BulkItem> {
  const { io, signal } = context;
  const [{ jsonValues }, { bulkItem }, { fileRefusal }] = await Promise.all([
    import("../../transfer/formats/json-values.ts"),
    import("./bulk-item.ts"),
    import("./record.ts"),
  ]);
  const warned = new Set<string>();
  for await (const value of jsonValues(pieces, from === "-" ? "standard input" : from)) {
    signal.throwIfAborted();
    const item = await bulkItem(value, verb, deckId);
    for (const field of item.unknown)
      if (!warned.has(field) && warned.add(field))
        io.warn(`${item.name}: the API has no field ${JSON.stringify(field)}; it is not sent`);
    const refusal = verb === "cards update" ? await fileRefusal(item, detach, context) : undefined;
    if (item.moved && !warned.has("") && warned.add(""))
      io.note("--deck wins over the deck-id of the documents");
    yield refusal === undefined ? item : { ...item, error: item.error ?? refusal };
  }
}

const refusalOf = ({ error }: BulkItem): Outcome | undefined => error && { state: "refused", error };

/** Prints the requests of a dry run. */
async function* shown(
  items: AsyncIterable<BulkItem>,
  verb: BulkVerb,
  context: Context,
): AsyncGenerator<Settled> {
  const { bulkCalls } = await import("./bulk-item.ts");
  const client = await context.client();
  for await (const item of items) {
    if (item.error === undefined)
      for (const call of bulkCalls(client, verb, item)) await context.print.call(call);
    yield { item, outcome: refusalOf(item) ?? { state: "done", id: "", before: false } };
  }
}

/** Carries the documents out. @throws DeckhandError where nothing else would go better, with how to continue */
async function* applied(
  items: AsyncIterable<BulkItem>,
  verb: BulkVerb,
  { failFast = false }: RunOptions,
  record: BulkRecord | undefined,
  context: Context,
): AsyncGenerator<Settled> {
  const [{ apply }, { operationOf }] = await Promise.all([
    import("../../client/apply/index.ts"),
    import("./bulk-item.ts"),
  ]);
  async function* tasks(): AsyncGenerator<Task<Row>> {
    for await (const item of items) {
      const task = { operation: operationOf(verb, item, ""), tag: { item, key: "", sentBefore: false } };
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
  const target = { client: await context.client(), signal: context.signal, oneByOne: failFast, beforeSend };
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

function resultLine({ line }: BulkItem, outcome: Outcome): ResultLine {
  if (outcome.state === "done")
    return { line, id: outcome.id, ...(outcome.before ? { "before?": true } : {}) };
  const { code, status, message, fields, uncertain } = outcome.error;
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

  get someFailed(): boolean {
    return this.#failed > 0;
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
      hint: this.#uncertain === 0 ? undefined : "The next run of the same command finds out, and continues.",
    });
  }
}
