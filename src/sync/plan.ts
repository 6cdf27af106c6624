import type { CardDocument } from "../cards/document.ts";
import { isSameStat } from "../folder/stat.ts";
import { type CardState, change, isRemoval, leave } from "./changes.ts";
import { equalDocs, refOf } from "./doc.ts";
import { mergeDocs } from "./merge.ts";
import { emptyFile, severalCards } from "./read-card.ts";
import { hasNoDeck } from "./scan-folder.ts";
import { type Scanned, sortFiles } from "./sort-files.ts";
import type { BaseCard, CardChange, DocRef, Excluded, FileCard, Preference, ServiceCard } from "./types.ts";

export interface PlanOptions {
  readonly prefer?: Preference | undefined;
  /** The deck that is synced; undefined for all of them. */
  readonly scope: string | undefined;
  /** The mark of a sync of another machine that did not end: files may be aside, and new ones have cards already. */
  readonly foreignRun?: string | undefined;
  /** Why the file at a path is not synced although it is there; undefined for any other. */
  excluded?(path: string): Excluded | undefined;
  /** Whether an attachment of a card was added or changed on a side since the last sync. */
  filesEdited?(id: string, side: Preference, file: FileCard | undefined): boolean;
}

interface CardPlan {
  /** Nothing for cards that are the same on both sides. */
  readonly changes: CardChange[];
  /** The file of each card by id, without unchanged files, but for those whose ids other files have, too. */
  readonly changed: ReadonlyMap<string, FileCard>;
}

