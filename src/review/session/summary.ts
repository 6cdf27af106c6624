import { count } from "../../output/words.ts";
import type { Days } from "../../schedule/days.ts";
import type { PastReview, Scheduler } from "../../schedule/index.ts";
import { LEECH_LAPSES } from "../../schedule/lapses.ts";
import type { Clock, Forecast } from "../ports.ts";
import { type LogHistory, newestFirst } from "./history.ts";
import type { AnswerLine } from "./log.ts";
import type { Recording } from "./recording.ts";
import type { Session } from "./session.ts";
import type { AskedCard } from "./session-cards.ts";

/** What a session came to. With `-o json` it is printed as it is. */
export interface Summary {
  /** Cards answered: each counts once, by its first answer in this session, however often it was asked. */
  readonly cards: number;
  readonly remembered: number;
  readonly forgotten: number;
  /** Those of the cards that an earlier session of the day forgot. */
  readonly "forgotten-earlier": number;
  /** Time spent on answers; an answer counts at most `LONGEST_SECONDS`. */
  readonly seconds: number;
  readonly "seconds-per-card": number;
  /** Cards of the session that were not asked to the end. */
  readonly left: number;
  /** The whole time of the session, as the clock of the screen shows it: also that of skipped cards, and between cards. */
  readonly "session-seconds": number;
  /** How many of the reviewed cards are due again by the end of tomorrow. */
  readonly "due-tomorrow": number;
  /** Where the answers are. */
  readonly recorded: "service" | "log" | "none";
  /** Answers that the service has not yet. */
  readonly pending: number;
  /** Cards reviewed today on this machine, by the log: in this session and earlier ones. */
  readonly today: number;
  /** The same a day, over the last 30 days or since the first review that is among them. */
  readonly "daily-average": number;
  /** Days in a row with a review, until today. */
  readonly streak: number;
  /**
   * Cards of all decks that a review without options would still ask now, and reviewed cards due by the end of today, of
   * tomorrow, and within seven days; null if that could not be found out.
   */
  readonly "all-left": number | null;
  readonly "all-due-today": number | null;
  readonly "all-due-tomorrow": number | null;
  readonly "all-due-week": number | null;
  /** The names of cards that became leeches in this session. */
  readonly leeches: readonly string[];
}

/** What the log says of the user's days. */
type Habits = Pick<Summary, "today" | "daily-average" | "streak">;

interface SummaryInput {
  readonly session: Pick<Session<AskedCard>, "state" | "due" | "logged" | "answers">;
  readonly recording: Pick<Recording, "recorded" | "status">;
  /** The log when the session began. */
  readonly history: LogHistory;
  readonly scheduler: Pick<Scheduler, "due">;
  readonly days: Days;
  readonly clock: Clock;
  /** Seconds of the whole session. */
  readonly elapsed: number;
  readonly forecast: Forecast | undefined;
  readonly leeches: readonly string[];
}

export function summarise(input: SummaryInput): Summary {
  const { session, recording, scheduler, days, forecast } = input;
  const { state, due, logged, answers } = session;
  const { recorded } = recording;
  const now = input.clock.now();
  // A session may go on past the end of a day.
  const endOfTomorrow = days.endOf(days.dayOf(now) + 1) - 1;
  // A card that only an earlier session of the day asked has taken no time in this one.
  const all = Object.entries(state.position.progress).filter(([, progress]) => progress.seconds > 0);
  const answered = all.filter(([, { outcome }]) => outcome !== undefined);
  const remembered = answered.filter(([, { outcome }]) => outcome === true).length;
  const seconds = all.reduce((sum, [, progress]) => sum + progress.seconds, 0);
  const given = new Map<string, PastReview>();
  for (const line of answers.values()) if (line.review !== undefined) given.set(line["card-id"], line.review);
  // The review of a card that an earlier session of the day forgot was given then. Nothing is given where nothing is recorded.
  const earlier = answered.filter(([cardId]) => recorded !== "none" && !given.has(cardId));
  const tomorrow = answered.filter(([cardId, { review }]) => {
    const last = given.get(cardId) ?? { date: new Date(now).toISOString(), "remembered?": review };
    const next = scheduler.due([...(due.get(cardId)?.reviews ?? []), ...(logged.get(cardId) ?? []), last]);
    return next !== undefined && Date.parse(next) <= endOfTomorrow;
  });
  return {
    cards: answered.length,
    remembered,
    forgotten: answered.length - remembered,
    "forgotten-earlier": earlier.length,
    seconds: round(seconds),
    // Not rounded up: the clock of the screen is not, either.
    "session-seconds": Math.floor(input.elapsed * 10) / 10,
    "seconds-per-card": answered.length === 0 ? 0 : round(seconds / answered.length),
    left: state.position.queue.length,
    "due-tomorrow": tomorrow.length,
    recorded,
    pending: recording.status?.waiting ?? 0,
    leeches: input.leeches,
    ...habitsOf(input.history, answers.values(), { days, now }),
    "all-left": forecast?.left ?? null,
    "all-due-today": forecast?.today ?? null,
    "all-due-tomorrow": forecast?.tomorrow ?? null,
    "all-due-week": forecast?.week ?? null,
  };
}

