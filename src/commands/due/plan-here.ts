import type { Context } from "../../context/context.ts";
import { inTree } from "../../deck-tree.ts";
import { type LogHistory, secondsOfAnswer, usualDay } from "../../review/session/history.ts";
import {
  answeredHere,
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
  const today = userDays(context).dayOf(context.clock.now());
  const last = timestampFrom(days === 1 ? "tomorrow" : `+${days}d`, "--date", context);
  const { due } = await dueCards(undefined, true, last, context);
  const onDays = await reviewDays(due, history, context);
  const open = due.filter(({ id }) => (onDays.get(id) ?? today) <= today);
  const planned = await planOf(open, history, { ...options, timestamp: undefined }, context);
  const ahead = Array.from({ length: days }, () => 0);
  for (const day of onDays.values())
    if (day > today && day <= today + days) ahead[day - today - 1] = (ahead[day - today - 1] ?? 0) + 1;
  return { ...figuresOfPlan(planned, ahead[0] ?? 0, secondsOfAnswer(history)), ahead };
}

/** On which days the reviewed ones of these cards are due, by their ids; the answers of this machine included. */
export async function reviewDays(
  cards: readonly DueCard[],
  history: LogHistory,
  context: Context,
): Promise<ReadonlyMap<string, number>> {
  const { dayOf } = userDays(context);
  const now = context.clock.now();
  const due = cards.filter((card) => !isNewCard(card));
  const scheduler = await schedulerFor(context);
  const answered = answeredHere(due, {
    history,
    schedule: (past) => scheduler.due(past),
    endOfDay: Number.NEGATIVE_INFINITY,
  });
  return new Map(
    due.map((card) => {
      const [here, there] = [Date.parse(answered.get(card.id)?.until ?? ""), dueAt(card)];
      // A card without a due instant is due now.
      return [card.id, dayOf([here, there].find(Number.isFinite) ?? now)];
    }),
  );
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
