import { statSync } from "node:fs";
import type { Client } from "../../client/index.ts";
import { UsageError } from "../../errors.ts";
import { AppendLog } from "../../files/append-log.ts";
import { fileProblem } from "../../files/errors.ts";
import type { Card, CardUpdate } from "../../schema/index.ts";
import { cardHash } from "../card-hash.ts";
import { ifThere } from "../if-there.ts";
import { broken } from "../place.ts";
import {
  type AddedReviews,
  type JournalHeader,
  type JournalRead,
  type Outcome,
  readJournal,
  type WasCard,
} from "./journal-lines.ts";
import type { KnownKeys } from "./known.ts";
import { differing, hashesOf, partsOfCard, updateOf } from "./parts.ts";
import type { Scratch, ScratchMap } from "./scratch.ts";

/** What an import did, as its journal records it. */
export interface ImportChanges {
  /** The ids of the cards that it created. */
  readonly created: ReadonlySet<string>;
  /** Cards as they were before it updated them, by their ids. */
  readonly updated: ScratchMap<WasCard>;
  readonly updatedCount: number;
  /** By the id of a card: the hash of what it became last, where that is known. */
  readonly hashes: ScratchMap<string>;
  /** By the id of a card that it created: how many reviews it gave it, at most. */
  readonly reviews: ScratchMap<number>;
  /** By the id of a card that it did not create: the reviews that it added. */
  readonly added: ScratchMap<AddedReviews>;
  readonly addedCount: number;
  /** Whether it came to its end. */
  readonly finished: boolean;
  /** Attachments that it added to cards that it did not create. */
  readonly files: readonly { readonly card: string; readonly name: string }[];
  /** Ids of the decks that it created, those above first. */
  readonly decks: readonly string[];
  readonly templates: number;
  /** Records in the journal that all was taken back. */
  end(): Promise<void>;
}

/** @throws UsageError for a file that is not the journal of an import into this account, and for an import that was undone */
export async function readUndo(
  path: string,
  header: JournalHeader,
  scratch: Scratch,
): Promise<ImportChanges> {
  let read: JournalRead;
  try {
    statSync(path);
    read = await readJournal(path, path, header, scratch);
  } catch (error) {
    throw error instanceof UsageError ? error : broken(path, fileProblem(error), undefined, error);
  }
  const { outcomes, was, added, undone, begun, end } = read;
  if (!begun) throw broken(path, "this is no journal of deckhand");
  if (undone) throw broken(path, "this import was taken back already");
  const hashes = scratch.map<string>();
  const histories = scratch.map<number>();
  const created = new Set<string>();
  const files: { card: string; name: string }[] = [];
  const decks: string[] = [];
  let templates = 0;
  for (const [, { item, state, id, card, used, of, on, reviews }] of outcomes.entries()) {
    if (state !== "done") continue;
    if (of !== undefined && card !== undefined) hashes.set(of, card);
    if (on !== undefined && !created.has(on)) files.push({ card: on, name: fileOf(item) });
    if (reviews !== undefined) histories.set(outcomes.get(item.replace(/ reviews$/, ""))?.id ?? "", reviews);
    if (id === undefined || used) continue;
    if (card !== undefined) hashes.set(id, card);
    if (/^card \d+$/.test(item)) created.add(id);
    else if (item.startsWith("deck ")) decks.push(id);
    else if (item.startsWith("template ")) templates++;
  }
  let updatedCount = 0;
  for (const _ of was.entries()) updatedCount++;
  let addedCount = 0;
  for (const [id, { dates }] of added.entries()) if (!created.has(id)) addedCount += dates.length;
  return {
    created,
    updated: was,
    updatedCount,
    hashes,
    reviews: histories,
    added,
    addedCount,
    finished: read.finished,
    files,
    decks,
    templates,
    async end() {
      const log = new AppendLog(path);
      log.cut(end);
      log.append({ undone: true });
      log.sync();
      log.close();
    },
  };
}

const fileOf = (item: Outcome["item"]) => item.replace(/^card \d+ file /, "");

interface UndoOptions {
  /** Whether cards that were changed since are taken back, too. */
  readonly overwrite: boolean;
  left(id: string, why: string): void;
  progress(): void;
}

