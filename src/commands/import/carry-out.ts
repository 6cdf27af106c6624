import type { Context } from "../../context/context.ts";
import { DeckhandError, isFull, PartialError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import { cut } from "../../output/width.ts";
import { count } from "../../output/words.ts";
import { importStaged } from "../../transfer/import/run.ts";
import type { StagedCard } from "../../transfer/import/stage.ts";
import {
  emptySummary,
  type ImportSummary,
  type ImportTarget,
  type Left,
} from "../../transfer/import/target.ts";
import type { UndoWriter } from "../../transfer/import/undo-record.ts";
import { createMissing, whileOthersCreateNone } from "../shared/names.ts";
import { decksThere, type Prepared } from "./prepare.ts";
import { beginningOf, resultSentence } from "./words.ts";

/** @throws PartialError where cards were left or failed */
export async function carryOut(prepared: Prepared, undo: UndoWriter, context: Context): Promise<void> {
  await context.print.checkFilter();
  const { stage, plan, record, origin, mode, newDecks } = prepared;
  const report = new Report(prepared, context);
  const total = stage.value<number>("select count(*) from source");
  const task = (await context.io.status()).begin({ label: "Importing cards", unit: "items", total });
  try {
    const deck = prepared.deck?.missing
      ? await createMissing(prepared.deck, context, ({ id }) => undo.note({ deck: id }))
      : prepared.deck;
    const target: ImportTarget = {
      ...{ client: await context.client(), signal: context.signal, record, undo, origin, mode },
      ...{ deck: deck?.id, now: context.clock.now() },
      // Another import may have created some of its decks since the plan was made.
      async withDecks(create) {
        const work = async () => create(await decksThere(stage, prepared, deck?.id, context));
        await (newDecks.length === 0 ? work() : whileOthersCreateNone(context, work));
      },
      skip: ({ place, what, why }) => context.io.note(visible(`skipped: ${place}: ${what}: ${why}`)),
      left: (left) => report.left(left),
      failed: (error) => report.failed(error),
      progress(cards) {
        context.signal.throwIfAborted();
        task.set(cards, total);
      },
    };
    const summary = await importStaged(stage, target);
    task.end();
    report.leftRows();
    if (report.failures === 0) undo.finish();
    await report.result(summary, undo.id);
  } catch (error) {
    task.end();
    if (context.signal.aborted) context.io.note("Stopped. Run it again to continue.");
    throw withHint(error);
  } finally {
    // The decks that are known on this machine are those before the import.
    if (plan.decks > 0 && context.account().kind !== "local")
      await (await context.names()).decks({ now: true }).catch(() => {});
  }
  report.throwIfPartial();
}

/** Where nothing is to be done: what differs is listed all the same. @throws PartialError */
export async function reportIdle(prepared: Prepared, context: Context): Promise<void> {
  const report = new Report(prepared, context);
  report.leftRows();
  const unchanged = prepared.plan.there.same;
  if (context.print.json) await report.result({ ...emptySummary(), unchanged }, undefined);
  report.throwIfPartial();
}

/** Lists what is left or fails, and counts it for the exit code and its hint. */
class Report {
  failures: number;
  readonly #prepared: Prepared;
  readonly #context: Context;
  /** Those of the failed ones that may pass the next time. */
  #passing = 0;
  #left = 0;

  constructor(prepared: Prepared, context: Context) {
    this.#prepared = prepared;
    this.#context = context;
    // Files that were to be read and could not be.
    this.failures = prepared.plan.skipped.reduce((sum, { failed, count }) => sum + (failed ? count : 0), 0);
  }

  failed(error: DeckhandError): void {
    this.failures++;
    if (error.uncertain || passing.has(error.code)) this.#passing++;
    this.#context.io.report(error);
  }

  left({ card, id, why }: Left): void {
    this.#left++;
    // Anki's notes are named by their texts already.
    const name = card.place.endsWith('")') ? "" : `, ${JSON.stringify(cut(beginningOf(card), 40))}`;
    this.#context.io.note(visible(`left: ${card.place}${name}${id === null ? "" : ` (${id})`}: ${why}`));
  }

  /** Lists what is left without --update or --overwrite. */
  leftRows(): void {
    const { stage, mode } = this.#prepared;
    const where = `(kind = 'differs' ${mode.overwrite ? "and id is null" : ""} ${mode.update ? "" : "or kind = 'changed'"})`;
    for (const rows of stage.rows(where))
      for (const row of rows) this.left({ card: stage.card(row.number), id: row.id, why: whyOf(row) });
  }

  /** @param id of the import, for its undo */
  async result(summary: ImportSummary, id: string | undefined): Promise<void> {
    const { io, print } = this.#context;
    if (print.json) return print.value({ ...summary, left: this.#left, ...(id === undefined ? {} : { id }) });
    // Off a terminal, too: an import prints no ids.
    io.note(resultSentence(summary));
    if (id !== undefined) io.note(`To take the import back: deckhand import undo ${id}`);
  }

  throwIfPartial(): void {
    if (this.failures > 0)
      throw new PartialError(`${count(this.failures, "item")} failed`, {
        // What the service refuses, it refuses again.
        hint: this.#passing > 0 ? "Run it again to try them once more." : undefined,
      });
    if (this.#left === 0) return;
    const { plan, mode } = this.#prepared;
    const update =
      plan.there.changed > 0 && !mode.update ? "--update changes those that only the file changed." : "";
    const overwrite = mode.overwrite
      ? ""
      : "--overwrite takes what the file says for those that are listed with an id.";
    const are = this.#left === 1 ? "it is" : "they are";
    throw new PartialError(`${count(this.#left, "card")} left as ${are} in the collection`, {
      hint: [update, overwrite].filter((hint) => hint !== "").join(" ") || undefined,
    });
  }
}

function whyOf({ kind, id, why }: StagedCard): string {
  if (why === "trashed") return `it is in the trash: deckhand cards restore ${id}`;
  if (why === "archived") return `it is archived: deckhand cards unarchive ${id}`;
  if (why === "several") return "several cards have the same front";
  return kind === "changed" ? "it changed in the file" : "it is different in the collection";
}

/** Errors that may be over the next time: running the import again is then better advice than that of the request. */
const passing: ReadonlySet<string> = new Set("network timeout bad-response server rate-limited".split(" "));

function withHint(error: unknown): unknown {
  if (!(error instanceof DeckhandError)) return error;
  if (isFull(error)) return error.with({ hint: "Free space on its disk, and run it again to continue." });
  if (passing.has(error.code)) return error.with({ hint: "Run it again to continue." });
  if (error.hint !== undefined || error.code === "usage") return error;
  return error.with({ hint: "Correct that, and run it again to continue." });
}
