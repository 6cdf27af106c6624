import type { PastReview } from "../../schedule/index.ts";
import type { DueCard } from "../../schema/card.ts";
import { answersSince, type LogHistory, standingReviews } from "./history.ts";
import type { ReviewBody } from "./log.ts";
import type { Resumed } from "./state.ts";

/** Which of the due cards a session asks, and in which order (docs/design/review.md). */

export const orders = ["due", "deck", "random", "retrievability"] as const;
export type Order = (typeof orders)[number];

/** The instant at which a card with this history is due; undefined if it was never reviewed. */
export type Schedule = (history: readonly PastReview[]) => string | undefined;

export interface QueueSettings {
  readonly history: LogHistory;
  readonly schedule: Schedule;
  readonly now: number;
  /** The first instant of today and the last of the day asked about, where the user is. */
  readonly startOfToday: number;
  readonly endOfDay: number;
  readonly order: Order;
  readonly limit?: number | undefined;
  /** How many new cards a day. */
  readonly newPerDay: number | "all";
  /** How many cards a day, reviews and new ones; those answered today count. */
  readonly maxPerDay?: number | undefined;
  /** Whether a card that was forgotten today belongs to this session. */
  inSession(card: { readonly id: string; readonly deckId: string }): boolean;
  /** The chance to recall a card with this history now, 0 to 1. Only for the order by it. */
  recall(history: readonly PastReview[]): number;
  /** The place of a deck among the decks; smaller comes first. */
  deckOrder(deckId: string): number;
  random(): number;
}

export interface Queue {
  readonly cards: readonly DueCard[];
  /** Cards that are due by the service but were answered here. */
  readonly answered: ReadonlyMap<string, AnsweredHere>;
  /** New cards left out because of the number of new cards a day. */
  readonly held: number;
  /** Cards left out because of the number of cards a day. */
  readonly beyondDay: number;
  /** The reviews that the log has of the cards, by card. */
  readonly logged: ReadonlyMap<string, readonly ReviewBody[]>;
  /** How far earlier sessions of today got, by card. */
  readonly resumed: Readonly<Record<string, Resumed>>;
  /** Whether a limit is reached: cards that are due after these would not be asked. */
  readonly full: boolean;
  /** Reads the cards that come after these; absent if these are all. */
  readonly rest?: () => Promise<QueueRest>;
}

/** The cards of a session that were read after it began. */
export type QueueRest = Pick<Queue, "cards" | "logged">;

/** A review that the service does not know of: when it was given, and when the card comes back by it. Both ISO 8601. */
export interface AnsweredHere {
  readonly at: string;
  readonly until: string;
}

/** A card that a session of today began and did not finish. */
interface Unfinished extends Resumed {
  readonly deckId: string;
}

/**
 * The cards of a session.
 *
 * In the order `due` the queue of the first cards of the service's answer is the beginning of the queue of all: a session
 * may begin with it.
 */
export function buildQueue(due: readonly DueCard[], settings: QueueSettings): Queue {
  const unfinished = unfinishedToday(settings);
  const back = returning(unfinished, due, settings);
  const backIds = new Set(back.map(({ id }) => id));
  const logged = standingReviews(settings.history, [...due, ...back]);
  const answered = answeredBy(logged, due, settings);
  const open = due.filter(({ id }) => !answered.has(id) && !backIds.has(id));
  const isNew = (card: DueCard) => isNewCard(card) && !logged.has(card.id);
  const reviews = inOrder(
    open.filter((card) => !isNew(card)),
    logged,
    settings,
  );
  const fresh = inOrder(open.filter(isNew), logged, { ...settings, order: freshOrder(settings.order) });
  const { newPerDay, limit, maxPerDay } = settings;
  const begun = newToday(settings);
  let left = newPerDay === "all" ? fresh.length : newPerDay - begun.size;
  // One that was begun today is counted already.
  const taken = fresh.filter(({ id }) => (begun.has(id) && newPerDay !== 0) || left-- > 0);
  const room = maxPerDay === undefined ? undefined : Math.max(0, maxPerDay - answeredToday(settings));
  const others = [...reviews, ...taken];
  const cards = [...back, ...(room === undefined ? others : others.slice(0, room))];
  const held = fresh.length - taken.length;
  const known = new Set([...due, ...back].map(({ id }) => id));
  // A new card that was begun today may come after those for which there is no room.
  const begunLater = newPerDay !== 0 && [...begun].some((id) => unfinished.has(id) && !known.has(id));
  return {
    full:
      cards.length >= (limit ?? Number.POSITIVE_INFINITY) ||
      others.length >= (room ?? Number.POSITIVE_INFINITY) ||
      (held > 0 && !begunLater),
    cards: limit === undefined ? cards : cards.slice(0, limit),
    answered,
    held,
    beyondDay: room === undefined ? 0 : Math.max(0, others.length - room),
    logged,
    resumed: Object.fromEntries([...unfinished].map(([id, { passes, review }]) => [id, { passes, review }])),
  };
}

/** New cards have no chance to be recalled; they come as the service has them. */
const freshOrder = (order: Order): Order => (order === "retrievability" ? "due" : order);