interface Undone {
  readonly deleted: number;
  readonly restored: number;
  /** Reviews that it removed from cards that the import did not create. */
  readonly reviews: number;
  readonly decks: number;
}

/** Takes an import back. What it finds done already is passed over, so that it can be run again. */
export class Undo {
  readonly #client: Client;
  readonly #known: Pick<KnownKeys, "note">;
  readonly #options: UndoOptions;

  constructor(client: Client, known: Pick<KnownKeys, "note">, options: UndoOptions) {
    this.#client = client;
    this.#known = known;
    this.#options = options;
  }

  async run(changes: ImportChanges): Promise<Undone> {
    let [deleted, restored, reviews, decks] = [0, 0, 0, 0];
    for (const id of changes.created) if (await this.#delete(id, changes)) deleted++;
    for (const { card, name } of changes.files) await ifThere(this.#client.attachments.remove(card, name));
    for (const [id, added] of changes.added.entries())
      if (!changes.created.has(id)) reviews += await this.#removeReviews(id, added);
    for (const [, { was, to, untouched }] of changes.updated.entries()) {
      if (await this.#restore(was, [to, changes.hashes.get(was.id)])) restored++;
      // With another hash the next import would report the card as edited in the account; and with what the undone import
      // read, as one of a file that has not changed.
      const card = untouched ? cardHash(was) : undefined;
      this.#known.note("card", was.id, { id: was.id, card, source: null });
    }
    for (const id of [...changes.decks].reverse()) if (await this.#deleteDeck(id)) decks++;
    return { deleted, restored, reviews, decks };
  }

  async #delete(id: string, { hashes, reviews }: ImportChanges): Promise<boolean> {
    this.#options.progress();
    const card = await ifThere(this.#client.cards.get(id));
    if (card === undefined || !this.#mayChange(card, [hashes.get(id)])) return false;
    if (!this.#options.overwrite && (card.reviews ?? []).length > (reviews.get(id) ?? 0)) {
      this.#options.left(id, "it was reviewed since the import");
      return false;
    }
    await this.#client.cards.delete(id).send();
    return true;
  }

  async #removeReviews(id: string, { had, dates }: AddedReviews): Promise<number> {
    this.#options.progress();
    const card = await ifThere(this.#client.cards.get(id));
    const there = new Set((card?.reviews ?? []).map(({ date }) => Date.parse(date ?? "")));
    const added = dates.filter((date) => there.has(Date.parse(date)));
    if (!this.#options.overwrite && there.size > had + added.length) {
      this.#options.left(id, "it was reviewed since the import");
      return 0;
    }
    for (const date of added) await ifThere(this.#client.reviews.delete(id, date));
    return added.length;
  }

  async #restore(was: Card, hashes: readonly (string | undefined)[]): Promise<boolean> {
    this.#options.progress();
    const card = await ifThere(this.#client.cards.get(was.id));
    if (card === undefined) {
      this.#options.left(was.id, "it was deleted since");
      return false;
    }
    const [before, now] = [await partsOfCard(was), await partsOfCard(card)];
    const update: CardUpdate = updateOf(
      before,
      differing(hashesOf(before), hashesOf(now)),
      was["trashed?"] ?? undefined,
    );
    if (Object.keys(update).length === 0 || !this.#mayChange(card, hashes)) return false;
    await this.#client.cards.update(was.id, update).send();
    return true;
  }

  /** @param hashes of what the import made of the card, as far as they are known */
  #mayChange(card: Card, hashes: readonly (string | undefined)[]): boolean {
    const known = hashes.filter((each) => each !== undefined);
    if (this.#options.overwrite || known.length === 0 || known.includes(cardHash(card))) return true;
    this.#options.left(card.id, "it was changed since the import");
    return false;
  }

  /** A deck that others put cards or decks into stays. */
  async #deleteDeck(id: string): Promise<boolean> {
    this.#options.progress();
    if ((await ifThere(this.#client.decks.get(id))) === undefined) return false;
    const { docs } = await this.#client.cards.list({ "deck-id": id, limit: 1 }).send();
    const below = (await this.#client.decks.all()).some((each) => each["parent-id"] === id);
    if (docs.length > 0 || below) {
      this.#options.left(id, "the deck is not empty");
      return false;
    }
    await this.#client.decks.delete(id).send();
    return true;
  }
}
