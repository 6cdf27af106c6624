import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Client } from "../client/index.ts";
import type { Deck } from "../schema/index.ts";
import { templateNames } from "../transfer/formats/markdown/write.ts";
import { type PlanOptions, planCards } from "./plan.ts";
import { planDecks, planTemplates } from "./plan-decks.ts";
import { planFiles } from "./plan-files.ts";
import { recoverCreated, sendAgain } from "./recover.ts";
import type { RefuseOptions } from "./refuse.ts";
import { deckKey, type FolderState, scanFolder, topDeck } from "./scan-folder.ts";
import { type ServiceFiles, type ServiceState, scanService, scanServiceFiles } from "./scan-service.ts";
import type { State } from "./state.ts";
import type { CardChange, SyncPlan } from "./types.ts";

export interface SyncOptions extends PlanOptions, RefuseOptions {
  readonly client: Client;
  /** The folder, and the file of what was agreed on last. */
  readonly root: string;
  readonly statePath: string;
  /** Whether a file without an id is one card also where several are marked in it. */
  readonly wholeFiles?: boolean | undefined;
  decks(): Promise<readonly Deck[]>;
  /**
   * Called with the plan before it is carried out; throws to leave everything as it is.
   *
   * @returns a question to be asked first, while the folder is not locked
   */
  approve(plan: SyncPlan): Promise<(() => Promise<void>) | undefined>;
  /** Whether a plan may have to be asked about. */
  readonly asks?: boolean;
  /** Where nobody is asked, removals are left unless they were confirmed and are not too many. */
  readonly watching?: { readonly confirmed: boolean } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether creations whose answers were lost are sent again: not where the plan is only shown. */
  readonly sendsAgain?: boolean;
  /** Called once if another sync of the folder is waited for. */
  readonly onWait?: (() => void) | undefined;
  /** Called before each effect; tests end the run or change a side there. */
  readonly step?: (effect: string) => Promise<void>;
  progress?(part: "cards" | "files" | "changes" | "attachments", done: number, total?: number): void;
  now(): number;
}

/** The two sides as they were scanned. */
export interface Scans {
  readonly service: ServiceState;
  readonly serviceFiles: ServiceFiles;
  readonly scan: FolderState;
}

/** A plan, and what it was made from. */
export interface Made extends Scans {
  readonly plan: SyncPlan;
  readonly counts: { readonly files: number; readonly cards: number };
}

/** Reads both sides whole. */
export async function makePlan(state: State, options: SyncOptions): Promise<Made> {
  const { client, root, scope, progress, now } = options;
  const first = state.isEmpty;
  if (options.sendsAgain && state.open.size > 0 && (await client.service.has("ids")))
    await sendAgain(state, client, options.signal ?? new AbortController().signal, now());
  const service = await scanService({
    client,
    state,
    decks: options.decks,
    scope,
    progress: (done) => progress?.("cards", done),
  });
  if (state.open.size > 0) recoverCreated(state, service, now());
  const hasSettings = await client.service.has("deck-settings");
  const scan = await scanFolderOf(state, service, { ...options, hasSettings });
  const hasFiles = service.attachments.names.size > 0 || scan.attachments.size > 0 || state.files.size > 0;
  const { others, unchanged } = service.cards;
  const listed = { has: (id: string) => others.has(id) || unchanged.has(id) };
  const serviceFiles = await scanServiceFiles(client, listed, service.attachments, hasFiles);
  const { excluded, files } = scan;
  const filesEdited = editedFiles(state, scan, serviceFiles);
  const scanned = { state, files, cards: service.cards };
  const { changes: planned, changed } = planCards(scanned, { ...options, filesEdited, excluded });
  const templates = planTemplates(root, scan, service, scope === undefined);
  // A template that is created by this sync is known in its next round.
  const known = new Set(service.templates.map(({ id }) => id));
  const isCreated = templates.some(({ side }) => side === "service");
  const cards = isCreated ? planned : planned.map((each) => withTemplate(each, known));
  const attachments =
    options.foreignRun !== undefined || !hasFiles
      ? []
      : planFiles({
          ...{ changes: cards, changed, base: state, prefer: options.prefer },
          ...{ files, cards: service.cards, folder: scan.attachments, service: serviceFiles },
        });
  const needed = new Set(cards.flatMap(({ to }) => to?.deck ?? []));
  const top = topDeck(root);
  if (needed.has(deckKey(top))) scan.decks.set(top.path, top);
  const { prefer } = options;
  const decks = planDecks({ state, folders: scan.decks, decks: service.decks, scope, prefer, needed });
  return {
    plan: {
      changes: [...decks, ...templates, ...cards, ...attachments],
      ...{
        attachments: scan.attachments,
        first,
        isOld: isOldCheckout(root, state.head),
      },
    },
    ...{ service, serviceFiles, scan },
    counts: {
      files: files.others.length + files.unchanged.size,
      cards: unchanged.size + [...others.values()].filter(({ trashed }) => !trashed).length,
    },
  };
}

