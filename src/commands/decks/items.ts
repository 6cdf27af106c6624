import type { Context } from "../../context/context.ts";
import type { Deck } from "../../schema/deck.ts";

/** How the arguments of verbs that take decks are explained. */
export const deckArgument = "decks (id, name or path), or - for one a line on standard input";

interface FoundDeck {
  readonly id: string;
  readonly name: string;
  /** For people: its name, and its id. */
  readonly label: string;
}

/** The deck that an argument means. */
export async function findDeck(text: string, context: Context): Promise<FoundDeck> {
  const { id, name } = await (await context.names()).deck(text);
  return { id, name, label: name === "" ? id : `${name} (${id})` };
}

/** Keeps a deck as the service gave it, so that its name is found without asking again; without an answer it is asked. */
export async function noteDeck(id: string, deck: Deck | undefined, context: Context): Promise<void> {
  const names = await context.names();
  if (deck === undefined) names.forgetDeck(id);
  else names.noteDeck(deck);
}
