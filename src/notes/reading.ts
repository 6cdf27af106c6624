import { createHash } from "node:crypto";
import { splitSides } from "../cards/sides.ts";
import type { Origin, OriginRecord } from "../client/apply/record.ts";
import { newId } from "../schema/index.ts";
import type { Skip } from "../transfer/model.ts";
import { type FoundCard, type FoundFile, NotesFolder } from "./folder.ts";
import { identify } from "./identity.ts";

/**
 * What the record of origins has of a followed folder: under its path a row for each file, each card (in the order of its
 * file) and each card that is in no file any more; under `followed` a row for the folder itself. A row that is not `done`
 * says what is still to be made of a card of the account.
 */
export const followed = "followed";

/** What a row of a card says of it. */
export type NotedCard = Pick<FoundCard, "file" | "line" | "content"> &
  Partial<Pick<FoundCard, "tags" | "reverse" | "reviews" | "files">>;

export const notedCard = ({ note = "{}" }: Pick<Origin, "note">): NotedCard => JSON.parse(note);

/** Whether a row stands for a card that its file has still. */
export const isThere = ({ key }: Pick<Origin, "key">): boolean => key.startsWith("card ");
/** Whether it stands for a card of a followed file at all. */
export const isNoted = (row: Origin): boolean =>
  row.note !== undefined && (isThere(row) || row.key.startsWith("gone "));

const cardsIn = (file: string): string => `card ${file}//`;

/** What changed in a folder since it was read last. */
export interface Reading {
  /** The files with their cards, as far as they were read. */
  readonly found: readonly FoundCard[];
  readonly files: number;
  readonly added: number;
  readonly edited: number;
  readonly moved: number;
  readonly back: number;
  readonly gone: number;
  /** The ids that were chosen for new cards. */
  readonly fresh: ReadonlySet<string>;
  /** Records all of it, before anything is sent. @param folder `id` is its deck, `written` when it was read */
  write(folder: Pick<Origin, "id" | "note" | "written">): void;
}

/** Reads what changed in the files of a folder, and finds out which card is which. */
export async function readFolder(root: string, record: OriginRecord, skip: Skip): Promise<Reading> {
  const self = record.find(followed, root);
  const before = new Map([...record.bySource(root, "file ")].map((row) => [row.key.slice(5), row]));
  const unreadable: string[] = [];
  const folder = await NotesFolder.open(root, skip);
  const stamps = folder.list(unreadable);
  const isLost = (path: string) =>
    unreadable.some((each) => each === "" || path === each || path.startsWith(`${each}/`));
  const missing = [...before.keys()].filter((path) => !stamps.has(path) && !isLost(path));
  const isChanged = (path: string) =>
    self?.read !== folder.form || before.get(path)?.read !== stamps.get(path);
  const files = new Map<string, FoundFile>();
  const read = async (isWanted: (path: string) => boolean) => {
    for (const path of [...stamps.keys()].filter(isWanted)) {
      const file = files.get(path) ?? (await folder.read(path));
      if (file !== undefined) files.set(path, file);
    }
  };
  await read(isChanged);
  // Obsidian's plugin reads only the notes with its tag, where there are any.
  const wasTagged = (path: string) => before.get(path)?.written !== undefined;
  const isTagged = (path: string) => files.get(path)?.tagged ?? wasTagged(path);
  const hasTags = [...stamps.keys()].some(isTagged);
  if (hasTags !== [...before.keys()].some(wasTagged)) await read(() => true);
  const found = [...files.values()].flatMap(({ cards, tagged }) =>
    hasTags && !tagged ? cards.filter(needsNoTag) : cards,
  );
  const changed = [...missing, ...files.keys()];
  const known = changed.flatMap((path) => [...record.bySource(root, cardsIn(path))]);
  const gone = found.length === 0 ? [] : [...record.bySource(root, "gone ")];
  const { rows, ...counts } = compared(root, [...known, ...gone], found);
  const fileRows = [...files].map(([path, { tagged }]) =>
    rowOf(root, `file ${path}`, { read: stamps.get(path), written: tagged ? "tagged" : undefined }),
  );
  const replaced = [
    ...changed.map(cardsIn),
    ...missing.map((path) => `file ${path}`),
    ...(gone.length > 0 ? ["gone "] : []),
  ];
  return {
    ...counts,
    found,
    files: stamps.size,
    write(whole) {
      const done = (self?.done ?? true) && rows.every((row) => row.done);
      record.put([rowOf(followed, root, { ...whole, read: self?.read, done: false })]);
      record.replace(root, replaced, [...rows, ...fileRows]);
      record.put([rowOf(followed, root, { ...whole, read: folder.form, done })]);
    },
  };
}

const rowOf = (source: string, key: string, more: Partial<Origin>): Origin => ({
  ...{ source, key, id: "", done: true, archived: false },
  ...more,
});

const needsNoTag = ({ mark, reviews }: FoundCard) => mark === "Q:" || mark === "C:" || reviews.length > 0;

/** The rows of the cards of changed files, and of all that are gone. @param known those that they replace */
function compared(root: string, known: readonly Origin[], found: readonly FoundCard[]) {
  const counts = { added: 0, edited: 0, moved: 0, back: 0, gone: 0 };
  const fresh = new Set<string>();
  const notes = new Map(known.map((row) => [row.key, { row, note: notedCard(row) }]));
  const keys = identify(
    [...notes.values()].map(({ row, note }) => ({
      ...{ id: row.key, file: note.file, sides: splitSides(note.content), gone: !isThere(row) },
    })),
    found,
  );
  const numbers = new Map<string, number>();
  const rows = found.map((card, index): Origin => {
    const number = numbers.get(card.file) ?? 0;
    numbers.set(card.file, number + 1);
    const key = `${cardsIn(card.file)}${String(number).padStart(6, "0")}`;
    const read = hashOf(card);
    const was = notes.get(keys[index] ?? "");
    if (was === undefined) {
      const id = newId();
      fresh.add(id);
      counts.added++;
      return rowOf(root, key, { id, read, done: false, note: noteOf(card, true) });
    }
    const { row, note } = was;
    notes.delete(row.key);
    const isMoved = note.file !== card.file;
    if (!isThere(row)) counts.back++;
    else if (row.read !== read) counts.edited++;
    else if (isMoved) counts.moved++;
    const done = row.done && row.read === read && !isMoved && isThere(row);
    return { ...row, key, read, done, note: noteOf(card, row.written === undefined) };
  });
  for (const { row } of notes.values()) {
    const isNew = isThere(row);
    if (isNew) counts.gone++;
    // One that was let go of is nothing to the account.
    if (row.id !== "") rows.push(isNew ? { ...row, key: `gone ${newId()}`, done: false } : row);
  }
  return { ...counts, rows, fresh };
}

/** @param isFirst whether the account may not have it yet: then it gets the schedule that its file has */
function noteOf({ file, line, content, tags, reverse, reviews, files }: FoundCard, isFirst: boolean): string {
  const card: NotedCard = {
    ...{ file, line, content },
    ...(tags.length > 0 ? { tags } : {}),
    ...(reverse ? { reverse } : {}),
    ...(isFirst && reviews.length > 0 ? { reviews } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
  return JSON.stringify(card);
}

const hashOf = ({ content, tags, reverse, files }: FoundCard): string =>
  createHash("sha256")
    .update(JSON.stringify([content, tags, reverse, files]))
    .digest("base64url")
    .slice(0, 22);