/** How many days the daily average looks back. */
const averageDays = 30;

/**
 * Today, the daily average and the streak.
 *
 * @param history the log when the session began
 * @param given the answers of the session
 */
export function habitsOf(
  history: LogHistory,
  given: Iterable<AnswerLine>,
  { days, now }: { readonly days: Days; readonly now: number },
): Habits {
  const today = days.dayOf(now);
  const cards = new Map<number, Set<string>>();
  const count = (line: AnswerLine): number => {
    const day = days.dayOf(Date.parse(line.at));
    if (line.review !== undefined && day <= today)
      cards.set(day, (cards.get(day) ?? new Set()).add(line["card-id"]));
    return day;
  };
  for (const line of given) count(line);
  let earliest = today;
  for (const [{ status }, line] of newestFirst(history)) {
    if (status === "undone") continue;
    // Before the average begins only an unbroken streak matters. Clocks are set back now and then, but not by days.
    const day = days.dayOf(Date.parse(line.at));
    if (day < today - averageDays && day < earliest - 2) break;
    earliest = Math.min(earliest, count(line));
  }
  return {
    today: cards.get(today)?.size ?? 0,
    "daily-average": average(cards, today),
    streak: streak(cards, today),
  };
}

function average(cards: ReadonlyMap<number, ReadonlySet<string>>, today: number): number {
  const recent = [...cards].filter(([day]) => day > today - averageDays);
  const first = Math.min(today, ...recent.map(([day]) => day));
  return round(recent.reduce((sum, [, { size }]) => sum + size, 0) / (today - first + 1));
}

/** Today is not over yet: a streak may end yesterday. */
function streak(cards: ReadonlyMap<number, unknown>, today: number): number {
  let day = cards.has(today) ? today : today - 1;
  let length = 0;
  for (; cards.has(day); day--) length++;
  return length;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * The summary for people: what was done, the streak, what comes.
 *
 * @param night the day that is called today, where the calendar shows the next date already (`Days.nightOf`)
 */
export function summaryLines(summary: Summary, night?: string): string[] {
  const { cards, remembered, recorded, streak, "session-seconds": seconds } = summary;
  if (cards === 0) return ["No cards were reviewed."];
  const share = Math.round((remembered / cards) * 100);
  const time = seconds < 60 ? `${Math.floor(seconds)} s` : `${Math.round(seconds / 60)} min`;
  return [
    `${count(cards, "card")} · ${remembered} remembered (${share} %) · ${time}`,
    ...summary.leeches.map(
      (name) => `A leech: “${name}” was forgotten ${LEECH_LAPSES} times. Edit or archive it.`,
    ),
    ...(recorded === "none" ? [] : [`Streak ${count(streak, "day")}`, ...toCome(summary, night)]),
  ];
}

/** What is due now is not among what comes tomorrow. */
function toCome(summary: Summary, night: string | undefined): string[] {
  const { "all-left": left, "all-due-today": today, "all-due-tomorrow": tomorrow } = summary;
  if (left === null || today === null || tomorrow === null) return [];
  const when = night === undefined ? "today" : `today (${night})`;
  return [`${left === 0 ? `Done for ${when}.` : `${left} more ${when}.`} ${tomorrow - today} tomorrow.`];
}

/** A sentence about answers that are not on the service, if there is something to say. */
export function recordedSentence({ cards, recorded, pending }: Summary): string | undefined {
  if (cards === 0 && recorded !== "service") return undefined;
  if (recorded === "none") return "Nothing was recorded.";
  if (recorded === "log") return "The answers are in the log on this machine, not on the service.";
  if (pending === 0) return undefined;
  const [wait, them] = pending === 1 ? ["waits", "it"] : ["wait", "them"];
  return `${count(pending, "answer")} ${wait} for the service; the next session or \`deckhand due sync\` sends ${them}.`;
}

/** Seconds as `1:05` or `1:02:05`. */
export function clockTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}
