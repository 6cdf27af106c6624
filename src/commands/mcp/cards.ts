import {
  type CardDocument,
  documentOf,
  documentWithTags,
  updateBody,
  valuesOf,
} from "../../cards/document.ts";
import { ifThere } from "../../client/if-there.ts";
import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { idsUnder } from "../../decks/lines.ts";
import type { KnownDeck } from "../../decks/snapshot.ts";
import { DeckhandError, orElse, UsageError } from "../../errors.ts";
import type { Card, CardUpdate } from "../../schema/index.ts";
import { cardsByFront, frontHashOf } from "../../transfer/import/wanted.ts";
import { cardFields, fieldList } from "../cards/card-options.ts";
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

type Parts = Omit<Input<"cards_update">["cards"][number], "id" | "trashed">;
type DecksHere = ReadonlyMap<string, KnownDeck>;
/** What a card is before anything is said of it. */
const blank = documentWithTags({}, []);

/** Finds, reads, creates and changes cards in the decks that may be used. */
export class CardTools {
  readonly #place: Place;
  /** The cards as the caller last read them: what was changed since is not overwritten. */
  readonly #read = new Map<string, string>();

  constructor(place: Place) {
    this.#place = place;
  }

  async search({ query = "", limit = 20, bookmark = 0, full }: Input<"cards_search">) {
    const decks = await decksHere(this.#place);
    const found: Card[] = [];
    let count = 0;
    for await (const page of searched(query, this.#place.context))
      for (const card of page)
        if (isIn(decks, card) && count++ >= bookmark && found.length < limit) found.push(card);
    const cards = await Promise.all(found.map((card) => (full ? this.#whole(card) : short(card))));
    return { cards, count, bookmark: count > bookmark + limit ? bookmark + limit : null };
  }

  async get({ ids }: Input<"cards_get">) {
    const decks = await decksHere(this.#place);
    const wanted = [...new Set(limited(ids))];
    const found = await Promise.all(wanted.map((id) => ifThere(this.#place.client.cards.get(id))));
    const here = found.flatMap((card) => (card !== undefined && isIn(decks, card) ? [card] : []));
    const cards = await Promise.all(here.map((card) => this.#whole(card)));
    return { cards, missing: wanted.filter((id) => !here.some((card) => card.id === id)) };
  }

  async create({ cards, dryRun }: Input<"cards_create">) {
    const { client, home = "" } = this.#place;
    const decks = await decksHere(this.#place);
    const fronts = new Map<string, Map<string, string | null>>();
    const outcomes = await eachOf(cards, async ({ content, deck = home, ...parts }) => {
      if (parts.template == null && content.trim() === "")
        throw refusal("the card is empty", "Give a front, a line of three dashes, and a back.");
      const changes = await this.#changes(blank, { fields: {}, ...parts, deck }, decks);
      const body = { ...changes, content, "deck-id": deck };
      const known = fronts.get(deck) ?? (await cardsByFront(deck, client));
      fronts.set(deck, known);
      const front = frontHashOf(body) ?? "";
      const same = known.get(front);
      if (same !== undefined) return { status: "exists", id: same };
      const made = dryRun ? undefined : await client.cards.create(body);
      known.set(front, made?.id ?? null);
      if (made === undefined) return { status: "would create" };
      await this.#whole(made);
      return { status: "created", id: made.id };
    });
    return { outcomes };
  }

  async update({ cards, dryRun }: Input<"cards_update">) {
    const decks = await decksHere(this.#place);
    const { client, context } = this.#place;
    const outcomes = await eachOf(cards, ({ id, trashed, ...parts }) =>
      changeAsItIs(id, client, async (card, ifMatch) => {
        if (!isIn(decks, card)) throw refusal(`there is no card ${id} here`, lookFirst);
        const there = await documentOf(card);
        if (this.#read.get(id) !== stateOf(card, there))
          throw refusal(`you have not read ${id} as it is now`, "Read it with cards_get, then update it.");
        const body = await this.#changes(there, parts, decks);
        if (trashed !== undefined)
          body["trashed?"] = trashed ? new Date(context.clock.now()).toISOString() : null;
        if (dryRun) return { id, status: "would update" };
        const sent = await client.cards.update(id, body, ifMatch);
        await this.#whole(sent ?? (await client.cards.get(id)));
        return { id, status: "updated" };
      }),
    );
    return { outcomes };
  }

  createDeck({ name, parent }: Input<"decks_create">): Promise<Output<"decks_create">> {
    const { context, home } = this.#place;
    return whileOthersCreateNone(context, async () => {
      const above = parent ?? home ?? null;
      const decks = await decksHere(this.#place);
      if (above !== null && !decks.has(above)) throw noDeck(above);
      const there = [...decks.values()].find((deck) => deck.name === name && (deck.parent ?? null) === above);
      const id = there?.id ?? (await createDecks({ parent: above ?? undefined, names: [name] }, context));
      return { id, created: there === undefined };
    });
  }

  /**
   * What is sent to make a card as wanted. Values of fields are given by names or ids, and those of others stay.
   *
   * @throws UsageError that says which decks and fields there are
   */
  async #changes(there: CardDocument, wanted: Parts, decks: DecksHere): Promise<CardUpdate> {
    const { deck = there.deck ?? "", template = there.template, fields } = wanted;
    if (!decks.has(deck)) throw noDeck(deck);
    const used = fields && template ? await this.#place.client.templates.get(template) : undefined;
    if (used === undefined && Object.keys(wanted.fields ?? {}).length > 0)
      throw refusal("fields are the values of a template", "Give the template, too.");
    if (used !== undefined && Object.keys(fields ?? {}).length === 0)
      throw refusal(`the template ${template} needs values`, `The fields are: ${fieldList(used)}`);
    const values = valuesOf(cardFields(new Map(Object.entries(fields ?? {})), used));
    return updateBody(there, { ...wanted, fields: { ...there.fields, ...values } });
  }

  /** A card as the caller reads it; that it was read so is noted. */
  async #whole(card: Card) {
    const document = await documentOf(card);
    this.#read.set(card.id, stateOf(card, document));
    const { pos: _, ...parts } = document;
    const [last, trashed] = [card.reviews?.at(-1), card["trashed?"] != null];
    return { ...short(card), ...parts, due: last?.due ?? null, new: last === undefined, trashed };
  }
}

/** The decks that may be used by their ids, read anew: those in the trash may not. */
async function decksHere({ home, context }: Place): Promise<DecksHere> {
  const known = await (await context.names()).decks({ now: true });
  const trashed = known.flatMap((deck) => (deck.trashed ? [deck.id] : []));
  const [gone, inside] = [idsUnder(trashed, known), home === undefined ? undefined : idsUnder([home], known)];
  const here = known.filter(({ id }) => !gone.has(id) && inside?.has(id) !== false);
  return new Map(here.map((deck) => [deck.id, deck]));
}

/** The decks that may be used, with what a review asks of them today. */
export async function listDecks(place: Place) {
  const [decks, names] = [await decksHere(place), await place.context.names()];
  const figures = await orElse(todayByDeck(place.context), unknownFigures);
  const row = async ({ id, name, parent = null }: KnownDeck) => {
    const path = (await names.path(id)) ?? name;
    return { id, name, path, parent, ...figures(id) };
  };
  return { decks: await Promise.all([...decks.values()].map(row)) };
}

const lookFirst = "Look for it with cards_search or decks_list.";

/** An error for an agent: why, and what to do next. */
export function said(error: unknown): string {
  if (!(error instanceof DeckhandError)) throw error;
  if (error.code === "not-found") return error.with({ hint: lookFirst }).inFull;
  const next = error.code === "usage" ? "Call it with other arguments." : "Tell the user what failed.";
  return error.with({ hint: error.hint ?? next }).inFull;
}

export const refusal = (message: string, hint: string) => new UsageError(message, { hint });

const noDeck = (deck = "") =>
  refusal(deck ? `there is no deck ${deck} here` : "a deck is needed", "Call decks_list for their ids.");

/** What comes of each, in their order; one that fails does not stop the others. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<Outcome>) {
  const outcomes: Outcome[] = [];
  for (const item of limited(items))
    outcomes.push(await work(item).catch((error) => ({ status: "refused", error: said(error) })));
  return outcomes;
}

/** @throws UsageError for none, and for more than one call takes */
function limited<T>(items: readonly T[]): readonly T[] {
  if (items.length >= 1 && items.length <= 50) return items;
  throw refusal(`a call takes 1 to 50 cards, not ${items.length}`, "For more, make several calls.");
}

const isIn = (decks: DecksHere, card: Card) => decks.has(card["deck-id"] ?? "");

const stateOf = (card: Card, document: CardDocument) => JSON.stringify([document, card["trashed?"] != null]);

/** The front of a card of a template is its values. */
function short({ id, name, "deck-id": deck = null, fields }: Card) {
  return { id, front: name || Object.values(valuesOf(fields)).join(" | "), deck };
}
