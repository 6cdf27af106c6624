import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import { deckFrom } from "./names.ts";

/** A deck that is there, or the names of those to create below one that is. */
export type Destination =
  | { readonly id: string; readonly label: string; readonly missing?: undefined }
  | { readonly id?: undefined; readonly label: string; readonly missing: MissingDecks };

export interface MissingDecks {
  /** The id of the deck above the first of them; undefined for the root. */
  readonly parent: string | undefined;
  /** Each below the one before it; at least one. */
  readonly names: readonly string[];
}

/** The deck that the options name; with `createDeck` it need not be there. Creates nothing. */
export async function deckOrMissing(
  options: { readonly deck?: string; readonly deckId?: string; readonly createDeck?: boolean },
  context: Context,
): Promise<Destination | undefined> {
  try {
    return await deckFrom(options, context, { writing: true });
  } catch (error) {
    const missing =
      error instanceof DeckhandError && error.code === "not-found" && options.deck !== undefined;
    if (!missing) throw error;
    if (!options.createDeck)
      throw new DeckhandError(error.code, error.message, {
        ...error,
        cause: error.cause,
        hint: [error.hint, "--create-deck creates it."].filter(Boolean).join(" "),
      });
    return missingDecks(options.deck ?? "", context);
  }
}

/** Creates the decks, and returns the id of the last. */
export async function createDecks({ parent, names }: MissingDecks, context: Context): Promise<string> {
  const client = await context.client();
  const index = await context.names();
  let above = parent;
  for (const name of names) {
    const deck = await client.decks
      .create({ name, ...(above === undefined ? {} : { "parent-id": above }) })
      .send();
    index.noteDeck(deck);
    above = deck.id;
  }
  return above ?? "";
}

async function missingDecks(path: string, context: Context): Promise<Destination> {
  const parts = path.replace(/^\//, "").split(/(?<!\\)\//);
  const index = await context.names();
  for (let length = parts.length - 1; length > 0; length--)
    try {
      const { id } = await index.deck(parts.slice(0, length).join("/"), { writing: true });
      return { label: path, missing: { parent: id, names: parts.slice(length).map(plain) } };
    } catch (error) {
      if (!(error instanceof DeckhandError && error.code === "not-found")) throw error;
    }
  return { label: path, missing: { parent: undefined, names: parts.map(plain) } };
}

const plain = (part: string) => part.replaceAll("\\/", "/");
