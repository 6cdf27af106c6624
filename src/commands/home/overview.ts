import { join } from "node:path";
import { accountHash } from "../../config/account-hash.ts";
import type { Context } from "../../context/context.ts";
import { liveInTree } from "../../deck-tree.ts";
import { readCache, writeCache } from "../../files/cache.ts";
import type { Overview } from "../../home/ports.ts";
import { treeOf } from "../../home/state.ts";
import { streakOf } from "../../review/session/summary.ts";
import { figuresFrom } from "../due/figures.ts";
import { historyHere } from "../due/review-log.ts";
import { wholeDay } from "../due/review-options.ts";
import { todayQuery } from "../due/today.ts";
import { userDays } from "../shared/time.ts";

const daysAhead = 14;

/** What the home screen shows first. */
export async function readOverview(context: Context): Promise<Overview> {
  const client = await context.client();
  const isToldHere = await client.service.has("today");
  const query = { ...(await todayQuery(wholeDay, context)), overview: "yes" } as const;
  const answer = isToldHere ? await client.today.get(query).send() : undefined;
  const day =
    answer === undefined
      ? await (await import("../due/plan-here.ts")).figuresHere(wholeDay, context, daysAhead)
      : { ...figuresFrom(answer), ahead: (answer.ahead ?? []).map((count) => count ?? 0) };
  const decks = liveInTree(await (await context.names()).decks({ now: isToldHere }));
  const counts = new Map((answer?.cards ?? []).map(({ id, cards }) => [id, cards ?? 0]));
  const own = new Map(decks.map(({ deck: { id } }) => [id, { due: 0, new: 0, cards: counts.get(id) ?? 0 }]));
  for (const { id, reviews, forgotten, new: fresh } of day.decks) {
    const figures = own.get(id);
    if (figures !== undefined) Object.assign(figures, { due: reviews + forgotten, new: fresh });
  }
  const tree = treeOf(decks, own);
  const now = context.clock.now();
  return {
    at: now,
    decks: answer?.cards == null ? tree.map((deck) => ({ ...deck, cards: undefined })) : tree,
    due: day.today.reviews + day.today.forgotten,
    new: day.today.new,
    held: day.held,
    done: day.done.reviews + day.done.new,
    ahead: day.ahead,
    streak: streakOf(await historyHere(context), [], userDays(context), now),
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
