import { join } from "node:path";
import { accountHash } from "../../config/account-hash.ts";
import type { Context } from "../../context/context.ts";
import { liveInTree } from "../../deck-tree.ts";
import { readCache, writeCache } from "../../files/cache.ts";
import type { Overview } from "../../home/ports.ts";
import { treeOf } from "../../home/tree.ts";
import { habitsOf } from "../../review/session/summary.ts";
import { type DayFigures, figuresFrom } from "../due/figures.ts";
import { historyHere } from "../due/review-log.ts";
import { wholeDay } from "../due/review-options.ts";
import { todayQuery } from "../due/today.ts";
import { userDays } from "../shared/time.ts";

/** What the home screen shows first. */

interface Ahead extends DayFigures {
  readonly ahead: readonly number[];
  /** How many cards each deck has; undefined where the service does not say it. */
  readonly cards: ReadonlyMap<string, number> | undefined;
}

const daysAhead = 14;

export async function readOverview(context: Context): Promise<Overview> {
  const { service } = await context.client();
  const isToldHere = await service.has("today");
  const day = isToldHere ? await figuresThere(context) : await figuresHere(context);
  const decks = liveInTree(await (await context.names()).decks({ now: isToldHere }));
  const own = new Map(
    decks.map(({ deck: { id } }) => [id, { due: 0, new: 0, cards: day.cards?.get(id) ?? 0 }]),
  );
  for (const { id, reviews, forgotten, new: fresh } of day.decks) {
    const figures = own.get(id);
    if (figures !== undefined) Object.assign(figures, { due: reviews + forgotten, new: fresh });
  }
  const tree = treeOf(decks, own);
  const now = context.clock.now();
  const history = await historyHere(context);
  return {
    at: now,
    decks: day.cards ? tree : tree.map((deck) => ({ ...deck, cards: undefined })),
    due: day.today.reviews + day.today.forgotten,
    new: day.today.new,
    done: day.done.reviews + day.done.new,
    ahead: day.ahead,
    streak: habitsOf(history, [], { days: userDays(context), now }).streak,
  };
}

async function figuresThere(context: Context): Promise<Ahead> {
  const client = await context.client();
  const query = { ...(await todayQuery(wholeDay, context)), overview: "yes" } as const;
  const answer = await client.today.get(query).send();
  const cards = (answer.cards ?? []).map(({ id, cards: count }) => [id ?? "", count ?? 0] as const);
  return {
    ...figuresFrom(answer),
    ahead: (answer.ahead ?? []).map((count) => count ?? 0),
    cards: answer.cards == null ? undefined : new Map(cards),
  };
}

async function figuresHere(context: Context): Promise<Ahead> {
  const here = await import("../due/plan-here.ts");
  return { ...(await here.figuresHere(wholeDay, context, daysAhead)), cards: undefined };
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
