import type { Context } from "../../context/context.ts";
import { inTree } from "../../deck-tree.ts";
import { isArchived, isTrashed } from "../../decks/lines.ts";
import { DeckhandError } from "../../errors.ts";
import { count } from "../../output/words.ts";
import { type LogHistory, lastDays, secondsOfAnswer, usualDay } from "../../review/session/history.ts";
import { progressToday } from "../../review/session/progress.ts";
import {
  answeredHere,
  buildQueue,
  dueAt,
  isNewCard,
  type Planned,
  type QueueSettings,
} from "../../review/session/queue.ts";
import { hashOf } from "../../schedule/easy-days.ts";
import type { TodayNumbers } from "../../schedule/figures.ts";
import { streakOf } from "../../schedule/streak.ts";
import { figuresOf, summed, type TodayDeck } from "../../schedule/today.ts";
import type { DueCard, Order } from "../../schema/index.ts";
import { decksNamed } from "../shared/lists.ts";
import { schedulerFor } from "../shared/schedule.ts";
import { sessionDays, timestampFrom, userDays } from "../shared/time.ts";
import type { SessionOptions, TodayOptions } from "./day.ts";
import { dueCards } from "./due-cards.ts";
import { historyHere } from "./review-log.ts";

/** The day as it is found out here, of what is due on the service and the log of this machine. */

/** Finds the cards of decks that a session is only of. */
type Filter = (decks: readonly string[]) => Promise<ReadonlySet<string>>;

/** What a session asks where its service cannot tell it, or only some of what is due is asked. */
export async function planHere(
  history: LogHistory,
  options: SessionOptions,
  context: Context,
  filter?: Filter,
): Promise<Planned> {
  const { date } = options;
  const at = date === undefined ? undefined : timestampFrom(date, "--date", context);
  const { due } = await dueCards(undefined, true, at, context);
  return planOf(due, history, options, context, filter);
}

async function planOf(
  due: readonly DueCard[],
  history: LogHistory,
  options: SessionOptions,
  context: Context,
  filter?: Filter,
): Promise<Planned> {
  const settings = await queueSettings(history, options, context);
  const decks = await decksNamed(options.deck, options.recursive, context);
  const isIn = (id: string) => decks?.has(id) ?? true;
  if (filter === undefined) return buildQueue(due, { ...settings, inSession: ({ deckId }) => isIn(deckId) });
  const begun = [...progressToday(settings).unfinished.values()].map(({ deckId }) => deckId);
  const ids = new Set([...due.map((card) => card["deck-id"] ?? ""), ...begun]);
  const found = await filter([...ids].filter((id) => id !== "" && isIn(id)));
  // The limits of the day hold for these.
  const asked = due.filter(({ id }) => found.has(id));
  return buildQueue(asked, { ...settings, inSession: ({ id }) => found.has(id) });
}

/** The figures of such an account. @param days of how many days after today what is due is wanted */
export async function figuresHere(
  options: TodayOptions,
  context: Context,
  days: number,
): Promise<TodayNumbers> {
  const history = await historyHere(context);
  const coming = await cardsUntil(days, {}, history, context);
  const planned =
    coming === undefined
      ? await planHere(history, options, context)
      : await planOf(coming.open, history, options, context);
  const { order, backlog, left, held } = planned.plan;
  const decks = [...figuresOf(planned.asked)].map(([id, figures]) => ({ id, ...figures }));
  const { dayOf } = userDays(context);
  const doneOf = (what: "reviews" | "new") => planned.done.reduce((sum, each) => sum + each[what], 0);
  return {
    today: summed(decks, secondsOfAnswer(history)),
    decks,
    done: { reviews: doneOf("reviews"), new: doneOf("new") },
    streak: streakOf(lastDays(history, dayOf), dayOf(context.clock.now())).current,
    ...{ order, backlog, left, held, tomorrow: coming?.ahead[0] ?? null, ahead: coming?.ahead ?? [] },
  };
}

/**
 * The cards that are due today or on some days after it, the answers of this machine included.
 *
 * @returns those of today, and how many reviews each of the days after it has; undefined where the service answers with an
 * error: that it is asked about other days must not make today fail
 */
async function cardsUntil(
  days: number,
  { deck, recursive = true }: Partial<TodayOptions>,
  history: LogHistory,
  context: Context,
) {
  const { dayOf } = userDays(context);
  const now = context.clock.now();
  const date = timestampFrom(`+${days}d`, "--date", context);
  const found = await dueCards(deck, recursive, date, context).catch((error: unknown) => {
    if (error instanceof DeckhandError && error.status !== undefined) return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const answered = await answersHere(found.due, Number.NEGATIVE_INFINITY, history, context);
  const open: DueCard[] = [];
  const ahead = Array.from({ length: days }, () => 0);
  for (const card of found.due) {
    const [here, there] = [Date.parse(answered.get(card.id)?.until ?? ""), dueAt(card)];
    // A card without a due instant is due now.
    const due = isNewCard(card) ? now : ([here, there].find(Number.isFinite) ?? now);
    const day = dayOf(due) - dayOf(now);
    if (day <= 0) open.push(card);
    else if (day <= days) ahead[day - 1] = (ahead[day - 1] ?? 0) + 1;
  }
  return { open, ahead };
}

/** What was answered on this machine of cards, and rests after an instant without the service knowing. */
export async function answersHere(
  due: readonly DueCard[],
  endOfDay: number,
  history: LogHistory,
  context: Context,
) {
  const scheduler = await schedulerFor(context);
  return answeredHere(due, { history, schedule: (past) => scheduler.due(past), endOfDay });
}

/** ". Next: 3 cards tomorrow", where nothing is due today, or why the deck has no due cards; empty if that is not known. */
export async function nextDue(
  { deck, recursive }: Pick<TodayOptions, "deck" | "recursive">,
  context: Context,
): Promise<string> {
  const why = deck === undefined ? "" : await whyNotDue(deck, context);
  if (why !== "") return why;
  const history = await historyHere(context);
  // Most often it is within a week, and that answer is small.
  for (const days of [7, 91]) {
    const { ahead = [] } = (await cardsUntil(days, { deck, recursive }, history, context)) ?? {};
    const first = ahead.findIndex((cards) => cards > 0);
    if (first >= 0)
      return `. Next: ${count(ahead[first] ?? 0, "card")} ${first === 0 ? "tomorrow" : `in ${first + 1} days`}`;
  }
  return "";
}

/** Why nothing of a deck is due, where the deck keeps its cards from it: `: the deck A is archived`; else empty. */
export async function whyNotDue(text: string, context: Context): Promise<string> {
  const names = await context.names();
  // It may have been archived elsewhere a moment ago.
  const { id, name } = await names.deck(text, { again: true });
  const line = await names.line(id);
  if (!isTrashed(line) && !isArchived(line)) return "";
  return `: the deck ${(await names.path(id)) ?? name} is ${isTrashed(line) ? "in the trash" : "archived"}`;
}

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
