import { join } from "node:path";
import { accountHash } from "../../config/account-hash.ts";
import type { Context } from "../../context/context.ts";
import { liveInTree } from "../../deck-tree.ts";
import { readCache, writeCache } from "../../files/cache.ts";
import type { Overview } from "../../home/ports.ts";
import { treeOf } from "../../home/state.ts";
import { figuresByDeck } from "../../schedule/figures.ts";
import { wholeDay } from "../due/day.ts";
import { todayFigures } from "../due/today.ts";

const daysAhead = 14;

/** What the home screen shows first. */
export async function readOverview(context: Context): Promise<Overview> {
  const day = await todayFigures(wholeDay, context, daysAhead);
  // Where the service says them all at once, asking it for the decks again costs little, too.
  const decks = liveInTree(await (await context.names()).decks({ now: day.cards !== undefined }));
  const tree = treeOf(decks, figuresByDeck(day));
  return {
    at: context.clock.now(),
    decks: day.cards === undefined ? tree.map((deck) => ({ ...deck, cards: undefined })) : tree,
    due: day.today.reviews + day.today.forgotten,
    new: day.today.new,
    held: day.held,
    done: day.done.reviews + day.done.new,
    ahead: day.ahead ?? [],
    streak: day.streak ?? 0,
  };
}

const cachePath = (context: Context): string =>
  join(context.folders.cache, `home-${accountHash(context.account())}.json`);

/** What was known of an account over the network the last time; what is damaged counts as missing. */
export function cachedOverview(context: Context): Overview | undefined {
  if (context.account().kind === "local") return undefined;
  const value = readCache(cachePath(context)) as Overview | undefined;
  return Array.isArray(value?.decks) && Array.isArray(value.ahead) ? value : undefined;
}

/** Never fails: it is read again the next time. */
export function keepOverview(overview: Overview, context: Context): void {
  if (context.account().kind !== "local") writeCache(cachePath(context), overview);
}
