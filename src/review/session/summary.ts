import { count } from "../../output/words.ts";
import { durationText } from "../../schedule/figures.ts";
import { LEECH_LAPSES } from "../../schedule/lapses.ts";
import type { Forecast } from "../ports.ts";
import type { Recording } from "./recording.ts";
import type { Session } from "./session.ts";
import type { AskedCard } from "./session-cards.ts";
import type { SessionState } from "./state.ts";

/** What a session came to. With `-o json` it is printed as it is. */
export interface Summary {
  /** Cards answered: each counts once, by its first answer in this session, however often it was asked. */
  readonly cards: number;
  readonly remembered: number;
  readonly forgotten: number;
  /** Time spent on answers; an answer counts at most `LONGEST_SECONDS`. */
  readonly seconds: number;
  readonly "seconds-per-card": number;
  /** Cards of the session that were not asked to the end. */
  readonly left: number;
  readonly recorded: "service" | "log" | "none";
  readonly pending: number;
  /** These three as `Forecast`; null if they could not be found out. */
  readonly streak: number | null;
  readonly "all-left": number | null;
  readonly tomorrow: number | null;
  readonly leeches: readonly string[];
}

type Results = Pick<Summary, "cards" | "remembered" | "seconds">;

interface SummaryInput {
  readonly session: Pick<Session<AskedCard>, "state">;
  readonly recording: Pick<Recording, "recorded" | "status">;
  readonly forecast: Forecast | undefined;
  readonly leeches: readonly string[];
}

/** What the answers of a session came to so far. */
export function resultsOf({ position }: SessionState): Results {
  // A card that only an earlier session of the day asked has taken no time in this one.
  const all = Object.values(position.progress).filter((progress) => progress.seconds > 0);
  const answered = all.filter(({ outcome }) => outcome !== undefined);
  const remembered = answered.filter(({ outcome }) => outcome === true).length;
  const seconds = all.reduce((sum, progress) => sum + progress.seconds, 0);
  return { cards: answered.length, remembered, seconds };
}

export function resultsText({ cards, remembered, seconds }: Results): string {
  const share = Math.round((remembered / cards) * 100);
  return `${count(cards, "card")} · ${remembered} remembered (${share} %) · ${durationText(seconds)}`;
}

export function summarise(input: SummaryInput): Summary {
  const { session, recording, forecast } = input;
  const { state } = session;
  const { cards, remembered, seconds } = resultsOf(state);
  return {
    cards,
    remembered,
    forgotten: cards - remembered,
    seconds: round(seconds),
    "seconds-per-card": cards === 0 ? 0 : round(seconds / cards),
    left: state.position.queue.length,
    recorded: recording.recorded,
    pending: recording.status?.waiting ?? 0,
    streak: forecast?.streak ?? null,
    "all-left": forecast?.left ?? null,
    tomorrow: forecast?.tomorrow ?? null,
    leeches: input.leeches,
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** The summary for people: what was done, the streak, what comes. */
export function summaryLines(summary: Summary): string[] {
  const { cards, streak } = summary;
  if (cards === 0) return ["No cards were reviewed."];
  return [
    resultsText(summary),
    ...summary.leeches.map(
      (name) => `A leech: “${name}” was forgotten ${LEECH_LAPSES} times. Edit or archive it.`,
    ),
    ...(streak === null ? [] : [`Streak ${count(streak, "day")}`]),
    ...toCome(summary),
  ];
}

function toCome({ "all-left": left, tomorrow }: Summary): string[] {
  if (left === null) return [];
  const ahead = tomorrow === null ? "" : ` ${tomorrow} tomorrow.`;
  return [`${left === 0 ? "Done for today." : `${left} more today.`}${ahead}`];
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
