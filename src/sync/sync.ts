import { accessSync, constants, existsSync } from "node:fs";
import { basename } from "node:path";
import { UsageError } from "../errors.ts";
import { fileProblem, systemCode } from "../files/errors.ts";
import { withLock } from "../files/lock.ts";
import { templateNames } from "../transfer/formats/markdown/write.ts";
import { CardApplier } from "./apply.ts";
import { DeckApplier } from "./apply-decks.ts";
import { FileApplier } from "./apply-files.ts";
import { Base } from "./base.ts";
import { SyncedFolder } from "./disk.ts";
import { type Made, makePlan, type SyncOptions } from "./make-plan.ts";
import type { DeckItem } from "./plan-decks.ts";
import { refuseLinks } from "./private-folder.ts";
import { recoverFiles } from "./recover.ts";
import { problemWith } from "./refuse.ts";
import type { Done, ShownPlan, SyncPlan, SyncResult } from "./result.ts";
import { RunMark } from "./run-mark.ts";
import type { FolderState } from "./scan-folder.ts";
import type { ServiceState } from "./scan-service.ts";
import type { LeftItem, Outcome } from "./types.ts";

/** How often both sides are read anew because one was changed meanwhile. */
const rounds = 5;
/** What the system says of a folder or a disk that cannot be written. */
const unwritable: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM"]);
/** Ctrl-C and the progress come through between two effects: most files are written without waiting for anything. */
const turnOfEvents = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const differs = "both sides have different texts";
const changedMeanwhile = "it was changed again each time that it was to be synced";

/** What a sync would do, also if it would be refused. Changes nothing. */
export async function planSync(options: SyncOptions): Promise<ShownPlan> {
  const { root, basePath } = options;
  const base = Base.open(basePath, "show");
  const foreignRun = new RunMark(root, basename(basePath, ".ndjson")).foreign();
  try {
    const { plan, counts } = await makePlan(base, { ...options, foreignRun });
    const { maxDelete, prefer } = options;
    const chosen = { maxDelete, prefer: prefer !== undefined };
    const refusal = problemWith(plan.items, base, counts, chosen);
    // Nothing is written into files by a sync that is refused.
    const items = plan.items.map((item) => (item.kind === "conflict" ? { ...item, note: differs } : item));
    return { plan: refusal === undefined ? plan : { ...plan, items }, refusal };
  } finally {
    base.close();
  }
}

/**
 * Makes a folder and an account the same (docs/design/sync.md).
 *
 * @throws UsageError for a plan that is refused; what a request failed with: then the next run goes on
 */
export async function syncFolders(options: SyncOptions): Promise<SyncResult> {
  const { root, step = turnOfEvents } = options;
  if (!existsSync(root)) throw new UsageError(`there is no folder ${root}`, { hint: "Is it mounted?" });
  try {
    accessSync(root, constants.W_OK);
    return await lockedSync({ ...options, step });
  } catch (cause) {
    if (!unwritable.has(systemCode(cause) ?? "")) throw cause;
    const { path = root } = cause as NodeJS.ErrnoException;
    throw new UsageError(`could not write to ${path}: ${fileProblem(cause)}`, {
      hint: "What was synced before that is whole; sync again when there is room or permission.",
      cause,
    });
  }
}

function lockedSync(options: RunOptions): Promise<SyncResult> {
  const { root, basePath, step } = options;
  refuseLinks(root, "tmp");
  return withLock(basePath, () =>
    withLock(`${root}/.deckhand/sync`, async () => {
      const base = Base.open(basePath);
      const owner = basename(basePath, ".ndjson");
      const mark = new RunMark(root, owner);
      const folder = new SyncedFolder(root, {
        owner,
        step,
        begin: (intent) => base.begin(intent),
        end: (number) => base.end(number),
      });
      try {
        recoverFiles(base, folder, options.now());
        const result = await new Run(base, folder, mark, options).run();
        mark.end();
        await base.compact();
        return result;
      } finally {
        if (!base.isPending) mark.end();
        base.close();
      }
    }),
  );
}

const inTrash = (service: ServiceState) => (deck: string | null) =>
  deck !== null && service.decks.get(deck)?.trashed === true;

/** A deck that the plan leaves. */
const leftDeck = ({ kind, path, note = "", conflict = false }: DeckItem): LeftItem[] =>
  kind === "left-deck" ? [{ what: path, note, conflict, failed: !conflict }] : [];

type Take = (outcome: Outcome, what: string) => void;

interface RunOptions extends SyncOptions {
  readonly step: (effect: string) => Promise<void>;
}

class Run {
  readonly #base: Base;
  readonly #folder: SyncedFolder;
  readonly #mark: RunMark;
  readonly #options: RunOptions;
  readonly #done = new Map<Done, number>();
  /** Cards whose removal was in the plan that was approved. */
  readonly #removable = new Set<string>();

