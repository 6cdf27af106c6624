import { DeckhandError } from "../../errors.ts";
import type { Card, CardCreate } from "../../schema/index.ts";
import type { Client } from "../index.ts";
import type { Creation } from "./operations.ts";

/** What is known of a creation whose answer was lost. */
interface Lost {
  /** Whether a document with this id is another one: it was there before, or its creation was answered. */
  isOther(id: string): boolean;
  /** How many cards its deck has, or how many decks or templates there are, without it; undefined where nobody counted. */
  readonly without?: number | undefined;
}

/**
 * Finds what a creation made whose answer was lost, on a service without the extension `ids`. Call it once, before
 * anything else is sent. A document counts if it is equal to what was sent, and is no other one; of several the one with
 * exactly the same text, then the newest. Where there are no more than there are without it, nothing was created.
 *
 * @returns undefined if it was not created
 */
export async function lookUp(
  client: Client,
  creation: Creation,
  { isOther, without }: Lost,
): Promise<{ readonly id: string } | undefined> {
  switch (creation.kind) {
    case "cards.create":
      return findCard(client, creation.body, { isOther, without });
    case "decks.create": {
      const all = await client.decks.all();
      if (without !== undefined && all.length <= without) return undefined;
      for (const item of all) {
        if (item.name !== creation.body.name || isOther(item.id)) continue;
        const deck = await client.decks.get(item.id);
        if ((deck["parent-id"] ?? null) === (creation.body["parent-id"] ?? null)) return deck;
      }
      return undefined;
    }
    case "templates.create": {
      const { name, content } = creation.body;
      const all = await client.templates.all();
      if (without !== undefined && all.length <= without) return undefined;
      return all.find((each) => !isOther(each.id) && each.name === name && isSameText(each.content, content));
    }
  }
}

async function findCard(
  client: Client,
  body: CardCreate,
  { isOther, without }: Lost,
): Promise<Card | undefined> {
  const deckId = body["deck-id"];
  let inDeck = 0;
  let found: Card | undefined;
  const rank = (card: Card) => `${card.content === body.content ? 1 : 0} ${card["created-at"] ?? ""}`;
  for await (const { docs } of client.cards.pages({ deckId })) {
    for (const card of docs) {
      if (card["deck-id"] != null && card["deck-id"] !== deckId) continue;
      inDeck++;
      if (isOther(card.id) || !isSameCard(card, body)) continue;
      if (found === undefined || rank(card) >= rank(found)) found = card;
    }
  }
  return without !== undefined && inDeck <= without ? undefined : found;
}

/** How many cards a deck has itself; 0 for one that does not exist. */
export async function countCards(client: Client, deckId: string): Promise<number> {
  try {
    const { "card-count": count } = await client.decks.get(deckId);
    if (count != null) return count;
  } catch (error) {
    // It is for the service to say what it makes of a card in a deck that is not there.
    if (!(error instanceof DeckhandError && error.code === "not-found")) throw error;
    return 0;
  }
  let counted = 0;
  for await (const { docs } of client.cards.pages({ deckId })) counted += docs.length;
  return counted;
}

/** Whether a card is what was sent, as far as services give back what they got. */
function isSameCard(card: Card, body: CardCreate): boolean {
  if (!isSameText(card.content, body.content)) return false;
  if ((card["template-id"] ?? null) !== (body["template-id"] ?? null)) return false;
  if (body.pos !== undefined && card.pos != null && card.pos !== body.pos) return false;
  if (card["archived?"] != null && card["archived?"] !== (body["archived?"] ?? false)) return false;
  if (card["review-reverse?"] != null && card["review-reverse?"] !== (body["review-reverse?"] ?? false))
    return false;
  const tags = card.tags ?? [];
  if (!(body["manual-tags"] ?? []).every((tag) => tags.includes(tag))) return false;
  const sent = Object.entries(body.fields ?? {});
  const got = card.fields ?? {};
  return (
    sent.every(([id, { value }]) => isSameText(got[id]?.value, value)) &&
    Object.keys(got).every((id) => Object.hasOwn(body.fields ?? {}, id))
  );
}

const isSameText = (a: string | null | undefined, b: string) => plain(a ?? "") === plain(b);
const plain = (text: string) => text.replace(/\r\n?/g, "\n").normalize("NFC").trim();
