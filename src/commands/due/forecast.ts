import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { parseWhen } from "../../dates.ts";
import { DeckhandError } from "../../errors.ts";
import { count } from "../../output/words.ts";
import type { Forecast } from "../../review/ports.ts";
import type { LogHistory } from "../../review/session/history.ts";
import { answeredHere, dueAt, isNewCard, progressToday } from "../../review/session/queue.ts";
import type { DueCard } from "../../schema/card.ts";
import { dayOffset, userDays } from "../shared/time.ts";
import { schedulerFor, sessionDays } from "./days.ts";
import { dueCards, whyNotDue } from "./due-cards.ts";
import { historyHere } from "./review-log.ts";
import { wholeDay } from "./review-options.ts";
import { todayFigures } from "./today.ts";

/** What is still to come: by the service, and by the answers of this machine that it does not have. */
export async function forecastOf(context: Context, client: Client): Promise<Forecast | undefined> {
  const days = userDays(context);
  const today = days.dayOf(context.clock.now());
  const due = await client.due.list({ date: dateIn(7, context) }).send();
  const figures = await todayFigures(wholeDay, context);
  const { unfinished } = progressToday({
    history: await historyHere(context),
    startOfToday: days.startOf(today),
    now: context.clock.now(),
  });
  // A card that was forgotten is asked again today, whatever the service says.
  const onDays = await reviewDays(due, context);
  const dueDays = [...onDays].map(([id, day]) => (unfinished.has(id) ? Math.min(day, today) : day));
  return {
    left: figures.today.count,
    today: dueDays.filter((day) => day <= today).length - figures["put-off"],
    tomorrow: dueDays.filter((day) => day <= today + 1).length,
    week: dueDays.filter((day) => day <= today + 7).length,
  };
}

/** How many days ahead the next card is looked for. */
const furthest = 91;

/**
 * ". Next: 3 cards tomorrow", where nothing is due today, or why the deck has no due cards; empty if that is not known. Between midnight and the end of
 * the day it says when today ends.
 *
 * @param comingBack the ids of cards that come back today, which count as neither
 */
export async function nextDue(
  deck: string | undefined,
  recursive: boolean,
  context: Context,
  comingBack: ReadonlySet<string> = new Set(),
): Promise<string> {
  const userCalendar = userDays(context);
  const now = context.clock.now();
  const [today, night] = [userCalendar.dayOf(now), userCalendar.nightOf(now)];
  try {
    const why = deck === undefined ? "" : await whyNotDue(deck, context);
    if (why !== "") return why;
    // Most often it is within a week, and that answer is small.
    for (const ahead of [7, furthest]) {
      const { due } = await dueCards(deck, recursive, dateIn(ahead, context), context);
      const others = due.filter(({ id }) => !comingBack.has(id));
      const days = [...(await reviewDays(others, context)).values()]
        .filter((day) => day > today)
        .sort((a, b) => a - b);
      const [first] = days;
      // What was answered on this machine only comes back later than the service says.
      if (first === undefined || (first > today + ahead && ahead < furthest)) continue;
      const cards = count(days.filter((day) => day === first).length, "card");
      const when = first === today + 1 ? "tomorrow" : `in ${first - today} days`;
      return `. Next: ${cards} ${when}${night === undefined ? "" : ` (today is ${night})`}`;
    }
  } catch (error) {
    // That nothing is due is known all the same.
    if (!(error instanceof DeckhandError)) throw error;
  }
  return "";
}

const dateIn = (days: number, context: Context): string | undefined =>
  parseWhen(`+${days}d`, context.clock.now(), dayOffset(context))?.text;

/** On which days the reviewed ones of these cards are due, by their ids; the answers of this machine included. */
async function reviewDays(cards: readonly DueCard[], context: Context): Promise<ReadonlyMap<string, number>> {
  const now = context.clock.now();
  const days = userDays(context);
  const due = cards.filter((card) => !isNewCard(card));
  const answered = await answeredOf(due, await historyHere(context), Number.NEGATIVE_INFINITY, context);
  return new Map(
    due.map((card) => [card.id, days.dayOf(dueInstant(answered.get(card.id)?.until, dueAt(card), now))]),
  );
}

/** The cards whose newest review is in the log, and whose interval has not passed at that instant. */
async function answeredOf(due: readonly DueCard[], history: LogHistory, endOfDay: number, context: Context) {
  const scheduler = await schedulerFor(context);
  return answeredHere(due, { history, schedule: (past) => scheduler.due(past), endOfDay });
}

/**
 * What the review log of this machine adds to the service's answer.
 *
 * @param decks the decks that were asked about; undefined for all
 * @returns the due cards that were answered without the service knowing, and the ids of cards that are not due, were
 * forgotten today, and come back in the next session of the day
 */
export async function answersHere(
  due: readonly DueCard[],
  date: string | undefined,
  decks: ReadonlySet<string> | undefined,
  context: Context,
) {
  const history = await historyHere(context);
  const { startOfToday, endOfDay } = sessionDays(date, context);
  const known = new Set(due.map(({ id }) => id));
  const { unfinished } = progressToday({ history, startOfToday, now: context.clock.now() });
  const comingBack = [...unfinished].flatMap(([id, { deckId, review }]) =>
    review === false && !known.has(id) && (decks?.has(deckId) ?? true) ? [id] : [],
  );
  return {
    answered: await answeredOf(due, history, endOfDay, context),
    comingBack: new Set(comingBack),
  };
}

/** A card without a due instant is due now. */
function dueInstant(here: string | undefined, there: number, now: number): number {
  if (here !== undefined) return Date.parse(here);
  return Number.isFinite(there) ? there : now;
}
