import type { Client } from "../../client/index.ts";
import { DeckhandError } from "../../errors.ts";
import type { Card, CardCreate, DeckCreate, TemplateCreate } from "../../schema/index.ts";
import type { Journal } from "./journal.ts";
import type { Made } from "./journal-lines.ts";

/**
 * Finds out whether something was created although its answer was lost, by looking for it on the service: it is equal to
 * what was sent, none that the journal made otherwise, and none that was there before.
 */

/** @param readBack gives a card as it is in `body`, where it was sent with other references */
export async function findCard(
  client: Client,
  body: CardCreate,
  journal: Journal,
  item: string,
  readBack: (card: Card) => Card = (card) => card,
): Promise<Made | undefined> {
  const deckId = body["deck-id"];
  const known = journal.ids();
  const newest = journal.newestBefore(item);
  let inDeck = 0;
  let ours = 0;
  let found: Card | undefined;
  for await (const page of client.cards.pages({ deckId })) {
    for (const card of page.docs) {
      if (card["deck-id"] != null && card["deck-id"] !== deckId) continue;
      inDeck++;
      if (known.has(card.id)) ours++;
      // The service's own clock: what it created before the last card of this journal that came before is not this one.
      else if (
        (newest === undefined || !card["created-at"] || card["created-at"] >= newest) &&
        isSameCard(readBack(card), body)
      )
        if (found === undefined || (card["created-at"] ?? "") >= (found["created-at"] ?? "")) found = card;
    }
  }
  if (found === undefined) return undefined;
  const before = journal.cardsBefore(deckId);
  if (newest === undefined && before !== undefined && inDeck <= before + ours) return undefined;
  return { id: found.id, at: found["created-at"] ?? undefined };
}

/** Notes how many cards a deck has, before the first is made in it. */
export async function noteDeck(client: Client, deck: string, journal: Journal): Promise<void> {
  if (journal.cardsBefore(deck) !== undefined) return;
  journal.note({ deck, cards: await countCards(client, deck) });
}

async function countCards(client: Client, deckId: string): Promise<number> {
  try {
    const { "card-count": count } = await client.decks.get(deckId).send();
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

export async function noteAll(client: Client, kind: "decks" | "templates", journal: Journal): Promise<void> {
  if (journal.idsBefore(kind) !== undefined) return;
  const all = await client[kind].all();
  journal.note({ kind, ids: all.map(({ id }) => id) });
}

export async function findDeck(
  client: Client,
  body: DeckCreate,
  journal: Journal,
): Promise<Made | undefined> {
  const known = journal.ids();
  const before = journal.idsBefore("decks");
  for (const item of await client.decks.all()) {
    if (item.name !== body.name || known.has(item.id) || before?.has(item.id)) continue;
    const deck = await client.decks.get(item.id).send();
    if ((deck["parent-id"] ?? null) === (body["parent-id"] ?? null)) return { id: deck.id };
  }
  return undefined;
}

export async function findTemplate(
  client: Client,
  body: TemplateCreate,
  journal: Journal,
): Promise<Made | undefined> {
  const known = journal.ids();
  const before = journal.idsBefore("templates");
  for (const template of await client.templates.all()) {
    if (known.has(template.id) || before?.has(template.id)) continue;
    if (template.name === body.name && isSameText(template.content, body.content)) return { id: template.id };
  }
  return undefined;
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