  constructor(base: Base, folder: SyncedFolder, mark: RunMark, options: RunOptions) {
    this.#mark = mark;
    this.#base = base;
    this.#folder = folder;
    this.#options = options;
  }

  async run(): Promise<SyncResult> {
    let first: SyncPlan | undefined;
    for (let round = 1; ; round++) {
      const foreignRun = this.#mark.foreign();
      const made = await makePlan(this.#base, { ...this.#options, foreignRun });
      if (first === undefined) {
        first = made.plan;
        const { maxDelete, prefer } = this.#options;
        const chosen = { maxDelete, prefer: prefer !== undefined };
        const refusal = problemWith(first.items, this.#base, made.counts, chosen);
        if (refusal !== undefined) throw refusal;
        await this.#options.approve(first);
        this.#mark.begin();
        for (const { kind, id } of first.items)
          if ((kind === "trash-card" || kind === "trash-file") && id !== undefined) this.#removable.add(id);
      }
      const { left, again } = await this.#carryOut(made);
      if (again.length > 0 && round < rounds) continue;
      const unsettled = again.map((each) => ({ ...each, conflict: false, failed: true }));
      return { plan: first, done: this.#done, left: [...left, ...unsettled] };
    }
  }

  async #carryOut(made: Made) {
    const { plan, service, state } = made;
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
    const decks = await this.#decks(plan, service, state, take);
    const templateName = templateNames(service.templates);
    const cards = new CardApplier({
      client: this.#options.client,
      folder: this.#folder,
      base: this.#base,
      step: this.#options.step,
      deck: (key) => (key.startsWith("new:") ? decks.ids.get(key) : key),
      deckFolder: (id) => decks.folders.get(id),
      templateName,
      scannedHash: (path) => state.files.others.find((file) => file.path === path)?.hash,
      attachments: made.serviceFiles.byCard,
      sameFolder: state.sameFolder,
      inTrash: inTrash(service),
      ids: this.#options.ids,
      now: this.#options.now,
    });
    const templates = new Set(service.templates.map(({ id }) => id));
    for (const item of plan.items) if (item.refresh) cards.record(item);
    const work = plan.items.filter(({ kind }) => kind !== "same");
    for (const [index, item] of work.entries()) {
      const what = item.file?.path ?? item.base?.path ?? item.id ?? "";
      const removes = item.kind === "trash-card" || item.kind === "trash-file";
      if (item.kind === "left") {
        const { note = "", conflict = false, failed = false, file } = item;
        left.push({ what, note, conflict, failed, ...(file?.marked ? { marked: true } : {}) });
      }
      // What is to be removed was shown first.
      else if (removes && !this.#removable.has(item.id ?? ""))
        left.push({
          what,
          note: "it was removed on the other side meanwhile: sync again",
          conflict: false,
          failed: true,
        });
      else if (item.to?.template != null && !templates.has(item.to.template)) {
        // A template that was created in this round is known in the next one.
        again.push({ what, note: changedMeanwhile });
      } else {
        const outcome = await cards.apply(item);
        take(outcome, what);
        if (outcome.state === "done") this.#count(item.kind);
        if (item.kind === "conflict" && outcome.state === "done")
          left.push({
            what,
            note: "conflict: both sides changed the same lines; the file has both texts now, the collection its own",
            conflict: true,
            marked: true,
          });
      }
      this.#options.progress?.("changes", index + 1, work.length);
    }
    left.push(...(await this.#files(made, take)));
    return { left, again };
  }

  /** Carries out the items for attachments. @returns those that are left by the plan */
  async #files({ plan, service, serviceFiles }: Made, take: Take): Promise<LeftItem[]> {
    const { client, step, now, progress } = this.#options;
    const left: LeftItem[] = [];
    if (plan.files.length === 0) return left;
    const applier = new FileApplier({
      ...{ client, step, now, service: serviceFiles },
      ...{ folder: this.#folder, base: this.#base, inTrash: inTrash(service) },
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

  async #decks(plan: SyncPlan, service: ServiceState, state: FolderState, take: Take): Promise<DeckApplier> {
    const { client, step } = this.#options;
    const [folder, base] = [this.#folder, this.#base];
    const decks = new DeckApplier({ client, folder, base, scanned: service.decks, step });
    for (const { id, path } of state.decks.values())
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
    const written = new Set(state.templates.map(({ id }) => id));
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
    const cards = [...service.cards.others.keys()].filter((id) => !this.#base.cards.has(id));
    const decks = [...service.decks.keys()].filter((id) => !this.#base.decks.has(id));
    this.#base.noteSeen([...cards, ...decks]);
  }
}

export type { SyncOptions };