/** What is to be done so that both sides are the same. Changes nothing; documents of the base are read from the disk. */
export function planCards(scanned: Scanned, options: PlanOptions): CardPlan {
  const { state, files, cards } = scanned;
  const { byId, unnamed, left, obscured } = sortFiles(scanned, options.foreignRun === undefined);
  const changes: CardChange[] = [...left];
  const unclear = new Set(left.map(({ id }) => id));
  const copies = new Set(left.map(({ file }) => file?.path));
  const plan = (each: CardState) => {
    const change = unclear.has(each.id) ? undefined : planCard(each, options);
    if (change === undefined) return;
    // A copy took the place of its file, by mistake or not.
    if (isRemoval(change) && change.file === undefined && copies.has(change.base?.path))
      changes.push(leave(each, `its file ${change.base?.path} has the id of another card`));
    // A file that cannot be read may be the one that seems to be missing.
    else if (obscured !== undefined && isMissed(change))
      changes.push(
        leave(
          each,
          `its file is missing, and ${obscured} cannot be read: correct that, or add it to .deckhandignore`,
        ),
      );
    else changes.push(change);
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
  for (const file of unnamed) changes.push(planNew(file, options));
  return { changes: withoutSeveral(changes), changed: byId };
}

/** One line for all files in which several cards are marked. */
function withoutSeveral(changes: readonly CardChange[]): CardChange[] {
  const several = changes.filter(({ note }) => note === severalCards);
  const others = changes.filter(({ note }) => note !== severalCards);
  const [first] = several;
  if (first === undefined) return others;
  const more = several.length === 1 ? "" : `, as in ${several.length - 1} more`;
  const note = `${severalCards}${more}: \`deckhand review <folder>\` learns from them; --whole-files makes each file one card`;
  return [...others, { ...first, note }];
}

/** Whether it says that the file of a card is missing. */
const isMissed = ({ op, side, file, base }: CardChange) =>
  file === undefined && (op === "remove" || (op === "create" && side === "folder" && base !== undefined));

/** The plan for one card; undefined for one that is the same, or was in the trash before there was a file of it. */
function planCard(state: CardState, options: PlanOptions): CardChange | undefined {
  const { file, card } = state;
  const live = card?.trashed ? undefined : card;
  if (file?.problem !== undefined) return leaveProblem(state, file);
  if (file === undefined) return planWithoutFile(state, live, options);
  if (live === undefined) return planWithoutCard({ ...state, file }, options);
  return planBoth(state, file, live, options);
}

/** A card without a file. @param live the card, unless it is in the trash */
function planWithoutFile(
  state: CardState,
  live: ServiceCard | undefined,
  options: PlanOptions,
): CardChange | undefined {
  const { base } = state;
  const excluded = base && live && options.excluded?.(base.path);
  if (excluded !== undefined) return leave(state, excluded.note, { failed: excluded.failed });
  // The file may be back when the other machine has completed its sync.
  if (options.foreignRun !== undefined && (live ?? base) !== undefined)
    return leave(state, unclear(options.foreignRun));
  if (live === undefined) return base && change(state, "forget", "none");
  if (base === undefined) return change(state, "create", "folder", { to: live.doc.read() });
  const edited = live.doc.hash !== base.doc.hash || options.filesEdited?.(base.id, "service", undefined);
  if (!edited) return change(state, "remove", "service");
  const note = "kept: its file was removed, and it was edited in the collection";
  return change(state, "create", "folder", { to: live.doc.read(), note });
}

/** A file whose card is in the trash, or does not exist. */
function planWithoutCard(state: CardState & { readonly file: FileCard }, options: PlanOptions): CardChange {
  const { base, card, file } = state;
  const to = file.doc && placed(file.doc, file, base, options).read();
  if (base === undefined)
    return card === undefined
      ? change(state, "create", "service", { to })
      : leave(
          state,
          `its card is in the trash of the collection: restore it with \`deckhand cards restore ${card.id}\`, or delete the file`,
        );
  const same = to === undefined || equalDocs(withPos(to, base.doc.read().pos), base.doc.read());
  if (same && !options.filesEdited?.(base.id, "folder", file)) return change(state, "remove", "folder");
  const note = "kept: it was removed in the collection, and its file was edited";
  return change(state, card === undefined ? "create" : "restore", "service", { to, note });
}

function planBoth(
  state: CardState,
  file: FileCard,
  card: ServiceCard,
  options: PlanOptions,
): CardChange | undefined {
  const { base } = state;
  const inFolder = placed(positioned(file, base, card), file, card, options);
  if (inFolder.hash === card.doc.hash) {
    if (file.idMissing) return change(state, "update", "folder", { to: card.doc.read() });
    // Also what was recorded too soon after it was written, or touched since: it need not be read the next time.
    const isKnown =
      base?.doc.hash === card.doc.hash &&
      base.path === file.path &&
      base.hash === file.hash &&
      isSameStat(base, file);
    return isKnown ? undefined : change(state, "record", "none");
  }
  const to = inFolder.read();
  if (base?.doc.hash === card.doc.hash)
    return change(state, "update", file.idMissing ? "both" : "service", { to });
  if (base?.doc.hash === inFolder.hash) return change(state, "update", "folder", { to: card.doc.read() });
  return planMerge(state, to, card.doc.read(), options);
}

function planMerge(
  state: CardState,
  doc: CardDocument,
  inService: CardDocument,
  { prefer }: PlanOptions,
): CardChange {
  const base = state.base?.doc.read();
  const { doc: to, conflict, values } = mergeDocs(base, doc, inService, prefer);
  if (prefer === undefined && values.length > 0) {
    const note = `both sides changed its ${values.join(" and ")}: choose a side with --prefer folder or --prefer service`;
    return leave(state, note, { conflict: true });
  }
  if (prefer === undefined && conflict)
    return change(state, "conflict", "folder", { to, conflict: true, note: inConflict });
  const other = prefer === "folder" ? inService : doc;
  const lost = conflict || values.length > 0 ? other : undefined;
  if (equalDocs(to, inService)) return change(state, "update", "folder", { to, lost });
  const isWhole = equalDocs(to, doc) && !state.file?.idMissing;
  return change(state, "update", isWhole ? "service" : "both", { to, lost });
}

const inConflict =
  "both sides changed the same lines: the file gets both texts, the collection keeps its own";

/** The document of a file; without a position it has the one that the card has. */
function positioned(file: FileCard, base: BaseCard | undefined, card: ServiceCard): DocRef {
  const doc = file.doc;
  if (doc === undefined || (base !== undefined && doc.hash === base.doc.hash)) return doc ?? card.doc;
  const read = doc.read();
  return read.pos === null ? refOf(withPos(read, (base?.doc ?? card.doc).read().pos)) : doc;
}

/** The document of a file; one whose place says nothing of its deck has that of its card. */
function placed(
  doc: DocRef,
  { path }: FileCard,
  card: ServiceCard | undefined,
  { scope }: PlanOptions,
): DocRef {
  if (card === undefined || doc.hash === card.doc.hash || !hasNoDeck(path, scope)) return doc;
  return refOf({ ...doc.read(), deck: card.doc.read().deck });
}

/** What cannot be decided before another machine has completed its sync. */
const unclear = (mark: string) => `another machine has not completed its sync: sync there, or remove ${mark}`;

/** What is left of a file that cannot be synced; one that is empty is no problem. */
const leaveProblem = (state: CardState, { problem = "", marked = false }: FileCard): CardChange =>
  leave(state, problem, {
    conflict: marked,
    failed: !marked && problem !== emptyFile && problem !== severalCards,
  });

const noDeck = "it is in no deck's folder: move it into one, or add it to .deckhandignore";

function planNew(file: FileCard, { foreignRun }: PlanOptions): CardChange {
  if (file.problem !== undefined) return leaveProblem({ file }, file);
  if (foreignRun !== undefined) return leave({ file }, unclear(foreignRun));
  const to = file.doc?.read();
  return to?.deck == null ? leave({ file }, noDeck, {}) : change({ file }, "create", "service", { to });
}

const withPos = (doc: CardDocument, pos: string | null): CardDocument => ({ ...doc, pos: doc.pos ?? pos });
