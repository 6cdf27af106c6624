import type { CardDocument } from "../cards/document.ts";
import { isSameStat } from "../folder/stat.ts";
import { equalDocs, refOf } from "./doc.ts";
import { mergeDocs } from "./merge.ts";
import { emptyFile, severalCards } from "./read-card.ts";
import { type Scanned, sortFiles } from "./sort-files.ts";
import type { BaseCard, DocRef, Excluded, FileCard, Item, Preference, ServiceCard } from "./types.ts";

export interface PlanOptions {
  readonly prefer?: Preference | undefined;
  /** The mark of a sync of another machine that did not end: files may be aside, and new ones have cards already. */
  readonly foreignRun?: string | undefined;
  /** Why the file at a path is not synced although it is there; undefined for any other. */
  excluded?(path: string): Excluded | undefined;
  /** Whether an attachment of a card was added or changed on a side since the last sync. */
  filesEdited?(id: string, side: Preference, file: FileCard | undefined): boolean;
}

interface CardPlan {
  /** Nothing for cards that are the same on both sides. */
  readonly items: Item[];
  /** The file of each card by id, without unchanged files, but for those whose ids other files have, too. */
  readonly changed: ReadonlyMap<string, FileCard>;
}

/** What is to be done so that both sides are the same. Changes nothing; documents of the base are read from the disk. */
export function planCards(scanned: Scanned, options: PlanOptions = {}): CardPlan {
  const { state, files, cards } = scanned;
  const { byId, unnamed, left, obscured } = sortFiles(scanned, options.foreignRun === undefined);
  const items: Item[] = [...left];
  const unclear = new Set(left.map(({ id }) => id));
  const copies = new Set(left.map(({ file }) => file?.path));
  const plan = (each: CardState) => {
    const item = unclear.has(each.id) ? undefined : planCard(each, options);
    // A copy took the place of its file, by mistake or not.
    if (item?.kind === "trash-card" && copies.has(item.base?.path))
      items.push({
        ...item,
        kind: "left",
        note: `its file ${item.base?.path} has the id of another card`,
        failed: true,
      });
    // A file that cannot be read may be the one that seems to be missing.
    else if (item !== undefined && obscured !== undefined && isMissed(item))
      items.push({
        ...item,
        kind: "left",
        note: `its file is missing, and ${obscured} cannot be read: correct that, or add it to .deckhandignore`,
        failed: true,
      });
    else if (item !== undefined && (item.kind !== "same" || item.refresh)) items.push(item);
  };
  // Nearly all cards, of which there may be many, are as at the last sync on both sides.
  for (const base of state.cardsExcept(files.unchanged, cards.unchanged)) {
    const { id } = base;
    const file = byId.get(id) ?? (files.unchanged.has(id) ? base : undefined);
    plan({ id, base, file, card: cards.unchanged.has(id) ? base : cards.others.get(id) });
  }
  for (const [id, file] of byId)
    if (!state.has(id)) plan({ id, base: undefined, file, card: cards.others.get(id) });
  for (const [id, card] of cards.others)
    if (!byId.has(id) && !state.has(id)) plan({ id, base: undefined, file: undefined, card });
  for (const file of unnamed) items.push(planNew(file, options));
  return { items: withoutSeveral(items), changed: byId };
}

/** One line for all files in which several cards are marked. */
function withoutSeveral(items: readonly Item[]): Item[] {
  const [several, others]: [Item[], Item[]] = [[], []];
  for (const item of items) (item.note === severalCards ? several : others).push(item);
  const [first] = several;
  if (first === undefined) return others;
  const more = several.length === 1 ? "" : `, as in ${several.length - 1} more`;
  const note = `${severalCards}${more}: \`deckhand review <folder>\` learns from them; --whole-files makes each file one card`;
  return [...others, { kind: "left", file: first.file, note }];
}

/** Whether it says that the file of a card is missing. */
const isMissed = ({ kind, base }: Item) => kind === "trash-card" || (kind === "write" && base !== undefined);

interface CardState {
  readonly id: string;
  readonly base: BaseCard | undefined;
  readonly file: FileCard | undefined;
  readonly card: ServiceCard | undefined;
}

/** The plan for one card; undefined for one that was in the trash before there was a file of it. */
function planCard(state: CardState, options: PlanOptions): Item | undefined {
  const { base, file, card } = state;
  const live = card?.trashed ? undefined : card;
  if (file?.sides !== undefined && live !== undefined && options.prefer !== undefined)
    return planChosen({ ...state, file }, live, options.prefer, file.sides);
  if (file?.problem !== undefined) return { ...state, ...problemOf(file) };
  if (file === undefined) {
    const excluded = base && live && options.excluded?.(base.path);
    if (excluded !== undefined) return { ...state, ...excluded, kind: "left" };
    // The file may be back when the other machine has completed its sync.
    if (options.foreignRun !== undefined && (live ?? base) !== undefined)
      return unclear(state, options.foreignRun);
    if (live === undefined) return base && { ...state, kind: "forget" };
    if (base === undefined) return { ...state, kind: "write", to: live.doc.read() };
    const edited = live.doc.hash !== base.doc.hash || options.filesEdited?.(base.id, "service", file);
    if (!edited) return { ...state, kind: "trash-card" };
    return {
      ...state,
      kind: "write",
      to: live.doc.read(),
      note: "kept: its file was removed, and it was edited in the collection",
    };
  }
  if (live === undefined) return planWithoutCard(state, file, options);
  return planBoth(state, file, live, options);
}