/** How many cards were reviewed today, by the log. */
function answeredToday({ history, startOfToday, now }: QueueSettings): number {
  const today = answersSince(history, startOfToday).filter(
    (line) => line.review !== undefined && Date.parse(line.at) <= now,
  );
  return new Set(today.map((line) => line["card-id"])).size;
}

/**
 * The cards whose newest review is in the log, not on the service, and whose interval has not passed by the end of the
 * day: the service does not know it yet, or cannot record it.
 */
export function answeredHere(
  due: readonly DueCard[],
  settings: Pick<QueueSettings, "history" | "schedule" | "endOfDay">,
): Map<string, AnsweredHere> {
  return answeredBy(standingReviews(settings.history, due), due, settings);
}

function answeredBy(
  logged: Queue["logged"],
  due: readonly DueCard[],
  { schedule, endOfDay }: Pick<QueueSettings, "schedule" | "endOfDay">,
): Map<string, AnsweredHere> {
  const answered = new Map<string, AnsweredHere>();
  for (const card of due) {
    const here = logged.get(card.id);
    if (here === undefined) continue;
    const there = card.reviews ?? [];
    const newestHere = newest(here);
    // The same instant on both sides is one review, and then the service has already judged by it.
    if (newestHere <= newest(there)) continue;
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
  const known = newest(before) + SAME_MS;
  return reviews.some(({ date, due }) => Date.parse(date ?? "") > known && Date.parse(due ?? "") > now);
}

/** Whether a card was never reviewed, as far as the service says. */
export function isNewCard(card: Pick<DueCard, "new?" | "reviews">): boolean {
  return card["new?"] ?? (card.reviews ?? []).length === 0;
}

/** The new cards that were first answered today, by the log. */
function newToday({ history, startOfToday, now }: QueueSettings): ReadonlySet<string> {
  const today = answersSince(history, startOfToday).filter(
    (line) => line["new?"] && Date.parse(line.at) <= now,
  );
  return new Set(today.map((line) => line["card-id"]));
}

/**
 * How far the sessions of today got with the cards that they did not finish: those that were forgotten and not yet
 * remembered since, and those of which some passes were asked.
 */
export function unfinishedToday({
  history,
  startOfToday,
  now,
}: Pick<QueueSettings, "history" | "startOfToday" | "now">): Map<string, Unfinished> {
  const unfinished = new Map<string, Unfinished>();
  for (const line of answersSince(history, startOfToday)) {
    if (Date.parse(line.at) > now) continue;
    const cardId = line["card-id"];
    const before = unfinished.get(cardId);
    const passes = { ...before?.passes, [line.pass]: line["remembered?"] };
    const review = line.review?.["remembered?"] ?? before?.review;
    // Lines of earlier versions do not say how many passes are left.
    const finished =
      line.left === undefined
        ? review === true || (review === false && Object.values(passes).every((each) => each))
        : line.left === 0;
    if (finished) unfinished.delete(cardId);
    else unfinished.set(cardId, { deckId: line["deck-id"], passes, review });
  }
  return unfinished;
}

/** Cards that were forgotten today and are still to be remembered once, as far as the log knows them. */
function returning(
  unfinished: ReadonlyMap<string, Unfinished>,
  due: readonly DueCard[],
  { inSession }: QueueSettings,
) {
  const known = new Map(due.map((card) => [card.id, card]));
  return [...unfinished].flatMap(([id, { deckId, review }]): DueCard[] => {
    if (review !== false || !inSession({ id, deckId })) return [];
    return [known.get(id) ?? { id, "deck-id": deckId, "new?": false }];
  });
}

function inOrder(
  cards: readonly DueCard[],
  logged: Queue["logged"],
  { order, deckOrder, random, recall }: QueueSettings,
): DueCard[] {
  switch (order) {
    case "random":
      return shuffled(cards, random);
    case "due":
      return sortedBy(cards, dueAt);
    case "retrievability":
      return sortedBy(cards, (card) => recall([...(card.reviews ?? []), ...(logged.get(card.id) ?? [])]));
    case "deck":
      return [...cards].sort(
        (a, b) =>
          deckOrder(a["deck-id"] ?? "") - deckOrder(b["deck-id"] ?? "") || compare(a.pos ?? "", b.pos ?? ""),
      );
  }
}

/** By a number, the smallest first; the others stay in their order. */
function sortedBy(cards: readonly DueCard[], rank: (card: DueCard) => number): DueCard[] {
  const ranked = cards.map((card) => ({ card, at: rank(card) }));
  return ranked.sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1)).map(({ card }) => card);
}

/** By code unit, as the service sorts. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const [a, b] = [result[i] as T, result[j] as T];
    result[i] = b;
    result[j] = a;
  }
  return result;
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

function newest(reviews: readonly PastReview[]): number {
  return reviews.reduce((latest, { date }) => {
    const at = Date.parse(date ?? "");
    return Number.isNaN(at) ? latest : Math.max(at, latest);
  }, Number.NEGATIVE_INFINITY);
}
