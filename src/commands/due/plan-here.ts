import type { Context } from "../../context/context.ts";
import { inTree } from "../../deck-tree.ts";
import { type LogHistory, secondsOfAnswer, usualDay } from "../../review/session/history.ts";
import {
  buildQueue,
  dueAt,
  isNewCard,
  type Planned,
  type QueueSettings,
} from "../../review/session/queue.ts";
import { hashOf } from "../../schedule/easy-days.ts";
import type { TodayDeck } from "../../schedule/today.ts";
import type { DueCard, Order } from "../../schema/index.ts";
import { decksNamed } from "../shared/lists.ts";
import { timestampFrom, userDays } from "../shared/time.ts";
import { schedulerFor, sessionDays } from "./days.ts";
import { dueCards } from "./due-cards.ts";
import { type DayFigures, figuresOfPlan } from "./figures.ts";
import { historyHere } from "./review-log.ts";
import type { SessionOptions, TodayOptions } from "./review-options.ts";

/** The day of an account whose service cannot tell it: of all that is due there and the log of this machine. */
export async function planHere(
  history: LogHistory,
  options: SessionOptions,
  context: Context,
): Promise<Planned> {
  const { due } = await dueCards(undefined, true, options.timestamp, context);
  return planOf(due, history, options, context);
}

/** The figures of such an account, with what is due on the days after today. @param days how many of them */
export async function figuresHere(
  options: TodayOptions,
  context: Context,
  days = 1,
): Promise<DayFigures & { readonly ahead: readonly number[] }> {
  const history = await historyHere(context);
  const { endOfDay } = sessionDays(undefined, context);
  const { dayOf } = userDays(context);
  const last = timestampFrom(days === 1 ? "tomorrow" : `+${days}d`, "--date", context);
  const { due } = await dueCards(undefined, true, last, context);
  const isLater = (card: DueCard) => !isNewCard(card) && dueAt(card) > endOfDay;
  const whole = { ...options, timestamp: undefined };
  const planned = await planOf(
    due.filter((card) => !isLater(card)),
    history,
    whole,
    context,
  );
  const ahead = new Array<number>(days).fill(0);
  for (const card of due.filter(isLater)) {
    const day = dayOf(dueAt(card)) - dayOf(endOfDay) - 1;
    ahead[day] = (ahead[day] ?? 0) + 1;
  }
  return { ...figuresOfPlan(planned, ahead[0] ?? 0, secondsOfAnswer(history)), ahead };
}

async function planOf(
  due: readonly DueCard[],
  history: LogHistory,
  options: SessionOptions,
  context: Context,
): Promise<Planned> {
  const settings = await queueSettings(history, options, context);
  return buildQueue(due, {
    ...settings,
    inSession: inDecks(await decksNamed(options.deck, options.recursive, context)),
  });
}

export const inDecks =
  (decks: ReadonlySet<string> | undefined) =>
  ({ deckId }: { readonly deckId: string }): boolean =>
    decks?.has(deckId) ?? true;

/** What a queue of these options goes by. */
export async function queueSettings(
  history: LogHistory,
  options: SessionOptions,
  context: Context,
): Promise<QueueSettings> {
  const now = context.clock.now();
  const scheduler = await schedulerFor(context);
  const settings = context.settings();
  const days = userDays(context);
  return {
    history,
    schedule: (past) => scheduler.due(past),
    recall(past) {
      const last = scheduler.replay(past).at(-1);
      return last === undefined ? 1 : scheduler.recallAt(last, now);
    },
    now,
    ...sessionDays(options.date, context),
    order: options.order,
    limit: options.limit,
    newPerDay: options.new ?? settings["review.new-per-day"].value,
    newInBacklog: options.new !== undefined,
    newCards: settings["review.new-cards"].value,
    maxPerDay: settings["review.max-per-day"].value,
    meanPerDay: usualDay(history, days, now),
    decks: await decksFor(options.order, context),
    inSession: () => true,
    random: (id) => hashOf(`${days.dayOf(now)} ${id}`),
  };
}

/** The decks in the order in which they are shown, where it matters. */
async function decksFor(order: Order | undefined, context: Context): Promise<readonly TodayDeck[]> {
  if (order !== "deck") return [];
  return inTree(await (await context.names()).decks()).map(({ deck }) => ({ id: deck.id }));
}
