import { splitSides } from "../../cards/sides.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";

/** The ids of cards by their fronts, read once. */
const known = new WeakMap<Context, Promise<ReadonlyMap<string, readonly string[]>>>();

/**
 * Lets what is done to a card by its id be done to a card that is named by its whole front, where that is unique. Only on
 * services of our own: on a hosted account looking would cost a request for each page of cards.
 */
export const byFront =
  <T>(context: Context, act: (id: string) => Promise<T>) =>
  async (text: string): Promise<T> => {
    try {
      return await act(text);
    } catch (error) {
      const missing = error instanceof DeckhandError && error.code === "not-found";
      // An id that is mistyped is no front: nothing is read for it.
      if (!missing || /^\w{8}$/.test(text)) throw error;
      const id = await cardOfFront(text, context);
      if (id === undefined) throw error;
      return act(id);
    }
  };

async function cardOfFront(text: string, context: Context): Promise<string | undefined> {
  if (!(await (await context.client()).service.has("ids"))) return undefined;
  const fronts = known.get(context) ?? readFronts(context);
  known.set(context, fronts);
  const [id, ...others] = (await fronts).get(text.trim()) ?? [];
  if (id !== undefined && others.length > 0)
    throw new UsageError(`${JSON.stringify(text)} is the front of ${others.length + 1} cards`, {
      hint: `Name one by its id: ${[id, ...others].slice(0, 20).join(", ")}`,
    });
  return id;
}

/** Cards in the trash are named by their ids only. */
async function readFronts(context: Context): Promise<ReadonlyMap<string, readonly string[]>> {
  const fronts = new Map<string, string[]>();
  for await (const { docs } of (await context.client()).cards.pages())
    for (const card of docs) {
      if (card["trashed?"] != null) continue;
      const [side = ""] = splitSides(card.content ?? "");
      for (const front of new Set([side.trim(), card.name ?? ""]))
        if (front !== "") fronts.set(front, [...(fronts.get(front) ?? []), card.id]);
    }
  return fronts;
}