function scanFolderOf(
  state: State,
  service: ServiceState,
  options: SyncOptions & { readonly hasSettings: boolean },
): Promise<FolderState> {
  const { root, scope, progress, hasSettings } = options;
  const templateName = templateNames(service.templates);
  const byName = new Map(service.templates.map(({ id }) => [templateName(id), id]));
  return scanFolder(root, {
    state,
    template: (name) => byName.get(name) ?? name,
    hasDeck: (id) => service.decks.has(id) || state.decks.has(id),
    deckNamed: (name, parent) => {
      const named = [...service.decks.values()].filter(
        (deck) => isSameName(deck.doc.name, name) && !deck.trashed,
      );
      return named.find(({ doc }) => doc.parent === parent)?.id;
    },
    scope,
    hasSettings,
    wholeFiles: options.wholeFiles,
    prefer: options.prefer,
    hasCard: (id) => service.cards.others.has(id) || service.cards.unchanged.has(id) || state.has(id),
    progress: (done) => progress?.("files", done),
  });
}

/** Whether the commit of the folder's repository comes before the one of the last sync, or is beside it. */
function isOldCheckout(root: string, last: string | undefined): boolean {
  const head = last === undefined ? undefined : headOf(root);
  return last !== undefined && head !== undefined && head !== last && !isAfter(root, head, last);
}

const isSameName = (one: string, other: string) => one.normalize("NFC") === other.normalize("NFC");

const editedFiles =
  (state: State, folder: FolderState, service: ServiceFiles): Required<PlanOptions>["filesEdited"] =>
  (id, side, file) => {
    const known = [...(state.files.get(id)?.entries() ?? [])];
    if (side === "service")
      return (service.byCard.get(id) ?? []).some(
        ({ name, hash }) =>
          hash !== undefined && !known.some((each) => each[0] === name && each[1].hash === hash),
      );
    const there = folder.attachments.get(file?.path ?? "") ?? [];
    return there.some(({ hash }) => !known.some((each) => each[1].hash === hash));
  };

/** Leaves a card whose template does not exist. */
function withTemplate(planned: CardChange, known: ReadonlySet<string>): CardChange {
  const template = planned.to?.template;
  if (template == null || known.has(template)) return planned;
  const note = `there is no template ${template}: create it, or correct the key \`template\` of the file`;
  return { ...planned, op: "leave", side: "none", to: undefined, note, failed: true };
}

/** The commit that is checked out in the git repository of a folder; undefined where there is none, or no git. */
export function headOf(root: string): string | undefined {
  for (let folder = root, below = ""; folder !== below; below = folder, folder = dirname(folder))
    if (existsSync(join(folder, ".git"))) return git(root, "rev-parse", "--verify", "HEAD")?.trim();
  return undefined;
}

/** Whether a commit comes after another one: then the files were not taken back. */
const isAfter = (root: string, commit: string, earlier: string): boolean =>
  git(root, "merge-base", "--is-ancestor", earlier, commit) !== undefined;

/** What git prints; undefined if it fails. */
function git(root: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8", timeout: 10_000 });
  return status === 0 ? stdout : undefined;
}
