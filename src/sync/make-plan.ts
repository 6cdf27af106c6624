import type { Client } from "../client/index.ts";
import { templateNames } from "../transfer/formats/markdown/write.ts";
import type { Base } from "./base.ts";
import type { SideIds } from "./ids.ts";
import { type PlanOptions, planCards } from "./plan.ts";
import { planDecks } from "./plan-decks.ts";
import { planFiles } from "./plan-files.ts";
import { recoverCreated } from "./recover.ts";
import type { RefuseOptions } from "./refuse.ts";
import type { SyncPlan } from "./result.ts";
import { type FolderState, scanFolder } from "./scan-folder.ts";
import { type KnownDeck, type ServiceState, scanService } from "./scan-service.ts";
import { type ServiceFiles, scanServiceFiles } from "./scan-service-files.ts";
import type { Item } from "./types.ts";

export interface SyncOptions extends PlanOptions, Omit<RefuseOptions, "prefer"> {
  readonly client: Client;
  /** The folder, and the file of what was agreed on last. */
  readonly root: string;
  readonly basePath: string;
  readonly scope: string | undefined;
  decks(): Promise<readonly KnownDeck[]>;
  /** Where ids are, if not in the files themselves. */
  readonly ids?: SideIds | undefined;
  /** Called with the plan before it is carried out; throws to leave everything as it is. */
  approve(plan: SyncPlan): Promise<void>;
  /** Called before each effect; tests end the run or change a side there. */
  readonly step?: (effect: string) => Promise<void>;
  progress?(part: "cards" | "files" | "changes" | "attachments", done: number, total?: number): void;
  now(): number;
}

/** A plan, and the two sides as they were scanned for it. */
export interface Made {
  readonly plan: SyncPlan;
  readonly service: ServiceState;
  readonly serviceFiles: ServiceFiles;
  readonly state: FolderState;
  readonly counts: { readonly files: number; readonly cards: number };
}

/** Reads both sides whole. */
export async function makePlan(base: Base, options: SyncOptions): Promise<Made> {
  const { client, root, scope, ids, decks, progress, now } = options;
  const first = base.isEmpty;
  const service = await scanService({
    client,
    base,
    decks,
    scope,
    progress: (done) => progress?.("cards", done),
  });
  if (base.open.size > 0) recoverCreated(base, service, now());
  const templateName = templateNames(service.templates);
  const byName = new Map(service.templates.map(({ id }) => [templateName(id), id]));
  const state = await scanFolder(root, {
    base,
    template: (name) => byName.get(name) ?? name,
    hasDeck: (id) => service.decks.has(id) || base.decks.has(id),
    deckNamed: (name, parent) => {
      const named = [...service.decks.values()].filter((deck) => deck.name === name && !deck.trashed);
      return named.find((deck) => deck.parent === parent)?.id;
    },
    rootDeck: scope ?? null,
    hasCard: (id) => service.cards.has(id) || base.cards.has(id),
    ids,
    progress: (done) => progress?.("files", done),
  });
  const hasFiles = service.attachments.names.size > 0 || state.attachments.size > 0 || base.files.size > 0;
  const serviceFiles = await scanServiceFiles(client, service.cards, service.attachments, hasFiles);
  const scanned = { base: base.cards, files: state.files, cards: service.cards };
  const known = new Set(service.templates.map(({ id }) => id));
  const templates = state.templates.filter(({ id }) => id === undefined || !known.has(id));
  const filesEdited = editedFiles(base, state, serviceFiles);
  const { excluded } = state;
  const { items: planned, changed } = planCards(scanned, { ...options, filesEdited, excluded });
  // A template that is created by this sync is known in its next round.
  const items = templates.length > 0 ? planned : planned.map((item) => withTemplate(item, known));
  const fileItems =
    options.foreignRun !== undefined || !hasFiles
      ? []
      : planFiles({
          ...{ items, changed, base, prefer: options.prefer },
          ...{ files: state.files, cards: service.cards, folder: state.attachments, service: serviceFiles },
        });
  const needed = new Set<string>();
  for (const { to } of items) if (to?.deck != null) needed.add(to.deck);
  const deckItems = planDecks({
    base: base.decks,
    folders: state.decks,
    decks: service.decks,
    ...{ scope, needed, prefer: options.prefer },
  });
  return {
    plan: { decks: deckItems, templates, items, files: fileItems, looseFolders: state.looseFolders, first },
    service,
    serviceFiles,
    state,
    counts: { files: state.files.size, cards: service.cards.live },
  };
}

const editedFiles =
  (base: Base, state: FolderState, service: ServiceFiles): Required<PlanOptions>["filesEdited"] =>
  (id, side, file) => {
    const known = [...(base.files.get(id)?.entries() ?? [])];
    if (side === "service")
      return (service.byCard.get(id) ?? []).some(
        ({ name, hash }) =>
          hash !== undefined && !known.some((each) => each[0] === name && each[1].hash === hash),
      );
    const there = state.attachments.get(file?.path ?? "") ?? [];
    return there.some(({ hash }) => !known.some((each) => each[1].hash === hash));
  };

/** Leaves a card whose template does not exist. */
function withTemplate(item: Item, known: ReadonlySet<string>): Item {
  const template = item.to?.template;
  if (template == null || known.has(template)) return item;
  const note = `there is no template ${template}: create it, or correct the key \`template\` of the file`;
  return { ...item, kind: "left", to: undefined, note, failed: true };
}
