import { createReadStream } from "node:fs";
import { manualTagsOf } from "../cards/document.ts";
import { splitSides } from "../cards/sides.ts";
import { apply, type Operation, type Outcome, type Task } from "../client/apply/index.ts";
import type { Origin, OriginRecord } from "../client/apply/record.ts";
import { ifThere } from "../client/if-there.ts";
import type { Client } from "../client/index.ts";
import type { DeckhandError } from "../errors.ts";
import { type Card, type CardUpdate, isMap, newId } from "../schema/index.ts";
import { sentReviews } from "../transfer/history.ts";
import { uploadOf } from "../transfer/import/job.ts";
import { at, placed } from "../transfer/place.ts";
import { textOf } from "./identity.ts";
import { isNoted, isThere, type NotedCard, notedCard } from "./reading.ts";

export interface FollowTarget {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly record: OriginRecord;
  /** The id of the deck of a file. */
  deckOf(file: string): string;
  /** Decks that are new and have no cards: others may have those of a run that was stopped, or of another machine. */
  readonly emptyDecks: ReadonlySet<string>;
  /** Ids that nothing was created under yet. */
  readonly fresh: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly now: number;
  failed(error: DeckhandError): void;
  progress(): void;
}

interface Tag {
  readonly row: Origin;
  readonly note: NotedCard;
  /** The last operation of its card. */
  readonly last: boolean;
}

/** Confirmed together: whatever is not is compared again. */
const confirmedAtOnce = 500;

/** Makes of the account what the rows say that are not done. Whatever stops it, the next run goes on with those. */
export async function carryOut(rows: readonly Origin[], target: FollowTarget): Promise<void> {
  await new CarryOut(target, await target.client.service.has("ids")).run(rows);
}

class CarryOut {
  readonly #target: FollowTarget;
  readonly #ids: boolean;
  /** The cards of the decks that were there. */
  readonly #cards = new Map<string, Card>();
  /** Those of them that no followed file stands for, by deck and text. */
  readonly #free = new Map<string, Card[]>();
  /** By the keys of rows. */
  readonly #failed = new Set<string>();
  readonly #created = new Map<string, string>();
  #confirmed: Origin[] = [];

  constructor(target: FollowTarget, ids: boolean) {
    this.#target = target;
    this.#ids = ids;
  }

