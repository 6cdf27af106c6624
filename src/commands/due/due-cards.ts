import type { Context } from "../../context/context.ts";
import type { DueCard } from "../../schema/card.ts";
import { whileCounting } from "../shared/progress.ts";

/** Always the service's answer (cli.md, due): asked once for all decks, and kept are those of the deck and under it. */
export async function dueCards(
  text: string | undefined,
  recursive: boolean,
  date: string | undefined,
  context: Context,
): Promise<readonly DueCard[]> {
  const client = await context.client();
  if (text === undefined) return client.due.list({ date }).send();
  const names = await context.names();
  const { id } = await names.deck(text, { writing: false });
  if (!recursive) return client.due.deck(id, { date }).send();
  const decks = await whileCounting("Reading decks", context, (progress) => names.subtree(id, { progress }));
  if (decks.size === 1) return client.due.deck(id, { date }).send();
  const cards = await client.due.list({ date }).send();
  return cards.filter((card) => decks.has(card["deck-id"] ?? ""));
}