/** A file whose card is in the trash, or does not exist. */
function planWithoutCard(state: CardState, file: FileCard, options: PlanOptions): Item {
  const { base, card } = state;
  const doc = file.doc?.read();
  if (base === undefined)
    return card === undefined
      ? { ...state, kind: "create", to: doc }
      : {
          ...state,
          kind: "left",
          note: `its card is in the trash of the collection: restore it with \`deckhand cards restore ${card.id}\`, or delete the file`,
          failed: true,
        };
  const same = doc === undefined || equalDocs(withPos(doc, base.doc.read().pos), base.doc.read());
  if (same && !options.filesEdited?.(base.id, "folder", file)) return { ...state, kind: "trash-file" };
  const note = "kept: it was removed in the collection, and its file was edited";
  return { ...state, kind: card === undefined ? "create" : "restore", to: doc, note };
}

function planBoth(state: CardState, file: FileCard, card: ServiceCard, options: PlanOptions): Item {
  const { base } = state;
  const inFolder = positioned(file, base, card);
  // A file that was moved to the top of the folder.
  const isOutside = !file.path.includes("/") && file.doc?.read().deck === null;
  if (isOutside && card.doc.read().deck !== null)
    return { ...state, kind: "left", note: noDeck, failed: true };
  if (inFolder.hash === card.doc.hash) {
    if (file.idMissing) return { ...state, kind: "pull", to: card.doc.read() };
    const isNew = base === undefined || base.doc.hash !== card.doc.hash;
    const moved = base !== undefined && (base.path !== file.path || base.hash !== file.hash);
    if (isNew || moved) return { ...state, kind: "adopt" };
    // Recorded too soon after it was written, or touched since: it had to be read, and need not be the next time.
    const refresh = !isSameStat(base, file);
    return { ...state, kind: "same", ...(refresh ? { refresh } : {}) };
  }
  const doc = inFolder.read();
  if (base?.doc.hash === card.doc.hash) {
    return { ...state, kind: file.idMissing ? "merge" : "push", to: doc };
  }
  if (base?.doc.hash === inFolder.hash) return { ...state, kind: "pull", to: card.doc.read() };
  return planMerge(state, doc, card.doc.read(), options);
}

/** A file in which an earlier sync wrote conflicts, and the side that is preferred. */
function planChosen(
  state: CardState & { readonly file: FileCard },
  card: ServiceCard,
  prefer: Preference,
  sides: Readonly<Record<Preference, DocRef>>,
): Item {
  const { problem: _, marked: __, sides: ___, ...rest } = state.file;
  const file = { ...rest, doc: sides[prefer] };
  const { kind, to = card.doc.read() } = planBoth({ ...state, file }, file, card, {
    prefer,
  });
  const lost = (prefer === "folder" ? card.doc : sides.folder).read();
  // The file is written anew in any case.
  return { ...state, file, kind: kind === "push" || kind === "merge" ? "merge" : "pull", to, lost };
}

function planMerge(state: CardState, doc: CardDocument, inService: CardDocument, options: PlanOptions): Item {
  const { doc: to, marked, values } = mergeDocs(state.base?.doc.read(), doc, inService, options.prefer);
  if (values.length > 0) {
    const note = `both sides changed its ${values.join(" and ")}: choose a side with --prefer folder or --prefer service`;
    return { ...state, kind: "left", note, conflict: true };
  }
  if (marked) return { ...state, kind: "conflict", to, conflict: true, note: inConflict };
  const lost = options.prefer && lostText(state.base?.doc.read(), doc, inService, options.prefer);
  if (equalDocs(to, inService)) return { ...state, kind: "pull", to, lost };
  return { ...state, kind: equalDocs(to, doc) && !state.file?.idMissing ? "push" : "merge", to, lost };
}

const inConflict =
  "both sides changed the same lines: the file gets both texts, the collection keeps its own";

/** The document of the side that was not preferred, if there is a conflict. */
function lostText(
  base: CardDocument | undefined,
  folder: CardDocument,
  service: CardDocument,
  prefer: Preference,
): CardDocument | undefined {
  const { marked, values } = mergeDocs(base, folder, service);
  if (!marked && values.length === 0) return undefined;
  return prefer === "folder" ? service : folder;
}

/** The document of a file; without a position it has the one that the card has. */
function positioned(file: FileCard, base: BaseCard | undefined, card: ServiceCard): DocRef {
  const doc = file.doc;
  if (doc === undefined || (base !== undefined && doc.hash === base.doc.hash)) return doc ?? card.doc;
  const read = doc.read();
  return read.pos === null ? refOf(withPos(read, (base?.doc ?? card.doc).read().pos)) : doc;
}

/** What cannot be decided before another machine has completed its sync. */
const unclear = (state: Partial<CardState>, mark: string): Item => ({
  ...state,
  kind: "left",
  note: `another machine has not completed its sync: sync there, or remove ${mark}`,
});

/** What is left of a file that cannot be synced; one that is empty is no problem. */
const problemOf = ({ problem, marked = false }: FileCard): Item => ({
  kind: "left",
  note: problem,
  conflict: marked,
  failed: !marked && problem !== emptyFile && problem !== severalCards,
});

const noDeck = "it is in no deck's folder: move it into one, or add it to .deckhandignore";

function planNew(file: FileCard, { foreignRun }: PlanOptions): Item {
  if (file.problem !== undefined) return { file, ...problemOf(file) };
  if (foreignRun !== undefined) return unclear({ file }, foreignRun);
  const to = file.doc?.read();
  if (to?.deck == null) return { kind: "left", file, note: noDeck };
  return { kind: "create", file, to };
}

const withPos = (doc: CardDocument, pos: string | null): CardDocument => ({ ...doc, pos: doc.pos ?? pos });
