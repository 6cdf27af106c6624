import { type CardDocument, documentOf, documentWithTags, updateBody } from "../../cards/document.ts";
import { apply, type Task } from "../../client/apply/index.ts";
import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { idsUnder } from "../../decks/lines.ts";
import { DeckhandError, orElse, UsageError } from "../../errors.ts";
import { type Card, type CardCreate, newId } from "../../schema/index.ts";
import { ifThere } from "../../transfer/if-there.ts";
import { cardsByFront, frontHashOf } from "../../transfer/import/wanted.ts";
import { searched } from "../cards/search.ts";
import { todayByDeck, unknownFigures } from "../decks/list.ts";
import { createDecks, whileOthersCreateNone } from "../shared/names.ts";
import { changeAsItIs } from "../tags.ts";
import type { Input, Output } from "./schemas.ts";

type Outcome = Output<"cards_create">["outcomes"][number];

/** Where the tools work. */
export interface Place {
  readonly context: Context;
  readonly client: Client;
  /** The deck that the server is confined to, with those under it. */
  readonly home: string | undefined;
}

/** Finds, reads, creates and changes cards in the decks that may be used. */
export class CardTools {
  readonly #place: Place;
  /** The cards as the caller last read them: what was changed since is not overwritten. */
  readonly #read = new Map<string, string>();

  constructor(place: Place) {
    this.#place = place;
  }

