import type { Context } from "../../context/context.ts";
import type { CardChange, Done } from "../../home/ports.ts";
import { count } from "../../output/words.ts";
import { oneLine } from "../../review/panels.ts";
import type { Card, CardCreate } from "../../schema/index.ts";
import { noteDeck } from "../decks/deck-options.ts";
import { reasonOf, sessionClient } from "../due/recording.ts";
import { changeCard } from "../due/session-world.ts";
import type { FoundCards } from "./found-cards.ts";

/** Changes of cards and decks, each with what takes it back. */

/** Creates a card. @param id sent again after an answer that was lost, it makes no second card where the service knows ids */
export async function createCard(body: CardCreate, id: string, context: Context): Promise<Card> {
  const { applyOne } = await import("../../client/apply/index.ts");
  const target = { client: await context.client(), signal: context.signal, oneByOne: true };
  const outcome = await applyOne({ operation: { kind: "cards.create", id, body }, tag: undefined }, target);
  if (outcome.state === "refused") throw outcome.error;
  if (outcome.state === "done") return outcome.document as Card;
  throw new Error("the card was not created");
}

/** From the root: `Capitals` is not one that is under another. */
export async function createDeck(path: string, context: Context): Promise<Done & { readonly id?: string }> {
  const { createMissing, deckOrMissing } = await import("../shared/names.ts");
  const found = await deckOrMissing({ deck: `/${path}`, createDeck: true }, context, true);
  if (found === undefined) return { text: "" };
  if (found.missing === undefined) return { text: `There is a deck ${oneLine(path)} already.`, id: found.id };
  const made: string[] = [];
  const { id } = await createMissing(found, context, (deck) => {
    made.unshift(deck.id);
  });
  const run = async () => {
    const at = new Date(context.clock.now()).toISOString();
    for (const each of made) await updateDeck(each, { "trashed?": at }, context);
  };
  return { id, text: `Made the deck ${oneLine(path)}.`, undo: { text: "the new deck", run } };
}

export async function updateDeck(
  id: string,
  body: { name: string } | { "trashed?": string | null },
  context: Context,
) {
  await noteDeck(id, await (await context.client()).decks.update(id, body), context);
}

interface Changing {
  readonly cards: FoundCards;
  readonly context: Context;
}

export async function changeAll(
  ids: readonly string[],
  change: CardChange,
  what: string,
  changing: Changing,
): Promise<Done> {
  const inverses = new Map<string, CardChange>();
  let failure: string | undefined;
  for (const id of ids)
    try {
      inverses.set(id, await changeOne(id, change, changing));
    } catch (error) {
      failure ??= reasonOf(error);
    }
  const done = `${count(inverses.size, "card")} ${what}`;
  const failed = ids.length - inverses.size;
  const text = failure === undefined ? `${done}; u takes it back.` : `${done}, ${failed} not: ${failure}`;
  const run = async () => {
    for (const [id, inverse] of inverses) await changeOne(id, inverse, changing);
  };
  return { text, undo: inverses.size === 0 ? undefined : { text: done, run } };
}

/** @returns what takes it back. @throws what kept it from being made */
export async function changeOne(
  id: string,
  change: CardChange,
  { cards, context }: Changing,
): Promise<CardChange> {
  const client = await sessionClient(context, 1);
  const before = cards.get(id) ?? (await client.cards.get(id));
  const changed = await changeCard(id, change, client, context);
  const after = changed ?? (await client.cards.get(id));
  cards.put(after);
  if ("deck" in change) return { deck: before["deck-id"] ?? "" };
  if ("archived" in change) return { archived: !change.archived };
  if ("trashed" in change) return { trashed: !change.trashed };
  if (!("tags" in change)) return change;
  const { manualTagsOf } = await import("../../cards/document.ts");
  return { tags: await manualTagsOf(before), before: await manualTagsOf(after) };
}
