import type { PastReview } from "../../schedule/index.ts";
import { type Asked, type DoneToday, planToday, type Today, type TodayDeck } from "../../schedule/today.ts";
import type { DueCard } from "../../schema/card.ts";
import type { NewCards, Order } from "../../schema/today.ts";
import { answersSince, standingReviews } from "./history.ts";
import type { ReviewBody } from "./log.ts";
import { type LogDay, progressToday, resumedForgotten } from "./progress.ts";
import type { Resumed } from "./state.ts";

/**
 * The cards of a session, out of what is due and the log of this machine: where the service says itself what is asked
 * today, `fromService`; elsewhere `buildQueue`, by the same function (docs/design/review.md, "Today is one thing").
 */

/** The instant at which a card with this history is due; undefined if it was never reviewed. */
export type Schedule = (history: readonly PastReview[]) => string | undefined;

interface AnsweredSettings extends LogDay {
  readonly schedule: Schedule;
  /** The last instant of the day asked about, where the user is. */
  readonly endOfDay: number;
}

export interface QueueSettings extends AnsweredSettings {
  /** What follows from the backlog if absent. */
  readonly order?: Order | undefined;
  readonly limit?: number | undefined;
  /** How many new cards a day. */
  readonly newPerDay: number | "all";
  /** Whether new cards are begun in a backlog, too. */
  readonly newInBacklog: boolean;
  readonly newCards: NewCards;
  /** How many cards a day, reviews and new ones; those answered today count. */
  readonly maxPerDay?: number | undefined;
  /** The mean number of reviews on the last days with reviews. */
  readonly meanPerDay: number;
  /** In the order in which they are shown; empty where it does not matter. */
  readonly decks: readonly TodayDeck[];
  /** Whether a card of today's queue belongs to this session. */
  inSession(card: { readonly id: string; readonly deckId: string }): boolean;
  /** The chance to recall a card with this history now, 0 to 1. Only for the orders by it. */
  recall(history: readonly PastReview[]): number;
  random(id: string): number;
}

export interface Queue extends QueueRest {
  /** How far earlier sessions of today got, by card. */
  readonly resumed: Readonly<Record<string, Resumed>>;
  /** When its cards were as they are, ISO 8601, where they do not say which reviews they have. */
  readonly asOf?: string;
  /** Reads the cards that come after these; absent if these are all. */
  readonly rest?: () => Promise<QueueRest>;
  /** What is said when the session begins: which order applies, and what is left for later days. */
  readonly opening?: Promise<string | undefined>;
}

/** The cards of a session that were read after it began. */
export interface QueueRest {
  readonly cards: readonly DueCard[];
  /** The reviews that the log has of the cards, by card. */
  readonly logged: ReadonlyMap<string, readonly ReviewBody[]>;
  /** Those that are remembered by now, as the service does not know yet. */
  readonly settled?: readonly string[];
}

/** A review that the service does not know of: when it was given, and when the card comes back by it. Both ISO 8601. */
export interface AnsweredHere {
  readonly at: string;
  readonly until: string;
}

/** The plan of a day, of which a queue is the beginning. */
export interface Planned extends Queue {
  readonly plan: Today;
  /** The part of it that belongs to the session. */
  readonly asked: readonly Asked[];
  readonly done: readonly DoneToday[];
}

/** The cards of a session, by all that is due and the log. */
export function buildQueue(due: readonly DueCard[], settings: QueueSettings): Planned {
  const { history, inSession, limit } = settings;
  const { unfinished } = progressToday(settings);
  const known = new Map(due.map((card) => [card.id, card]));
  const begun = [...unfinished].flatMap(([id, { deckId, review }]): DueCard[] => {
    const there = known.get(id) ?? (review === false ? { id, "deck-id": deckId, "new?": false } : undefined);
    return there === undefined || !inSession({ id, deckId }) ? [] : [there];
  });
  const logged = standingReviews(history, [...due, ...begun]);
  const answered = answeredBy(logged, due, settings);
  const open = due.filter(({ id }) => !answered.has(id) && !unfinished.has(id));
  const reviewed = (card: DueCard) => !isNewCard(card) || logged.has(card.id);
  const past = (card: DueCard) => [...(card.reviews ?? []), ...(logged.get(card.id) ?? [])];
  const dues = new Map(open.filter(reviewed).map((card) => [card, dueAt(card)]));
  const byDue = [...dues.keys()].sort((a, b) => (dues.get(a) ?? 0) - (dues.get(b) ?? 0) || 0);
  const inOrder = [...byDue, ...open.filter((card) => !reviewed(card))];
  const done = doneToday(settings);
  const plan = planToday({
    ...settings,
    cards: inOrder.map((card) => ({
      id: card.id,
      deck: card["deck-id"] ?? "",
      new: !reviewed(card),
      card,
    })),
    recall: ({ card }) => settings.recall(past(card)),
    done,
    again: begun.map((card) => ({ id: card.id, deck: card["deck-id"] ?? "" })),
    putOff: putOffToday(settings),
  });
  const byId = new Map([...due, ...begun].map((card) => [card.id, card]));
  const asked = plan.queue.filter(({ id, deck }) => inSession({ id, deckId: deck }));
  const cards = asked.slice(0, limit).flatMap(({ id }) => byId.get(id) ?? []);
  return { plan, asked, done, cards, logged, resumed: Object.fromEntries(unfinished) };
}

