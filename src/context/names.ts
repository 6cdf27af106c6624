import { DeckhandError } from "../errors.ts";
import { createNameIndex } from "../names/name-index.ts";
import type { DeckPlace, NameIndex } from "../names/types.ts";
import type { Context } from "./context.ts";

/** The index of names of the account in use. */
export async function openNames(context: Context): Promise<NameIndex> {
  const { accountHash } = await import("../config/account-hash.ts");
  const account = context.account();
  const client = await context.client();
  return createNameIndex({
    folder: context.folders.cache,
    accountHash: accountHash(account),
    fetchDecks: () => client.decks.all(),
    fetchDeck: (id) => client.decks.get(id).send(),
    fetchTemplates: () => client.templates.all(),
    now: context.clock.now,
    fresh: account.kind === "local",
  });
}

/** A deck's path, or its id where the path cannot be found out: labels must not make a command fail. */
export async function deckLabel(id: string, context: Context): Promise<string> {
  const place = await deckPlace(id, context);
  return typeof place === "object" ? place.path : id;
}

/** Where a deck is: deleted if the service has no such deck, unknown where that cannot be found out. */
export async function deckPlace(id: string, context: Context): Promise<DeckPlace | "deleted" | "unknown"> {
  try {
    return (await (await context.names()).place(id)) ?? "deleted";
  } catch (error) {
    if (error instanceof DeckhandError) return "unknown";
    throw error;
  }
}
