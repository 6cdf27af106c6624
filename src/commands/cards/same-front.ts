import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import type { CardCreate } from "../../schema/card.ts";
import type { NamedDeck } from "../shared/names.ts";

/**
 * Warns of a card that asks the same as a new one, in the same deck. Only on a terminal and in the local collection:
 * scripts and accounts on the network should not pay for reading the deck. A failure to read it is ignored.
 */
export async function warnOfSameFront(
  id: string,
  body: CardCreate,
  deck: NamedDeck,
  context: Context,
): Promise<void> {
  if (context.io.stderr.isTTY !== true || context.account().kind !== "local") return;
  try {
    const same = await cardWithFront(body, deck.id, context, id);
    if (same !== undefined) context.io.warn(`card ${same} in ${deck.label} has the same front`);
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
  }
}

/** The id of a card of a deck that asks the same, if there is one. @param except the id of a card that does not count */
export async function cardWithFront(
  body: CardCreate,
  deckId: string,
  context: Context,
  except?: string,
): Promise<string | undefined> {
  const { frontHashOf } = await import("../../transfer/import/wanted.ts");
  const front = frontHashOf(body);
  if (front === undefined) return undefined;
  for await (const { docs } of (await context.client()).cards.pages({ deckId })) {
    const same = docs.find(
      (card) => card.id !== except && card["trashed?"] == null && frontHashOf(card) === front,
    );
    if (same !== undefined) return same.id;
  }
  return undefined;
}
