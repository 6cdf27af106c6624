import { leave } from "./changes.ts";
import { similarity } from "./doc.ts";
import { emptyFile, ownId, severalCards } from "./read-card.ts";
import { pairAlike, pairEqual } from "./resemble.ts";
import type { ScannedFiles } from "./scan-files.ts";
import type { ScannedCards } from "./scan-service.ts";
import type { State } from "./state.ts";
import type { BaseCard, CardChange, DocRef, FileCard } from "./types.ts";

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
  const named = new Map<string, FileCard[]>();
  for (const file of files.others)
    if (file.id !== undefined) named.set(file.id, [...(named.get(file.id) ?? []), file]);
  const byId = new Map<string, FileCard>();
  const left: CardChange[] = [];
  for (const [id, found] of named) {
    const unchanged = files.unchanged.has(id) ? state.card(id) : undefined;
    const several = unchanged === undefined ? found : [unchanged, ...found];
    const known = state.card(id)?.path;
    const owner = several.length === 1 ? several[0] : several.find(({ path }) => path === known);
    if (owner !== undefined) byId.set(id, owner);
    for (const file of several)
      if (file !== owner) {
        const other = (owner ?? several.find((each) => each !== file))?.path;
        const note = `its id is also that of ${other}: delete it, or remove its id to keep it as a new card`;
        left.push(leave(owner === undefined ? { file, id } : { file }, note, { conflict: true }));
      }
  }
  const missing = new Map<string, BaseCard>();
  for (const card of state.cardsExcept(files.unchanged)) if (!named.has(card.id)) missing.set(card.id, card);
  const byPath = new Map([...missing.values()].map((each) => [each.path, each]));
  const match = (file: FileCard, found: BaseCard) => {
    missing.delete(found.id);
    byPath.delete(found.path);
    byId.set(found.id, { ...file, id: found.id, idMissing: file.problem === undefined });
  };
  const loose = files.others.filter((file) => {
    const there = file.id === undefined ? byPath.get(file.path) : undefined;
    const isIt = there && (file.doc === undefined || similarity(file.doc.read(), there.doc.read()) > 0);
    if (isIt) match(file, there);
    return file.id === undefined && !isIt;
  });
  const read = withDocs(loose);
  const moved = pairAlike(read, read.length === 0 ? [] : withDocs([...missing.values()]));
  for (const [file, found] of moved) match(file, found);
  const rest = loose.filter((file) => !moved.has(file));
  const equal = equalCards(settled ? rest : [], cards, (id) => state.has(id) || byId.has(id));
  for (const [file, id] of equal) byId.set(id, { ...file, id, idMissing: true });
  const unnamed = rest.filter((file) => !equal.has(file));
  // The id that a file seems to have may be wrong where it cannot be read.
  const obscured = [...files.others.filter(({ id }) => id !== undefined && !state.has(id)), ...unnamed].find(
    ({ problem }) => problem !== undefined && !isOther(problem),
  )?.path;
  return { byId, unnamed, left, obscured };
}

const withDocs = <T extends { readonly doc: DocRef | undefined }>(all: readonly T[]) =>
  all.flatMap((each) => (each.doc ? [[each, each.doc.read()] as const] : []));

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
  const read = withDocs(files);
  if (read.length === 0) return new Map();
  const free = [...cards.others.values()].filter(({ id, trashed }) => !trashed && !isKnown(id));
  return pairEqual(
    read,
    free.map(({ id, doc }) => [id, doc.read()] as const),
  );
}
