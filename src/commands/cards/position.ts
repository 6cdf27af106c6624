import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { positionBetween } from "../../schema/position.ts";
import type { CardOptions } from "./card-options.ts";

/**
 * The `pos` that `--after` or `--before` ask for: between the named card and its neighbour in the deck; undefined if
 * neither is given. Reads the deck's cards, since only they tell who the neighbour is.
 */
export async function positionFrom(
  options: Pick<CardOptions, "after" | "before">,
  deckId: string,
  context: Context,
): Promise<string | undefined> {
  const named = options.after ?? options.before;
  if (named === undefined) return undefined;
  const client = await context.client();
  const anchor = await client.cards.get(named).send();
  if (anchor["deck-id"] !== deckId) throw new UsageError(`card ${JSON.stringify(named)} is in another deck`);
  const pos = anchor.pos ?? "";
  if (pos === "") throw new UsageError(`card ${JSON.stringify(named)} has no position`);
  let neighbour: string | undefined;
  for await (const page of client.cards.pages({ deckId }))
    for (const card of page.docs) {
      const other = card.pos ?? "";
      if (card.id === named || other === "") continue;
      const nearer =
        options.after !== undefined
          ? other > pos && (neighbour === undefined || other < neighbour)
          : other < pos && (neighbour === undefined || other > neighbour);
      if (nearer) neighbour = other;
    }
  const between =
    options.after !== undefined ? positionBetween(pos, neighbour) : positionBetween(neighbour, pos);
  if (between === undefined)
    throw new UsageError(
      `there is no room ${options.after !== undefined ? "after" : "before"} card ${JSON.stringify(named)}`,
      {
        hint: "Give the neighbouring card another --pos first.",
      },
    );
  return between;
}