  async search({ query = "", limit = 20, bookmark = 0, full }: Input<"cards_search">) {
    const [decks, found] = [await this.#decks(), [] as Card[]];
    let count = 0;
    for await (const page of searched(query, this.#place.context))
      for (const card of page)
        if (this.#isHere(card, decks) && count++ >= bookmark && found.length < limit) found.push(card);
    const cards = await Promise.all(found.map((card) => (full ? this.#whole(card) : short(card))));
    return { cards, count, bookmark: count > bookmark + limit ? bookmark + limit : null };
  }

  async get({ ids }: Input<"cards_get">) {
    const decks = await this.#decks();
    const wanted = [...new Set(limited(ids))];
    const found = await Promise.all(wanted.map((id) => ifThere(this.#place.client.cards.get(id))));
    const here = found.flatMap((card) => (card !== undefined && this.#isHere(card, decks) ? [card] : []));
    const cards = await Promise.all(here.map((card) => this.#whole(card)));
    return { cards, missing: wanted.filter((id) => !here.some((card) => card.id === id)) };
  }

  async create({ cards, dryRun }: Input<"cards_create">) {
    const { client, context } = this.#place;
    const decks = await this.#decks();
    const fronts = new Map<string, Map<string, string>>();
    const wanted: Task<number>[] = [];
    const outcomes = await eachOf(cards, async (card, at): Promise<Outcome> => {
      const body = await this.#bodyOf(card, decks);
      const [id, front, deck] = [newId(), frontHashOf(body) ?? "", body["deck-id"]];
      const known = fronts.get(deck) ?? (await cardsByFront(deck, client));
      fronts.set(deck, known);
      const exists = known.get(front);
      if (exists !== undefined) return { status: "exists", exists: [exists] };
      known.set(front, id);
      wanted.push({ operation: { kind: "cards.create", id, body }, tag: at });
      return { status: "would create" };
    });
    for await (const { task, outcome } of apply(dryRun ? [] : wanted, { client, signal: context.signal })) {
      if (outcome.state === "refused") outcomes[task.tag] = { status: "refused", error: said(outcome.error) };
      else outcomes[task.tag] = { status: "created", id: outcome.id };
      if (outcome.state === "done" && outcome.document) await this.#whole(outcome.document as Card);
    }
    return { outcomes };
  }

  async update({ cards, dryRun }: Input<"cards_update">) {
    const decks = await this.#decks();
    const { client, context } = this.#place;
    const change = ({ id, trashed, ...parts }: (typeof cards)[number]) =>
      changeAsItIs(id, client, async (card, ifMatch) => {
        if (!this.#isHere(card, decks)) return undefined;
        const there = await documentOf(card);
        if (this.#read.get(id) !== stateOf(card, there))
          throw refusal(`you have not read ${id} as it is now`, "Read it with cards_get, then update it.");
        if (parts.deck !== undefined && !decks.has(parts.deck)) throw noDeck(parts.deck);
        // The values of other fields stay.
        const body = updateBody(there, { ...parts, fields: { ...there.fields, ...parts.fields } });
        if (trashed !== undefined)
          body["trashed?"] = trashed ? new Date(context.clock.now()).toISOString() : null;
        if (dryRun) return { id, status: "would update" };
        const sent = await client.cards.update(id, body, ifMatch);
        await this.#whole(sent ?? (await client.cards.get(id)));
        return { id, status: "updated" };
      });
    const outcomes = await eachOf(cards, async (card) => {
      const outcome = await ifThere(change(card));
      if (outcome !== undefined) return outcome;
      throw refusal(`there is no card ${card.id} here`, "Find it with cards_search.");
    });
    return { outcomes };
  }

  createDeck({ name, parent }: Input<"decks_create">): Promise<Output<"decks_create">> {
    const { context, home } = this.#place;
    return whileOthersCreateNone(context, async () => {
      const above = parent ?? home ?? null;
      const decks = await decksOf(this.#place, true);
      if (above !== null && !decks.some(({ id }) => id === above)) throw noDeck(above);
      const there = decks.find((deck) => deck.name === name && deck.parent === above);
      if (there !== undefined) return { id: there.id, created: false };
      const id = await createDecks({ parent: above ?? undefined, names: [name] }, context);
      return { id, created: true };
    });
  }

  /** The body of a new card. @throws DeckhandError with what to do */
  async #bodyOf(
    { deck = this.#place.home ?? "", ...card }: Input<"cards_create">["cards"][number],
    decks: ReadonlySet<string>,
  ): Promise<CardCreate> {
    const { content, template = null, fields = {} } = card;
    if (!decks.has(deck)) throw noDeck(deck);
    if (template === null && content.trim() === "")
      throw refusal("the card is empty", "Give a front, a line of three dashes, and a back.");
    const known = (template !== null && (await this.#place.client.templates.get(template)).fields) || {};
    const given = Object.keys(fields);
    const names = Object.entries(known).map(([key, field]) => `${key} (${field?.name ?? key})`);
    if (template !== null && (given.length === 0 || given.some((key) => !Object.hasOwn(known, key))))
      throw refusal(`the template ${template} needs values of its fields`, `They are ${names.join(", ")}.`);
    return { ...updateBody(documentWithTags({}, []), card), content, "deck-id": deck };
  }

  async #decks(): Promise<ReadonlySet<string>> {
    return new Set((await decksOf(this.#place, false)).map(({ id }) => id));
  }

  #isHere(card: Card, decks: ReadonlySet<string>): boolean {
    return this.#place.home === undefined || decks.has(card["deck-id"] ?? "");
  }

  /** A card as the caller reads it. */
  async #whole(card: Card) {
    const document = await documentOf(card);
    this.#read.set(card.id, stateOf(card, document));
    const { pos: _, ...parts } = document;
    const [last, trashed] = [card.reviews?.at(-1), card["trashed?"] != null];
    return { ...short(card), ...parts, due: last?.due ?? null, new: last === undefined, trashed };
  }
}

/** The decks that may be used, not those in the trash. @param now with what a review asks today, and read anew */
export async function decksOf({ home, context }: Place, now: boolean) {
  const names = await context.names();
  const known = await names.decks({ now });
  const inside = home === undefined ? undefined : idsUnder([home], known);
  const figures = now ? await orElse(todayByDeck(context), unknownFigures) : unknownFigures;
  const here = known.filter(({ id, trashed }) => !trashed && inside?.has(id) !== false);
  const row = async ({ id, name, parent = null }: (typeof here)[number]) => {
    const path = (await names.path(id)) ?? name;
    return { id, name, path, parent, ...figures(id) };
  };
  return Promise.all(here.map(row));
}

/** An error for an agent: why, and what to do next. */
export function said(error: unknown): string {
  if (error instanceof DeckhandError) return error.inFull;
  throw error;
}

export const refusal = (message: string, hint: string) => new UsageError(message, { hint });

const noDeck = (deck = "") =>
  refusal(deck ? `there is no deck ${deck} here` : "a deck is needed", "Call decks_list for their ids.");

/** What comes of each, in their order; one that fails does not stop the others. */
async function eachOf<T>(items: readonly T[], work: (item: T, at: number) => Promise<Outcome>) {
  const outcomes: Outcome[] = [];
  for (const [at, item] of limited(items).entries())
    outcomes.push(await work(item, at).catch((error) => ({ status: "refused", error: said(error) })));
  return outcomes;
}

/** @throws UsageError for none, and for more than one call takes */
function limited<T>(items: readonly T[]): readonly T[] {
  if (items.length >= 1 && items.length <= 50) return items;
  throw refusal(`a call takes 1 to 50 cards, not ${items.length}`, "Make several calls of it.");
}

const stateOf = (card: Card, document: CardDocument) => JSON.stringify([document, card["trashed?"] != null]);

const short = ({ id, name, "deck-id": deck }: Card) => ({ id, front: name ?? "", deck: deck ?? null });
