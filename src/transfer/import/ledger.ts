import { createHash } from "node:crypto";
import { DeckhandError, type ErrorCode, isFull, UsageError } from "../../errors.ts";
import type { Journal } from "./journal.ts";
import type { Made, Outcome } from "./journal-lines.ts";

/** Something to be made or changed on the service, once. */
interface Step {
  readonly item: string;
  /** What is sent, for the hash: plain data. */
  readonly sent: unknown;
  send(): Promise<Made>;
  /**
   * For what must not be sent twice: looks on the service whether it is there, and gives it. Undefined if it is not.
   * What has no `settle` may be sent again.
   *
   * @param item this step's own, by which the journal knows when it was first sent
   */
  settle?(item: string): Promise<Made | undefined>;
  /** Whether the journal notes it before it is sent, for a run that has to know that it may be there already. */
  readonly announced?: boolean;
}

export type Result =
  | {
      readonly state: "done";
      readonly id: string | undefined;
      /** Whether an earlier run knew that it was done. */
      readonly before: boolean;
      /** It was sent by an earlier run, and found now. */
      readonly found?: true;
    }
  | { readonly state: "failed"; readonly error: DeckhandError };

/** After these nothing else will go better: the run ends, and can go on later. */
const fatal: ReadonlySet<ErrorCode> = new Set([
  "network",
  "timeout",
  "unauthorized",
  "forbidden",
  "rate-limited",
  "not-configured",
  "internal",
]);

const endsRun = (error: DeckhandError) => fatal.has(error.code) || isFull(error);

/** How often a step whose answer was lost is sent again after it was found not to be there. */
const attempts = 20;
const attemptsAfterFault = 3;

/**
 * Carries out steps so that each takes effect once, over any number of runs with the same journal. Without a journal a
 * step is sent once, and what became of a lost answer is not found out.
 */
export class Ledger {
  readonly #journal: Journal | undefined;
  /** Whether the next step that the journal does not know may have been under way when the last run ended. */
  #doubt: boolean;

  constructor(journal: Journal | undefined) {
    this.#journal = journal;
    this.#doubt = journal?.resumed ?? false;
  }

  get journal(): Journal | undefined {
    return this.#journal;
  }

  /**
   * @throws DeckhandError where the run cannot go on; an item that only failed itself is a result
   */
  async perform(step: Step): Promise<Result> {
    const journal = this.#journal;
    if (journal === undefined) return this.#carryOut(step);
    const hash = hashOf(step.sent);
    const before = this.#before(journal, step.item, hash);
    if (before?.state === "done") return { state: "done", id: before.id, before: true };
    const doubtful = before === undefined ? this.#doubt : mayBeThere(before, hash);
    if (before === undefined) this.#doubt = false;
    const record = (outcome: Partial<Outcome> & Pick<Outcome, "state">) =>
      journal.record({ item: step.item, hash, ...outcome });
    // Only the item after the last can be under way unrecorded: one that is tried again must be noted first.
    if (step.settle && (before !== undefined || step.announced)) record({ state: "unknown" });
    if (doubtful && step.settle) {
      const found = await step.settle(step.item);
      if (found !== undefined) {
        record({ state: "done", ...found });
        return { state: "done", id: found.id, before: false, found: true };
      }
    }
    return this.#untilKnown(step, record, doubtful);
  }

  /**
   * What the journal says of an item. What failed may be sent otherwise now.
   * @throws UsageError where what was sent, or may have been, was not this
   */
  #before(journal: Journal, item: string, hash: string): Outcome | undefined {
    const before = journal.find(item);
    if (before !== undefined && before.state !== "failed" && before.hash !== hash)
      throw changed(journal, item);
    return before;
  }

  /** @param doubtful whether an earlier run may have carried it out, though it was looked for and not found */
  async #untilKnown(
    step: Step,
    record: (outcome: Partial<Outcome> & Pick<Outcome, "state">) => void,
    doubtful: boolean,
  ): Promise<Result> {
    let unsure = doubtful;
    for (let attempt = 1; ; attempt++) {
      let made: Made;
      try {
        made = await step.send();
      } catch (error) {
        if (!(error instanceof DeckhandError)) throw error;
        unsure ||= error.uncertain;
        if (error.uncertain && step.settle) {
          record({ state: "unknown" });
          const found = await step.settle(step.item);
          if (found !== undefined) {
            record({ state: "done", ...found });
            return { state: "done", id: found.id, before: false };
          }
          if (attempt < (error.code === "server" ? attemptsAfterFault : attempts)) continue;
        } else if (endsRun(error)) throw error;
        record({ state: "failed", error: error.message, uncertain: unsure || undefined });
        return { state: "failed", error };
      }
      // A journal that can't be written ends the run: what was created must not be recorded as failed.
      record({ state: "done", ...made });
      return { state: "done", id: made.id, before: false };
    }
  }

  async #carryOut(step: Step): Promise<Result> {
    try {
      const { id } = await step.send();
      return { state: "done", id, before: false };
    } catch (error) {
      if (!(error instanceof DeckhandError) || (endsRun(error) && !error.uncertain)) throw error;
      return { state: "failed", error };
    }
  }

  /** Whether an earlier run took an item down as done. */
  isDone(item: string): boolean {
    return this.#journal?.find(item)?.state === "done";
  }

  /** Whether an earlier run may have carried out an item. */
  isUnknown(item: string): boolean {
    return this.#journal?.find(item)?.state === "unknown";
  }

  /** Takes down what was there and is used: later runs use it, too, whatever it is called then. */
  use(item: string, sent: unknown, id: string): void {
    this.#journal?.record({ item, hash: hashOf(sent), state: "done", id, used: true });
  }

  /** Records a deck that was created for the cards, where the source has none: an undo deletes it. */
  noteDeck(id: string): void {
    this.#journal?.record({ item: `deck ${id}`, hash: hashOf(id), state: "done", id });
  }

  /**
   * Records a later change (trash, references) of a card that an earlier run created, where that run was killed before it
   * could record the change. An undo compares this hash with the card, to see whether anything else changed the card.
   *
   * @param hash `cardHash` of the card
   */
  noteCreated(item: string, id: string, hash: string): void {
    const created = this.#journal?.find(item);
    if (created?.state !== "done" || created.used || created.id !== id || created.card === hash) return;
    this.#journal?.record({ item: `${item} later`, hash, state: "done", of: id, card: hash });
  }

  /** Takes down what failed before it was sent. @throws UsageError where an earlier run sent something else */
  refuse(item: string, sent: unknown, error: DeckhandError): Result {
    const hash = hashOf(sent);
    if (this.#journal !== undefined) this.#before(this.#journal, item, hash);
    this.#journal?.record({ item, hash, state: "failed", error: error.message });
    return { state: "failed", error };
  }
}

/** A service may have been slower than the looks at it: what was not found then may be there now. */
const mayBeThere = (before: Outcome, hash: string) =>
  before.state === "unknown" || (before.uncertain === true && before.hash === hash);

function changed(journal: Journal, item: string): UsageError {
  return new UsageError(`${item} is not what it was when ${journal.path} was written`, {
    hint: "Give the input and the options as they were, or another file with --journal.",
  });
}

/** Tells what is sent apart, shortly. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);
}
