import type { PastReview } from "../../schedule/index.ts";
import type { DueCard } from "../../schema/card.ts";
import type { AnswerLine } from "./log.ts";
import type { Schedule } from "./queue.ts";
import type { SessionState } from "./state.ts";

/** What a session came to. With `-o json` it is printed as it is. */
export interface Summary {
  /** Cards reviewed: each counts once, however often it was asked. */
  readonly cards: number;
  readonly remembered: number;
  readonly forgotten: number;
  /** Time spent on them. */
  readonly seconds: number;
  readonly "seconds-per-card": number;
  /** Cards of the session that were not asked to the end. */
  readonly left: number;
  /** How many of the reviewed cards are due again by the end of tomorrow. */
  readonly "due-tomorrow": number;
  /** Where the answers are. */
  readonly recorded: "service" | "log" | "none";
  /** Answers that the service has not yet. */
  readonly pending: number;
}

export interface SummaryInput {
  readonly state: SessionState;
  readonly due: ReadonlyMap<string, DueCard>;
  /** The reviews that the log had of the cards before the session. */
  readonly logged: ReadonlyMap<string, readonly PastReview[]>;
  readonly answers: ReadonlyMap<string, AnswerLine>;
  readonly schedule: Schedule;
  readonly now: number;
  readonly endOfTomorrow: number;
  readonly recorded: Summary["recorded"];
  readonly pending: number;
}

export function summarise(input: SummaryInput): Summary {
  const { state, due, answers, schedule, endOfTomorrow } = input;
  const all = Object.entries(state.position.progress);
  const reviewed = all.filter(([, { review }]) => review !== undefined);
  const remembered = reviewed.filter(([, { review }]) => review === true).length;
  const seconds = all.reduce((sum, [, progress]) => sum + progress.seconds, 0);
  const given = new Map<string, PastReview>();
  for (const line of answers.values()) if (line.review !== undefined) given.set(line["card-id"], line.review);
  const tomorrow = reviewed.filter(([cardId, { review }]) => {
    const now = given.get(cardId) ?? { date: new Date(input.now).toISOString(), "remembered?": review };
    const next = schedule([...(due.get(cardId)?.reviews ?? []), ...(input.logged.get(cardId) ?? []), now]);
    return next !== undefined && Date.parse(next) <= endOfTomorrow;
  });
  return {
    cards: reviewed.length,
    remembered,
    forgotten: reviewed.length - remembered,
    seconds: round(seconds),
    "seconds-per-card": reviewed.length === 0 ? 0 : round(seconds / reviewed.length),
    left: state.position.queue.length,
    "due-tomorrow": tomorrow.length,
    recorded: input.recorded,
    pending: input.pending,
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** The summary as names and values for people. */
export function summaryRows(summary: Summary): { name: string; value: string }[] {
  const { cards, remembered } = summary;
  const share = cards === 0 ? "" : ` (${Math.round((remembered / cards) * 100)} %)`;
  return [
    { name: "Cards", value: summary.left === 0 ? `${cards}` : `${cards}, ${summary.left} left` },
    { name: "Remembered", value: `${remembered}${share}` },
    { name: "Forgotten", value: `${summary.forgotten}` },
    { name: "Time", value: `${clockTime(summary.seconds)}, ${summary["seconds-per-card"]} s a card` },
    { name: "Tomorrow", value: comeBack(summary["due-tomorrow"]) },
  ];
}

/** A sentence about answers that are not on the service, if there is something to say. */
export function recordedSentence({ recorded, pending }: Summary): string | undefined {
  if (recorded === "none") return "Nothing was recorded.";
  if (recorded === "log") return "The answers are in the log on this machine, not on the service.";
  if (pending === 0) return undefined;
  const [answers, them] = pending === 1 ? ["1 answer waits", "it"] : [`${pending} answers wait`, "them"];
  return `${answers} for the service; the next session or \`deckhand due sync\` sends ${them}.`;
}

const comeBack = (count: number): string =>
  count === 0 ? "none of them comes back" : count === 1 ? "1 card comes back" : `${count} cards come back`;

/** Seconds as `1:05` or `1:02:05`. */
export function clockTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}
