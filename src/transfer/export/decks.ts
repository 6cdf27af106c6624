import type { Client } from "../../client/index.ts";
import type { Deck } from "../../schema/index.ts";
import { ifThere } from "../if-there.ts";

/** The decks to export, with all that the service knows of each. @param decks their ids; all if not given */
export async function fetchDecks({
  client,
  decks,
  progress,
}: {
  readonly client: Client;
  readonly decks: ReadonlySet<string> | undefined;
  progress(part: "decks", done: number): void;
}): Promise<Deck[]> {
  const found: Deck[] = [];
  for (const item of await client.decks.all()) {
    if (decks !== undefined && !decks.has(item.id)) continue;
    const deck = await ifThere(client.decks.get(item.id));
    if (deck !== undefined) found.push({ ...item, ...deck } as Deck);
    progress("decks", found.length);
  }
  return found;
}

/** The decks above one, the nearest first. */
export async function fetchDecksAbove(deck: Deck | undefined, client: Client): Promise<readonly Deck[]> {
  const found = new Map<string, Deck>();
  let at = deck?.["parent-id"];
  while (at != null && !found.has(at)) {
    const above = await ifThere(client.decks.get(at));
    if (above === undefined) break;
    found.set(at, above);
    at = above["parent-id"];
  }
  return [...found.values()];
}

/** The ids of the decks in the trash or the archive, and of those under them. */
export function decksIn(flag: "trashed?" | "archived?", decks: readonly Deck[]): ReadonlySet<string> {
  const ids = new Set(decks.filter((deck) => Boolean(deck[flag])).map(({ id }) => id));
  for (let size = -1; size < ids.size; ) {
    size = ids.size;
    for (const { id, "parent-id": parent } of decks) if (ids.has(parent ?? "")) ids.add(id);
  }
  return ids;
}
