import type { PastReview } from "../../schedule/index.ts";
import type { DueCard } from "../../schema/card.ts";
import { answersSince, type LogHistory, standingReviews } from "./history.ts";
import type { ReviewBody } from "./log.ts";

/** Which of the due cards a session asks, and in which order (review.md, Flow 1). */

export const orders = ["due", "deck", "random"] as const;
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
  /** Where a deck stands among the decks; smaller comes first. */
  deckOrder(deckId: string): number;
  random(): number;
}

export interface Queue {
  readonly cards: readonly DueCard[];
  /** Cards that are due by the service but were answered here. */
  readonly answered: ReadonlyMap<string, AnsweredHere>;
  /** New cards left out because of the number of new cards a day. */
  readonly held: number;
  /** The reviews that the log has of the cards, by card. */
  readonly logged: ReadonlyMap<string, readonly ReviewBody[]>;
  /** Passes remembered in a session that was broken off before its review, by card. */
  readonly resumed: Readonly<Record<string, readonly string[]>>;
}

/** A review that the service does not know of: when it was given, and when the card comes back by it. Both ISO 8601. */
export interface AnsweredHere {
  readonly at: string;
  readonly until: string;
}

/** Passes remembered longer ago than this are asked again. */
const RESUME_MS = 12 * 3_600_000;

/** The cards of a session. */
export function buildQueue(due: readonly DueCard[], settings: QueueSettings): Queue {
  const logged = standingReviews(settings.history, due);
  const answered = answeredBy(logged, due, settings);
  const open = due.filter(({ id }) => !answered.has(id));
  const isNew = (card: DueCard) => isNewCard(card) && !logged.has(card.id);
  const reviews = inOrder(
    open.filter((card) => !isNew(card)),
    settings,
    (cards) => [...cards].sort((a, b) => dueAt(a) - dueAt(b)),
  );
  const fresh = inOrder(open.filter(isNew), settings, (cards) => [...cards]);
  const { newPerDay, limit } = settings;
  const begun = newToday(settings);
  let left = newPerDay === "all" ? fresh.length : newPerDay - begun.size;
  // One that was begun today is counted already.
  const taken = fresh.filter(({ id }) => (begun.has(id) && newPerDay !== 0) || left-- > 0);
  const cards = [...reviews, ...taken];
  return {
    cards: limit === undefined ? cards : cards.slice(0, limit),
    answered,
    held: fresh.length - taken.length,
    logged,
    resumed: resumedPasses(settings),
  };
}

/**
 * The cards whose newest review is in the log, not on the service, and whose interval has not passed by the end of the
 * day: the service does not know yet, or cannot be told.
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

/** What a card may have been reviewed later by, though it is the same review told less exactly. */
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

/** The passes remembered lately without a review of the card after them. */
function resumedPasses({ history, now }: QueueSettings): Record<string, string[]> {
  const rounds = new Map<string, { over: boolean; passes: Set<string> }>();
  for (const line of answersSince(history, now - 3 * RESUME_MS)) {
    const { "card-id": cardId, pass, "remembered?": remembered } = line;
    const round = rounds.get(cardId) ?? { over: false, passes: new Set() };
    // A card that was forgotten has its review, and is asked on until it is remembered once: that is no new round.
    if (line.review !== undefined) rounds.set(cardId, { over: !remembered, passes: new Set() });
    else if (remembered && round.over && round.passes.has(pass))
      rounds.set(cardId, { over: false, passes: new Set([pass]) });
    else if (remembered && (round.over || Date.parse(line.at) > now - RESUME_MS))
      rounds.set(cardId, { ...round, passes: round.passes.add(pass) });
  }
  const open = [...rounds].filter(([, { over, passes }]) => !over && passes.size > 0);
  return Object.fromEntries(open.map(([cardId, { passes }]) => [cardId, [...passes]]));
}

function inOrder(
  cards: readonly DueCard[],
  { order, deckOrder, random }: QueueSettings,
  byDue: (cards: readonly DueCard[]) => DueCard[],
): DueCard[] {
  if (order === "random") return shuffled(cards, random);
  if (order === "due") return byDue(cards);
  return [...cards].sort(
    (a, b) =>
      deckOrder(a["deck-id"] ?? "") - deckOrder(b["deck-id"] ?? "") || compare(a.pos ?? "", b.pos ?? ""),
  );
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
function dueAt(card: DueCard): number {
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