  async run(rows: readonly Origin[]): Promise<void> {
    const { client, signal, record } = this.#target;
    await this.#readDecks(rows);
    const beforeSend = (tasks: readonly Task<Tag>[]) => {
      // Who archived it must be known, whatever becomes of the answer.
      const archived = tasks.filter(({ tag }) => !isThere(tag.row));
      record.put(archived.map(({ tag }) => ({ ...tag.row, archived: true })));
    };
    try {
      for await (const { task, outcome } of apply(this.#tasks(rows), { client, signal, beforeSend }))
        this.#settled(task, outcome);
    } finally {
      record.put(this.#confirmed);
    }
  }

  async #readDecks(rows: readonly Origin[]): Promise<void> {
    const { client, record, emptyDecks, deckOf } = this.#target;
    const decks = new Set(rows.map((row) => deckOf(notedCard(row).file)));
    for (const deckId of decks)
      if (!emptyDecks.has(deckId))
        for await (const { docs } of client.cards.pages({ deckId }))
          for (const card of docs) {
            this.#cards.set(card.id, card);
            if (card["trashed?"] != null || record.byId(card.id).some(isNoted)) continue;
            const key = textKey(deckId, card.content ?? "");
            this.#free.set(key, [...(this.#free.get(key) ?? []), card]);
          }
  }

  async *#tasks(rows: readonly Origin[]): AsyncGenerator<Task<Tag>> {
    for (const given of rows) {
      const note = notedCard(given);
      const { row, card } = given.id === "" ? { row: given } : await this.#find(given, note);
      const operations = isThere(row) ? await this.#operations(row, note, card) : archiving(row, card);
      for (const [index, operation] of operations.entries())
        yield { operation, tag: { row, note, last: index === operations.length - 1 } };
      if (operations.length === 0) this.#confirm(row, note);
    }
  }

  /** The card of a row; for one that is new, a card of its deck with the same text that no followed file has. */
  async #find(row: Origin, { file, content }: NotedCard): Promise<{ row: Origin; card?: Card | undefined }> {
    const { client, fresh, deckOf } = this.#target;
    const mayExist = row.written !== undefined || (this.#ids && !fresh.has(row.id));
    const card = this.#cards.get(row.id) ?? (mayExist ? await ifThere(client.cards.get(row.id)) : undefined);
    if (card !== undefined || row.written !== undefined || !isThere(row)) return { row, card };
    const free = this.#free.get(textKey(deckOf(file), content))?.shift();
    return free === undefined ? { row } : { row: { ...row, id: free.id }, card: free };
  }

  async #operations(row: Origin, note: NotedCard, card: Card | undefined): Promise<Operation[]> {
    const { client, deckOf, now } = this.#target;
    const { id } = row;
    const { content, tags = [], reverse = false, reviews = [], files = [] } = note;
    // One that was let go of, one that the learner deleted or put in the trash.
    const isLeft = id === "" || (card === undefined ? row.written !== undefined : card["trashed?"] != null);
    if (isLeft) return [];
    const deckId = deckOf(note.file);
    const body: CardUpdate = {};
    const had = card === undefined ? [] : await manualTagsOf(card);
    if (card?.content !== content) body.content = content;
    if (card?.["deck-id"] !== deckId) body["deck-id"] = deckId;
    if (tags.some((tag) => !(card?.tags ?? []).includes(tag)))
      body["manual-tags"] = [...new Set([...had, ...tags])];
    if ((card?.["review-reverse?"] ?? false) !== reverse) body["review-reverse?"] = reverse;
    if (row.archived && card?.["archived?"]) body["archived?"] = false;
    const operations: Operation[] = [];
    if (card === undefined)
      operations.push({ kind: "cards.create", id, body: { ...body, content, "deck-id": deckId } });
    else if (Object.keys(body).length > 0) operations.push({ kind: "cards.update", id, body });
    if (reviews.length > 0 && (card?.reviews ?? []).length === 0 && (await client.service.has("reviews"))) {
      const sent = sentReviews(reviews, now);
      const whole = sent.map((review) => ({ ...review, "remembered?": review["remembered?"] ?? false }));
      operations.push({ kind: "reviews.add", id, reviews: whole });
    }
    for (const { name, path, size } of files) {
      const stored = isMap(card?.attachments) ? card.attachments[name] : undefined;
      if (isMap(stored) && stored["size"] === size) continue;
      const file = { fileName: name, size, place: path, open: async () => createReadStream(path) };
      operations.push({ kind: "attachments.add", id, file: uploadOf(file, name.normalize("NFC")) });
    }
    return operations;
  }

  #settled({ operation, tag: { row, note, last } }: Task<Tag>, outcome: Outcome): void {
    const { record, failed } = this.#target;
    if (outcome.state === "refused") {
      if (!this.#failed.has(row.key)) failed(placed(outcome.error, at(note.file, note.line)));
      this.#failed.add(row.key);
      // The id is taken by something else.
      if (operation.kind === "cards.create" && outcome.error.status === 409)
        record.put([{ ...row, id: newId() }]);
    } else if (operation.kind === "cards.create") this.#created.set(row.key, outcome.id);
    const id = this.#created.get(row.key) ?? row.id;
    if (last && !this.#failed.has(row.key)) this.#confirm({ ...row, id, archived: true }, note);
  }

  #confirm(row: Origin, { reviews: _, ...note }: NotedCard): void {
    const { record, progress } = this.#target;
    const archived = row.archived && !isThere(row);
    this.#confirmed.push({ ...row, written: row.read, done: true, archived, note: JSON.stringify(note) });
    progress();
    if (this.#ids && this.#confirmed.length < confirmedAtOnce) return;
    record.put(this.#confirmed);
    this.#confirmed = [];
  }
}

const textKey = (deck: string, content: string): string =>
  `${deck} ${textOf({ sides: splitSides(content) })}`;

/** What an archive takes. One that the learner archived stays as it is. */
function archiving({ id }: Origin, card: Card | undefined): Operation[] {
  if (card === undefined || card["archived?"] || card["trashed?"] != null) return [];
  return [{ kind: "cards.update", id, body: { "archived?": true } }];
}
