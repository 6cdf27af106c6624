import type { FolderWriter } from "../folder/writer.ts";
import { CardApplier } from "./apply.ts";
import { DeckApplier } from "./apply-decks.ts";
import { FileApplier } from "./apply-files.ts";
import { isRemoval, kindOf } from "./changes.ts";
import { type Made, makePlan, type SyncOptions } from "./make-plan.ts";
import type { Applied, Sides } from "./outcome.ts";
import { mostRemovals, problemWith, removals } from "./refuse.ts";
import type { State } from "./state.ts";
import type { Agreed, CardChange, Change, Left, SyncPlan, SyncResult } from "./types.ts";

/** How often both sides are read anew because one was changed meanwhile. */
const rounds = 5;
const inConflict =
  "conflict: both sides changed the same lines; the file has both texts now, the collection its own";
/** Where a change is, for a person who has to see to it: a card without a file is found by its id. */
const whatOf = (change: Change): string => {
  const isWritten = change.thing !== "card" || change.file !== undefined || change.base !== undefined;
  return isWritten ? change.path : (change.id ?? change.path);
};
const changedMeanwhile = "it was changed again each time that it was to be synced";

export interface RunOptions extends SyncOptions {
  readonly step: (effect: string) => Promise<void>;
}

/** A plan that is not carried out before a question is answered. */
export interface Question {
  readonly plan: SyncPlan;
  /** Throws to leave everything as it is. */
  ask(): Promise<void>;
}

export class Run {
  readonly #state: State;
  readonly #folder: FolderWriter<Agreed>;
  readonly #options: RunOptions;
  readonly #done = new Map<string, number>();
  /** Cards whose removal was in the plan that was approved. */
  readonly #removable = new Set<string>();
  /** Of this round: what is left, and what was changed meanwhile, for the next round. */
  #left: Left[] = [];
  #again: Left[] = [];

  constructor(state: State, folder: FolderWriter<Agreed>, options: RunOptions) {
    this.#state = state;
    this.#folder = folder;
    this.#options = options;
  }

  /** @param approved the plan of a question that was answered */
  async run(approved?: SyncPlan): Promise<SyncResult | Question> {
    let first = approved;
    for (let round = 1; ; round++) {
      const foreignRun = this.#folder.private.foreignRun();
      const made = await makePlan(this.#state, { ...this.#options, foreignRun, sendsAgain: true });
      const ask = round === 1 ? await this.#admit(made, approved) : undefined;
      if (ask !== undefined) return { plan: made.plan, ask };
      first ??= made.plan;
      [this.#left, this.#again] = [[], []];
      await this.#carryOut(made);
      if (this.#again.length > 0 && round < rounds) continue;
      return { plan: first, done: this.#done, left: [...this.#left, ...this.#again] };
    }
  }

  /** Refuses a plan, or has it approved. @returns the question that has to be asked first, if there is one */
  async #admit({ plan, counts }: Made, approved: SyncPlan | undefined) {
    const { maxDelete, watching } = this.#options;
    const isTooMany = removals(plan.changes) > mostRemovals(this.#state, maxDelete);
    const leaves = watching !== undefined && (!watching.confirmed || isTooMany);
    const refusal = problemWith(plan.changes, this.#state, counts, this.#options, leaves);
    if (refusal !== undefined) throw refusal;
    const question = approved === undefined ? await this.#options.approve(plan) : undefined;
    if (question !== undefined) return question;
    this.#folder.private.beginRun();
    for (const change of leaves ? [] : (approved ?? plan).changes)
      if (isRemoval(change)) this.#removable.add(change.id ?? "");
    return undefined;
  }

  async #carryOut(made: Made): Promise<void> {
    const { client, step, progress, now, scope, signal = new AbortController().signal } = this.#options;
    const [folder, state] = [this.#folder, this.#state];
    const sides: Sides = { ...made, client, step, signal, now, scope, folder, state };
    this.#noteSeen(made);
    const templates = new Set(made.service.templates.map(({ id }) => id));
    const changes = made.plan.changes.filter((change) => !this.#isLeft(change, templates));
    const of = <T extends Change["thing"]>(thing: T) =>
      changes.filter((each): each is Extract<Change, { readonly thing: T }> => each.thing === thing);
    const decks = new DeckApplier(sides);
    for (const change of changes)
      if (change.thing !== "card" && change.thing !== "attachment")
        this.#take({ change, outcome: await decks.apply(change) });
    const cards = of("card");
    let carriedOut = 0;
    for await (const applied of new CardApplier(sides, decks).applyAll(cards)) {
      this.#take(applied);
      progress?.("changes", ++carriedOut, cards.length);
    }
    const files = new FileApplier(sides);
    const attachments = of("attachment");
    for (const [index, change] of attachments.entries()) {
      this.#take({ change, outcome: await files.apply(change) });
      progress?.("attachments", index + 1, attachments.length);
    }
  }

  #take({ change, outcome }: Applied): void {
    const what = whatOf(change);
    if (outcome.state === "again")
      this.#again.push({ what, note: outcome.note ?? changedMeanwhile, conflict: false, failed: true });
    if (outcome.state === "left") {
      const { note, hint } = outcome;
      this.#left.push({ what, note, hint, conflict: false, failed: true });
    }
    if (outcome.state !== "done" || change.side === "none") return;
    const kind = kindOf(change);
    this.#done.set(kind, (this.#done.get(kind) ?? 0) + 1);
    if (change.op === "conflict") this.#left.push({ what, note: inConflict, conflict: true, marked: true });
  }

  /** Whether a change is not carried out in this round, which is noted. */
  #isLeft(change: Change, templates: ReadonlySet<string>): boolean {
    const { op, id = "", note = "", conflict = false, failed = false } = change;
    const what = whatOf(change);
    const { file, to }: Partial<CardChange> = change.thing === "card" ? change : {};
    if (op === "leave") {
      this.#left.push({ what, note, conflict, failed, ...(file?.marked ? { marked: true } : {}) });
      return true;
    }
    if (op === "skip") return true;
    // What is to be removed was shown first.
    if (isRemoval(change) && !this.#removable.has(id)) {
      const reason =
        "it was removed on the other side meanwhile: sync again, without --watch, to remove it here, too";
      this.#left.push({ what, note: reason, conflict: false, failed: true });
      return true;
    }
    // A template that is created in this round is known in the next one.
    if (to?.template == null || templates.has(to.template)) return false;
    this.#again.push({ what, note: changedMeanwhile, conflict: false, failed: true });
    return true;
  }

  /** Before anything is created, what is there and is not known is recorded, so that a lost creation can be found. */
  #noteSeen({ plan, service }: Made): void {
    if (!plan.changes.some(({ op, side }) => op === "create" && side === "service")) return;
    const cards = [...service.cards.others.keys()].filter((id) => !this.#state.has(id));
    const decks = [...service.decks.keys()].filter((id) => !this.#state.decks.has(id));
    this.#state.noteSeen([...cards, ...decks]);
  }
}
