import { ifThere } from "../../client/if-there.ts";
import type { Context } from "../../context/context.ts";
import { idsUnder } from "../../decks/lines.ts";
import { count } from "../../output/words.ts";
import type { Card } from "../../schema/index.ts";
import { listings } from "../../schema/resources.ts";
import { placesOf } from "../backup/places.ts";
import { type EachOptions, eachOf, printChanges } from "./items.ts";
import { allDecks, cardPages } from "./lists.ts";

/** What is deleted permanently: cards, and decks of which each comes before the deck above it. */
export interface Removal {
  readonly cards: readonly string[];
  readonly decks: readonly string[];
}

/** Decks with the decks and cards under them. @param isMeant which of the cards */
export async function wholeDecks(
  ids: readonly string[],
  context: Context,
  isMeant: (card: Card) => boolean = () => true,
): Promise<Removal> {
  const decks = idsUnder(ids, await allDecks(context, { now: true }));
  const cards: string[] = [];
  for await (const page of cardPages(context, decks))
    for (const card of page) if (isMeant(card)) cards.push(card.id);
  // A subtree lists a deck before those under it.
  return { cards, decks: [...decks].reverse() };
}

const removalSentence = ({ cards, decks }: Removal): string =>
  [counted(cards.length, "card"), counted(decks.length, "deck")].filter((part) => part !== "").join(" and ");

/** "3 cards"; empty for none. */
export const counted = (number: number, noun: string) => (number === 0 ? "" : count(number, noun));

/** The local collection is backed up before more than ten cards are removed. @param cards how many, those in decks too */
export async function backUpFirst(cards: number, context: Context): Promise<void> {
  if (cards <= 10 || context.options.dryRun || context.account().kind !== "local") return;
  if (context.settings()["backup.automatic"].value === "off") return;
  const { backUpBefore } = await import("../backup/create.ts");
  const path = await backUpBefore("removal", placesOf(undefined, context), context);
  if (path !== undefined) context.io.say(`A backup of the collection: ${path}`);
}

/**
 * Asks, deletes the cards, then the decks, and prints each id. What was deleted meanwhile counts as deleted.
 *
 * @param named what is deleted, a line each
 */
export async function deletePermanently(
  removal: Removal,
  named: readonly string[],
  options: EachOptions,
  context: Context,
): Promise<void> {
  const what = removalSentence(removal);
  for (const line of named.slice(0, 20)) context.io.note(line);
  if (named.length > 20) context.io.note(`and ${named.length - 20} more`);
  await context.io.confirm(`Delete ${what} permanently? It cannot be undone.`, "nothing was deleted");
  await backUpFirst(removal.cards.length, context);
  const client = await context.client();
  const names = await context.names();
  const decks = new Set(removal.decks);
  const changes = eachOf([...removal.cards, ...removal.decks], options, context, async (id) => {
    const call = decks.has(id) ? client.decks.delete(id) : client.cards.delete(id);
    await ifThere<unknown>(call);
    if (decks.has(id)) names.forgetDeck(id);
    return { id };
  });
  await printChanges(context, listings.deck, changes, true);
  context.io.say(`Deleted ${what}`);
}
