import type { FolderWriter } from "../folder/writer.ts";
import { templateNames } from "../transfer/formats/markdown/write.ts";
import { CardApplier } from "./apply.ts";
import { DeckApplier } from "./apply-decks.ts";
import { FileApplier } from "./apply-files.ts";
import { type Made, makePlan, type SyncOptions } from "./make-plan.ts";
import type { DeckItem } from "./plan-decks.ts";
import { isTooMany, problemWith } from "./refuse.ts";
import type { Done, SyncPlan, SyncResult } from "./result.ts";
import type { RunMark } from "./run-mark.ts";
import type { FolderState } from "./scan-folder.ts";
import type { ServiceState } from "./scan-service.ts";
import type { State } from "./state.ts";
import type { Agreed, Item, LeftItem, Outcome } from "./types.ts";

/** How often both sides are read anew because one was changed meanwhile. */
const rounds = 5;
const inConflict =
  "conflict: both sides changed the same lines; the file has both texts now, the collection its own";
const whatOf = ({ file, base, id }: Item): string => file?.path ?? base?.path ?? id ?? "";
const changedMeanwhile = "it was changed again each time that it was to be synced";

const inTrash = (service: ServiceState) => (deck: string | null) =>
  deck !== null && service.decks.get(deck)?.trashed === true;

/** A deck that the plan leaves. */
const leftDeck = ({ kind, path, note = "", conflict = false }: DeckItem): LeftItem[] =>
  kind === "left-deck" ? [{ what: path, note, conflict, failed: !conflict }] : [];

