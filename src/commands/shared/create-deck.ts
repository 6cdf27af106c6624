import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import type { Deck } from "../../schema/index.ts";
import { perform } from "./changes.ts";
import { deckFrom, type NamedDeck, warnOfTrash } from "./names.ts";

/** A deck that is there, or the names of those to create below one that is. */
export type Destination =
  | { readonly id: string; readonly label: string; readonly missing?: undefined }
  | { readonly id?: undefined; readonly label: string; readonly missing: MissingDecks };

interface MissingDecks {
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
        // Where there are no decks at all its hint names another way to create one.
        hint: [error.hint?.startsWith("There are no") ? "" : error.hint, "--create-deck creates it."]
          .filter(Boolean)
          .join(" "),
      });
    return missingDecks(options.deck ?? "", context);
  }
}

/**
 * Creates the decks, and returns the id of the last. A dry run prints the requests, with a placeholder for ids.
 *
 * @param created called for each deck as soon as it is there
 */
export async function createDecks(
  { parent, names }: MissingDecks,
  context: Context,
  created: (deck: Deck) => void = () => {},
): Promise<string> {
  const client = await context.client();
  const index = await context.names();
  let above = parent;
  for (const name of names) {
    const body = { name, ...(above === undefined ? {} : { "parent-id": above }) };
    const id: string | undefined = await perform(context, client.decks.create(body), (deck) => {
      created(deck);
      index.noteDeck(deck);
      return deck.id;
    });
    above = id ?? "DECK-ID";
  }
  return above ?? "";
}

/** The deck that new cards go into; with --create-deck it is created if it does not exist. */
export async function destinationOrNew(
  options: { readonly deck?: string; readonly deckId?: string; readonly createDeck?: boolean },
  context: Context,
): Promise<NamedDeck | undefined> {
  const found = await deckOrMissing(options, context);
  if (found === undefined) return undefined;
  const { label, missing } = found;
  if (missing === undefined) {
    if (options.deck !== undefined) await warnOfTrash(found, context);
    return found;
  }
  const id = await createDecks(missing, context);
  context.io.say(`Created deck ${label}`);
  return { id, label };
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
