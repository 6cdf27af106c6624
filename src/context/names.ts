import type { DeckLine } from "../decks/lines.ts";
import type { Names } from "../decks/names.ts";
import { orElse } from "../errors.ts";
import type { Context } from "./context.ts";

/** The names of the account in use. */
export async function openNames(context: Context): Promise<Names> {
  const [{ accountHash }, { Names }] = await Promise.all([
    import("../config/account-hash.ts"),
    import("../decks/names.ts"),
  ]);
  const account = context.account();
  const client = await context.client();
  return new Names({
    folder: context.folders.cache,
    accountHash: accountHash(account),
    fetchDecks: () => client.decks.all(),
    fetchDeck: (id) => client.decks.get(id),
    fetchTemplates: () => client.templates.all(),
    now: context.clock.now,
    fresh: account.kind === "local",
  });
}

/** A deck's path, or its id where the path cannot be found out: labels must not make a command fail. */
export async function deckLabel(id: string, context: Context): Promise<string> {
  const path = async () => (await context.names()).path(id);
  return (await orElse(path(), undefined)) ?? id;
}

/** A deck and those above it; deleted if the service has no such deck, unknown where that cannot be found out. */
export async function deckPlace(id: string, context: Context): Promise<DeckLine | "deleted" | "unknown"> {
  const line = async () => (await context.names()).line(id);
  const found = await orElse(line(), "unknown" as const);
  return found.length === 0 ? "deleted" : found;
}
