import { leave } from "./changes.ts";
import { similarity } from "./doc.ts";
import { emptyFile, ownId, severalCards } from "./read-card.ts";
import { pairAlike, pairEqual } from "./resemble.ts";
import type { ScannedFiles } from "./scan-files.ts";
import type { ScannedCards } from "./scan-service.ts";
import type { State } from "./state.ts";
import type { BaseCard, CardChange, FileCard } from "./types.ts";

/** The three states of the cards. */
export interface Scanned {
  readonly state: State;
  readonly files: ScannedFiles;
  readonly cards: ScannedCards;
}

interface SortedFiles {
  /** Without unchanged files, but for those whose ids other files have, too. */
  readonly byId: ReadonlyMap<string, FileCard>;
  /** New files. */
  readonly unnamed: readonly FileCard[];
  /** Files that carry the id of another. */
  readonly left: readonly CardChange[];
  /** A file that cannot be read and is no known card's. */
  readonly obscured: string | undefined;
}

/**
 * Finds the file of each card: by the id in it, else by its place and text, as after a move or on another machine.
 *
 * @param settled whether no other machine is in the middle of a sync, which may write the ids itself
 */
export function sortFiles({ state, files, cards }: Scanned, settled: boolean): SortedFiles {
  const byId = new Map<string, FileCard>();
  const left: CardChange[] = [];
  const doubled = new Map<string, FileCard[]>();
  for (const file of files.others) {
    if (file.id === undefined) continue;
    const other = byId.get(file.id) ?? (files.unchanged.has(file.id) ? state.card(file.id) : undefined);
    if (other === undefined) byId.set(file.id, file);
    else doubled.set(file.id, [...(doubled.get(file.id) ?? [other]), file]);
  }
  const missing = missingCards(state, files, byId);
  for (const [id, several] of doubled) {
    const owner = several.find(({ path }) => path === state.card(id)?.path);
    if (owner === undefined) byId.delete(id);
    else byId.set(id, owner);
    for (const file of several)
      if (file !== owner) {
        const other = owner?.path ?? several.find((each) => each !== file)?.path;
        const note = `its id is also that of ${other}: delete it, or remove its id to keep it as a new card`;
        left.push(leave(owner === undefined ? { file, id } : { file }, note, { conflict: true }));
      }
  }
  const byPath = new Map([...missing.values()].map((each) => [each.path, each]));
  const unnamed: FileCard[] = [];
  let obscured: string | undefined;
  const match = (file: FileCard, found: BaseCard) => {
    missing.delete(found.id);
    byPath.delete(found.path);
    byId.set(found.id, { ...file, id: found.id, idMissing: file.problem === undefined });
  };
  // The id that a file seems to have may be wrong where it cannot be read.
  for (const file of files.others)
    if (file.problem !== undefined && file.id !== undefined && !state.has(file.id)) obscured ??= file.path;
  const loose: FileCard[] = [];
  for (const file of files.others) {
    if (file.id !== undefined) continue;
    const there = byPath.get(file.path);
    if (there !== undefined && (file.doc === undefined || similarity(file.doc.read(), there.doc.read()) > 0))
      match(file, there);
    else loose.push(file);
  }
  const read = loose.flatMap((file) => (file.doc ? [[file, file.doc.read()] as const] : []));
  const entries = read.length === 0 ? [] : [...missing.values()];
  const moved = pairAlike(
    read,
    entries.map((entry) => [entry, entry.doc.read()] as const),
  );
  const rest: FileCard[] = [];
  for (const file of loose) {
    const found = moved.get(file);
    if (found !== undefined) match(file, found);
    else rest.push(file);
  }
  const equal = equalCards(settled ? rest : [], cards, (id) => state.has(id) || byId.has(id));
  for (const file of rest) {
    const id = equal.get(file);
    if (id !== undefined) byId.set(id, { ...file, id, idMissing: true });
    else {
      if (file.problem !== undefined && !isOther(file.problem)) obscured ??= file.path;
      unnamed.push(file);
    }
  }
  return { byId, unnamed, left, obscured };
}

/** The cards of the state whose ids no file has. */
function missingCards(state: State, files: ScannedFiles, byId: ReadonlyMap<string, FileCard>) {
  const missing = new Map<string, BaseCard>();
  for (const card of state.cardsExcept(files.unchanged)) if (!byId.has(card.id)) missing.set(card.id, card);
  return missing;
}

/** Whether a file that is not synced is surely none of a card. */
const isOther = (problem: string) => [emptyFile, ownId, severalCards].includes(problem);

/**
 * Finds cards that are equal to files without ids: another machine created them from the same notes.
 *
 * @param isKnown whether a card has a file, or had one at the last sync
 */
function equalCards(
  files: readonly FileCard[],
  cards: Scanned["cards"],
  isKnown: (id: string) => boolean,
): ReadonlyMap<FileCard, string> {
  const read = files.flatMap((file) => (file.doc ? [[file, file.doc.read()] as const] : []));
  if (read.length === 0) return new Map();
  const free = [...cards.others.values()].filter(({ id, trashed }) => !trashed && !isKnown(id));
  return pairEqual(
    read,
    free.map(({ id, doc }) => [id, doc.read()] as const),
  );
}
