import { differences, documentOf, hashOfDocument, updateBody } from "../../cards/document.ts";
import type { OriginRecord } from "../../client/apply/record.ts";
import { ifThere } from "../../client/if-there.ts";
import type { Client } from "../../client/index.ts";
import type { Card, CardUpdate } from "../../schema/index.ts";
import type { UndoLine } from "./undo-record.ts";
import { comparable } from "./wanted.ts";

interface Created {
  readonly hash: string | undefined;
  readonly reviews: number;
  readonly files: number;
}

type Updated = Omit<Extract<UndoLine, { readonly updated: string }>, "updated">;

/** What an import did, by the ids of cards. */
export interface ImportChanges {
  readonly created: Map<string, Created>;
  readonly updated: Map<string, Updated>;
  /** Ids of the decks that it created, those above first. */
  readonly decks: string[];
}

/** @param lines of the import's record */
export function readChanges(lines: Iterable<UndoLine>): ImportChanges {
  const changes: ImportChanges = { created: new Map(), updated: new Map(), decks: [] };
  const { created, updated, decks } = changes;
  for (const line of lines) {
    if ("card" in line) {
      const before = created.get(line.card);
      const { hash = before?.hash, reviews = before?.reviews ?? 0, files = before?.files ?? 0 } = line;
      created.set(line.card, { hash, reviews, files });
    } else if ("updated" in line) {
      const { updated: id, to, was, trashed, untouched } = line;
      // What it was first is what it was before the import.
      if (!created.has(id)) updated.set(id, { was, trashed, untouched, ...updated.get(id), to });
    } else if ("deck" in line) decks.push(line.deck);
  }
  return changes;
}

interface UndoTarget {
  readonly client: Client;
  readonly record: Pick<OriginRecord, "remove" | "byId" | "put">;
  /** Whether cards that were changed since are taken back, too. */
  readonly overwrite: boolean;
  left(id: string, why: string): void;
  progress(): void;
}

interface Undone {
  deleted: number;
  restored: number;
  decks: number;
}

/** Takes an import back. What it finds done already is passed over, so that it can be run again. */
export async function undoChanges(
  { created, updated, decks }: ImportChanges,
  target: UndoTarget,
): Promise<Undone> {
  const undone: Undone = { deleted: 0, restored: 0, decks: 0 };
  const gone: string[] = [];
  for (const [id, made] of created) {
    const what = await deleteCard(target, id, made);
    if (what !== "left") gone.push(id);
    if (what === "deleted") undone.deleted++;
  }
  target.record.remove(gone);
  for (const [id, each] of updated) if (await restore(target, id, each)) undone.restored++;
  for (const id of [...decks].reverse()) if (await deleteDeck(target, id)) undone.decks++;
  return undone;
}

async function deleteCard(
  target: UndoTarget,
  id: string,
  { hash, reviews, files }: Created,
): Promise<"deleted" | "gone" | "left"> {
  target.progress();
  const card = await ifThere(target.client.cards.get(id));
  if (card === undefined) return "gone";
  if (!(await mayChange(target, card, hash))) return "left";
  const given = [
    ...((card.reviews ?? []).length > reviews ? ["reviewed"] : []),
    ...(Object.keys(card.attachments ?? {}).length > files ? ["given files"] : []),
  ];
  if (!target.overwrite && given.length > 0) {
    target.left(id, `it was ${given.join(" and ")} since the import`);
    return "left";
  }
  await target.client.cards.delete(id);
  return "deleted";
}

async function restore(
  target: UndoTarget,
  id: string,
  { was, trashed, to, untouched }: Updated,
): Promise<boolean> {
  target.progress();
  const card = await ifThere(target.client.cards.get(id));
  if (card === undefined) {
    target.left(id, "it was deleted since");
    return false;
  }
  const now = await documentOf(card);
  const state = trashed === null ? null : (card["trashed?"] ?? trashed);
  const update: CardUpdate = {
    ...(differences(comparable(now), comparable(was)).length === 0 ? {} : updateBody(now, was)),
    ...((card["trashed?"] ?? null) === state ? {} : { "trashed?": state }),
  };
  const changes = Object.keys(update).length > 0;
  if (changes && !(await mayChange(target, card, to))) return false;
  if (changes) await target.client.cards.update(id, update);
  // The next import finds it as this one did: changed in the file alone, or different for another reason.
  const written = untouched ? hashOfDocument(was) : undefined;
  target.record.put(target.record.byId(id).map((each) => ({ ...each, written, read: undefined })));
  return changes;
}

/** @param hash of what the import made of the card, where it is known */
async function mayChange(target: UndoTarget, card: Card, hash: string | undefined): Promise<boolean> {
  if (target.overwrite || hash === undefined) return true;
  if (hashOfDocument(await documentOf(card)) === hash) return true;
  target.left(card.id, "it was changed since the import");
  return false;
}

/** A deck that others put cards or decks into stays. */
async function deleteDeck(target: UndoTarget, id: string): Promise<boolean> {
  target.progress();
  if ((await ifThere(target.client.decks.get(id))) === undefined) return false;
  const { docs } = await target.client.cards.list({ "deck-id": id, limit: 1 });
  const below = (await target.client.decks.all()).some((each) => each["parent-id"] === id);
  if (docs.length > 0 || below) {
    target.left(id, "the deck is not empty");
    return false;
  }
  await target.client.decks.delete(id);
  return true;
}