type AskedCard = DueCard & { readonly asked?: string | null | undefined };

/**
 * What the service asks today, with what only the log of this machine knows: answers that were not sent yet, and how far
 * cards with several passes got.
 */
export function fromService(
  asked: readonly AskedCard[],
  settings: AnsweredSettings,
): QueueRest & Pick<Queue, "resumed" | "settled"> {
  const { unfinished, finished } = progressToday(settings);
  const logged = standingReviews(settings.history, asked);
  const answered = answeredBy(logged, asked, settings);
  const settled = asked.filter(
    (card) => card.asked === "again" && (finished.get(card.id) ?? -Infinity) > newestOf(card.reviews ?? []),
  );
  const left = new Set([...settled.map(({ id }) => id), ...answered.keys()]);
  const cards = asked.filter(({ id }) => !left.has(id) || unfinished.has(id));
  // Each has its review of today, perhaps from another machine.
  const again = cards.filter((card) => card.asked === "again");
  return {
    cards,
    logged,
    settled: settled.map(({ id }) => id),
    resumed: {
      ...Object.fromEntries(unfinished),
      ...Object.fromEntries(again.map(({ id }) => [id, resumedForgotten(unfinished.get(id))])),
    },
  };
}

/** The cards that were answered today, by the log: each once. */
function doneToday({ history, startOfToday, now }: LogDay) {
  const done = new Map<string, { deck: string; reviews: number; new: number }>();
  for (const line of answersSince(history, startOfToday)) {
    if (Date.parse(line.at) > now) continue;
    const before = done.get(line["card-id"]);
    const isNew = line["new?"] === true || before?.new === 1;
    if (isNew || line.review !== undefined)
      done.set(line["card-id"], { deck: line["deck-id"], reviews: isNew ? 0 : 1, new: isNew ? 1 : 0 });
  }
  return [...done.values()];
}

function putOffToday({ history, startOfToday, now }: LogDay): ReadonlySet<string> {
  const ofToday = ([, at]: readonly [string, number]) => at >= startOfToday && at <= now;
  return new Set([...history.putOff].filter(ofToday).map(([id]) => id));
}

/**
 * The cards whose newest review is in the log, not on the service, and whose interval has not passed by the end of the
 * day: the service does not know it yet, or cannot record it.
 */
export function answeredHere(
  due: readonly DueCard[],
  settings: Pick<AnsweredSettings, "history" | "schedule" | "endOfDay">,
): Map<string, AnsweredHere> {
  return answeredBy(standingReviews(settings.history, due), due, settings);
}

function answeredBy(
  logged: QueueRest["logged"],
  due: readonly DueCard[],
  { schedule, endOfDay }: Pick<AnsweredSettings, "schedule" | "endOfDay">,
): Map<string, AnsweredHere> {
  const answered = new Map<string, AnsweredHere>();
  for (const card of due) {
    const here = logged.get(card.id);
    if (here === undefined) continue;
    const there = card.reviews ?? [];
    const newestHere = newestOf(here);
    // The same instant on both sides is one review, and then the service has already judged by it.
    if (newestHere <= newestOf(there)) continue;
    const until = schedule([...there, ...here]);
    if (until !== undefined && Date.parse(until) > endOfDay)
      answered.set(card.id, { at: new Date(newestHere).toISOString(), until });
  }
  return answered;
}

/** Two reviews closer than this are one, written with less precision. */
const SAME_MS = 1000;

/**
 * Whether a card was answered elsewhere since the session began, and rests now: on another device, while this one slept.
 *
 * @param before the reviews that were known then
 */
export function answeredMeanwhile(
  reviews: readonly (PastReview & { readonly due?: string | null | undefined })[],
  before: readonly PastReview[],
  now: number,
): boolean {
  const known = newestOf(before) + SAME_MS;
  return reviews.some(({ date, due }) => Date.parse(date ?? "") > known && Date.parse(due ?? "") > now);
}

/** Whether a card was never reviewed, as far as the service says. */
export function isNewCard(card: Pick<DueCard, "new?" | "reviews">): boolean {
  return card["new?"] ?? (card.reviews ?? []).length === 0;
}

/** When the service has a card due; one without an instant comes first. */
export function dueAt(card: DueCard): number {
  const last = (card.reviews ?? []).reduce<{ date: number; due: number } | undefined>((latest, review) => {
    const date = Date.parse(review?.date ?? "");
    if (Number.isNaN(date) || (latest !== undefined && latest.date >= date)) return latest;
    return { date, due: Date.parse(review?.due ?? "") };
  }, undefined);
  return last === undefined || Number.isNaN(last.due) ? Number.NEGATIVE_INFINITY : last.due;
}

/** When the newest review was given; minus infinity if there is none. */
export function newestOf(reviews: readonly PastReview[]): number {
  return reviews.reduce((latest, { date }) => {
    const at = Date.parse(date ?? "");
    return Number.isNaN(at) ? latest : Math.max(at, latest);
  }, Number.NEGATIVE_INFINITY);
}