type Take = (outcome: Outcome, what: string) => void;

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
  readonly #mark: RunMark;
  readonly #options: RunOptions;
  readonly #done = new Map<Done, number>();
  /** Cards whose removal was in the plan that was approved. */
  readonly #removable = new Set<string>();

  constructor(state: State, folder: FolderWriter<Agreed>, mark: RunMark, options: RunOptions) {
    this.#mark = mark;
    this.#state = state;
    this.#folder = folder;
    this.#options = options;
  }

  /** @param approved the plan of a question that was answered */
  async run(approved?: SyncPlan): Promise<SyncResult | Question> {
    let first = approved;
    for (let round = 1; ; round++) {
      const foreignRun = this.#mark.foreign();
      const made = await makePlan(this.#state, { ...this.#options, foreignRun, sendsAgain: true });
      const ask = round === 1 ? await this.#admit(made, approved) : undefined;
      if (ask !== undefined) return { plan: made.plan, ask };
      first ??= made.plan;
      const { left, again } = await this.#carryOut(made);
      if (again.length > 0 && round < rounds) continue;
      const unsettled = again.map((each) => ({ ...each, conflict: false, failed: true }));
      return { plan: first, done: this.#done, left: [...left, ...unsettled] };
    }
  }

  /** Refuses a plan, or has it approved. @returns the question that has to be asked first, if there is one */
  async #admit({ plan, counts }: Made, approved: SyncPlan | undefined) {
    const { maxDelete, prefer, watching } = this.#options;
    const leaves =
      watching !== undefined && (!watching.confirmed || isTooMany(plan.items, this.#state, maxDelete));
    const chosen = { maxDelete, prefer: prefer !== undefined, leaves };
    const refusal = problemWith(plan.items, this.#state, counts, chosen);
    if (refusal !== undefined) throw refusal;
    if (approved === undefined) {
      const question = await this.#options.approve(plan);
      if (question !== undefined) return question;
    }
    this.#mark.begin();
    if (leaves) return undefined;
    for (const { kind, id } of (approved ?? plan).items)
      if ((kind === "trash-card" || kind === "trash-file") && id !== undefined) this.#removable.add(id);
    return undefined;
  }

  async #carryOut(made: Made) {
    const { plan, service, folder } = made;
    const left: LeftItem[] = plan.decks.flatMap(leftDeck);
    // What was changed meanwhile, for the next round.
    const again: { readonly what: string; readonly note: string }[] = [];
    const take: Take = (outcome, what) => {
      if (outcome.state === "again") again.push({ what, note: outcome.note ?? changedMeanwhile });
      if (outcome.state === "left") {
        const { note, hint } = outcome;
        left.push({ what, note, hint, conflict: false, failed: true });
      }
    };
    this.#noteSeen(plan, service);
    const decks = await this.#decks(plan, service, folder, take);
    const cards = this.#applier(made, decks);
    const templates = new Set(service.templates.map(({ id }) => id));
    for (const item of plan.items) if (item.refresh) cards.record(item);
    // What is done when its file is written, by the path of that.
    const pending = new Map<string, Item>();
    const settle = (item: Item, outcome: Outcome) => {
      if (outcome.state === "ready") pending.set(outcome.path, item);
      else take(outcome, whatOf(item));
      if (outcome.state !== "done") return;
      this.#count(item.kind);
      if (item.kind === "conflict")
        left.push({ what: whatOf(item), note: inConflict, conflict: true, marked: true });
    };
    const flush = async (now?: "now") => {
      const changed = await cards.flush(now);
      if (changed === undefined) return;
      for (const [path, item] of pending)
        settle(item, changed.has(path) ? { state: "again" } : { state: "done" });
      pending.clear();
    };
    const work = plan.items.filter(({ kind }) => kind !== "same");
    const creates: Item[] = [];
    let carriedOut = 0;
    const progress = () => this.#options.progress?.("changes", ++carriedOut, work.length);
    for (const item of work) {
      const reason = this.#reasonToLeave(item);
      if (reason !== undefined) left.push(reason);
      else if (item.to?.template != null && !templates.has(item.to.template)) {
        // A template that was created in this round is known in the next one.
        again.push({ what: whatOf(item), note: changedMeanwhile });
      } else if (item.kind === "create") {
        creates.push(item);
        continue;
      } else settle(item, await cards.apply(item));
      await flush();
      progress();
    }
    for await (const { item, outcome } of cards.createAll(creates)) {
      settle(item, outcome);
      await flush();
      progress();
    }
    await flush("now");
    left.push(...(await this.#files(made, take)));
    return { left, again };
  }

  #applier({ service, serviceFiles, folder }: Made, decks: DeckApplier): CardApplier {
    const { client, step, signal, now } = this.#options;
    return new CardApplier({
      ...{ client, step, signal, now, folder: this.#folder, state: this.#state },
      deck: (key) => (key.startsWith("new:") ? decks.ids.get(key) : key),
      deckFolder: (id) => decks.folders.get(id),
      templateName: templateNames(service.templates),
      scannedHash: (path) => folder.files.others.find((file) => file.path === path)?.hash,
      attachments: serviceFiles.byCard,
      sameFolder: folder.sameFolder,
      sameFiles: folder.sameFiles,
      inTrash: inTrash(service),
    });
  }

  /** Why an item is not carried out; undefined for one that is. */
  #reasonToLeave(item: Item): LeftItem | undefined {
    const { kind, id = "", note = "", conflict = false, failed = false, file } = item;
    const what = whatOf(item);
    if (kind === "left") return { what, note, conflict, failed, ...(file?.marked ? { marked: true } : {}) };
    // What is to be removed was shown first.
    const removes = kind === "trash-card" || kind === "trash-file";
    if (!removes || this.#removable.has(id)) return undefined;
    const then = this.#options.watching
      ? "it was removed on the other side: a sync without --watch asks whether to remove it here, too"
      : "it was removed on the other side meanwhile: sync again";
    return { what, note: then, conflict: false, failed: true };
  }

  /** Carries out the items for attachments. @returns those that are left by the plan */
  async #files({ plan, service, serviceFiles }: Made, take: Take): Promise<LeftItem[]> {
    const { client, step, now, progress } = this.#options;
    const left: LeftItem[] = [];
    if (plan.files.length === 0) return left;
    const applier = new FileApplier({
      ...{ client, step, now, service: serviceFiles },
      ...{ folder: this.#folder, state: this.#state, inTrash: inTrash(service) },
    });
    for (const [index, item] of plan.files.entries()) {
      const { kind, path, note = "", conflict = false } = item;
      if (kind === "left-file") left.push({ what: path, note, conflict, failed: !conflict });
      else if (kind !== "unfetched") {
        const outcome = await applier.apply(item);
        take(outcome, path);
        if (outcome.state === "done" && kind !== "refresh-file") this.#count(kind);
      }
      progress?.("attachments", index + 1, plan.files.length);
    }
    return left;
  }

  #count(kind: Done): void {
    this.#done.set(kind, (this.#done.get(kind) ?? 0) + 1);
  }

  async #decks(
    plan: SyncPlan,
    service: ServiceState,
    scanned: FolderState,
    take: Take,
  ): Promise<DeckApplier> {
    const { client, step } = this.#options;
    const [folder, state] = [this.#folder, this.#state];
    const decks = new DeckApplier({
      client,
      folder,
      state,
      scanned: service.decks,
      step,
      signal: this.#options.signal,
    });
    for (const { id, path } of scanned.decks.values())
      if (id !== undefined) {
        decks.ids.set(id, id);
        decks.folders.set(id, path);
      }
    const carryOut = async (kind: Done, path: string, work: Promise<Outcome>) => {
      const outcome = await work;
      take(outcome, path);
      if (outcome.state === "done") this.#count(kind);
    };
    for (const item of plan.decks)
      if (item.kind === "left-deck" || item.kind === "adopt-deck") take(await decks.apply(item), item.path);
      else await carryOut(item.kind, item.path, decks.apply(item));
    const byName = new Map(service.templates.map((each) => [each.name, each.id]));
    for (const template of plan.templates) {
      const name = template.document["name"];
      const there = typeof name === "string" ? byName.get(name) : undefined;
      if (there === undefined)
        await carryOut("create-template", template.path, decks.createTemplate(template));
      else if (template.id === undefined) take(await decks.nameTemplate(template, there), template.path);
    }
    const written = new Set(scanned.templates.map(({ id }) => id));
    for (const template of service.templates)
      if (this.#options.scope === undefined && !written.has(template.id))
        if (await decks.writeTemplate(template)) this.#count("write-template");
    return decks;
  }

  /** Before anything is created, what is there and is not known is recorded, so that a lost creation can be found. */
  #noteSeen(plan: SyncPlan, service: ServiceState): void {
    const creates =
      plan.items.some(({ kind }) => kind === "create") ||
      plan.decks.some(({ kind }) => kind === "create-deck");
    if (!creates) return;
    const cards = [...service.cards.others.keys()].filter((id) => !this.#state.has(id));
    const decks = [...service.decks.keys()].filter((id) => !this.#state.decks.has(id));
    this.#state.noteSeen([...cards, ...decks]);
  }
}
