import { closeSync, openSync, readSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { checksumStart } from "../../files/checksum.ts";
import type { Days } from "../../schedule/days.ts";
import {
  type AnswerLine,
  type DueChange,
  type LaterLine,
  newerThere,
  parseLine,
  type ReviewBody,
} from "./log.ts";

/** What the lines of a log add up to. */

/** "": the answer led to no review. `undone` covers reviews that may still have to be withdrawn from the service. */
export type Status = "" | "pending" | "sent" | "refused" | "undone";

export interface LogHistory {
  readonly answers: readonly LoggedAnswer[];
  /** Due dates that were set, those that were undone left out, and how many answers came before each. */
  readonly changes: readonly (DueChange & { readonly after: number })[];
  /** Cards that are not to be asked on the day of an instant (epoch milliseconds), by card. */
  readonly putOff: ReadonlyMap<string, number>;
  /** Numbers (from 1) of damaged lines that have not been reported before. */
  readonly damaged: readonly number[];
  /** Whether the last of them is the end of the file: a write that a power cut broke off. */
  readonly torn: boolean;
}

export const emptyHistory: LogHistory = {
  answers: [],
  changes: [],
  putOff: new Map(),
  damaged: [],
  torn: false,
};

/** Reads a log. Damaged lines are left out and their numbers given; everything else is used. */
export function readHistory(text: string): LogHistory {
  const answers = new Map<string, LoggedAnswer>();
  const damaged: number[] = [];
  const putOff = new Map<string, number>();
  const changes = new Map<string, DueChange & { readonly after: number }>();
  const lines = text.split("\n");
  for (const [index, source] of lines.entries()) {
    const answer = glanceAtAnswer(source);
    if (answer !== undefined) {
      // A line can be there twice if a copy of the file was put together by hand: it is one answer.
      if (!answers.has(answer.id)) answers.set(answer.id, answer);
      continue;
    }
    if (source.trim() === "") continue;
    const later = glanceAtSent(source) ?? parseLine(source);
    if (later === undefined) damaged.push(index + 1);
    else if (later.type === "due") changes.set(later.id, { ...later, after: answers.size });
    else if (later.type === "undone" && changes.delete(later.id)) continue;
    else if (later.type === "put-off") {
      if (later.off) putOff.set(later["card-id"], Date.parse(later.at));
      else putOff.delete(later["card-id"]);
    } else if (later.type === "damage-noted") {
      if (damaged.at(-1) === index) damaged.pop();
    } else if (later.type === "answer") {
      const { id, "card-id": cardId, review } = later;
      if (!answers.has(id)) answers.set(id, new LoggedAnswer(id, cardId, review !== undefined, source));
    } else if (later.type !== undefined) answers.get(later.id)?.note(later);
  }
  const last = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const torn = damaged.length > 0 && damaged.at(-1) === last;
  const all = [...answers.values()];
  for (const { due, after, "card-id": cardId } of changes.values())
    if (due === null)
      for (const answer of all.slice(0, after)) if (answer.cardId === cardId) answer.setAside = true;
  return { answers: all, changes: [...changes.values()], putOff, damaged, torn };
}

/** Reads a log; a missing file is an empty log. */
export async function readLog(path: string): Promise<LogHistory> {
  try {
    return readHistory(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return emptyHistory;
    throw error;
  }
}

/**
 * An answer of the log. A log grows with the years, and a session needs little of it: a line is parsed only when it is
 * read.
 */
export class LoggedAnswer {
  readonly id: string;
  readonly cardId: string;
  status: Status;
  /** The answer was undone, and its review may have reached the service. */
  withdraw = false;
  /** The card was made new again since: the answer is history, and counts for nothing that is asked. */
  setAside = false;
  /** Why the service refused the review. */
  reason: string | undefined;
  readonly #source: string;
  #line: AnswerLine | undefined;

  constructor(id: string, cardId: string, reviewed: boolean, source: string) {
    this.id = id;
    this.cardId = cardId;
    this.#source = source;
    this.status = reviewed ? "pending" : "";
  }

  /** The line; undefined if it turns out to be damaged. */
  read(): AnswerLine | undefined {
    if (this.#line === undefined) {
      const line = parseLine(this.#source);
      if (line?.type === "answer") this.#line = line;
    }
    return this.#line;
  }

  /** What became of it. */
  note(line: Exclude<LaterLine, { type: "damage-noted" | "put-off" | "due" }>): void {
    const undone = this.status === "undone";
    if (line.type === "undone") {
      if (undone) return;
      this.withdraw = this.status !== "";
      this.status = "undone";
    } else if (line.type === "withdrawn") this.withdraw = false;
    else if (line.type === "sent") {
      // Sent while it was being undone, or by another session that did not know: it is still to be withdrawn.
      if (undone) this.withdraw = true;
      else {
        this.status = "sent";
        this.reason = undefined;
      }
    } else if (!undone) {
      this.status = "refused";
      this.reason = line.reason;
    }
  }
}

const answerLine = /^\{"type":"answer","id":"([^"\\]*)","card-id":"([^"\\]*)".*\}$/;
const sentLine = /^\{"type":"sent","id":"([^"\\]*)"(?:,"crc":"\w{8}")?\}$/;

/** The answer of a line as this program writes it, without parsing it; undefined for anything else. */
function glanceAtAnswer(source: string): LoggedAnswer | undefined {
  const [, id, cardId] = answerLine.exec(source) ?? [];
  if (id === undefined || cardId === undefined) return undefined;
  const reviewed = source.includes('"review":{');
  // A line that was cut off in its review takes a closer look.
  if (reviewed && source[checksumStart(source) - 1] !== "}") return undefined;
  return new LoggedAnswer(id, cardId, reviewed, source);
}

function glanceAtSent(source: string): LaterLine | undefined {
  const id = sentLine.exec(source)?.[1];
  return id === undefined ? undefined : { type: "sent", id };
}

/** The reviews of these cards that stand, by this log. */
export function standingReviews(
  history: LogHistory,
  cards: Iterable<{ readonly id: string }>,
): ReadonlyMap<string, readonly ReviewBody[]> {
  const wanted = new Set<string>();
  for (const { id } of cards) wanted.add(id);
  const byCard = new Map<string, ReviewBody[]>();
  for (const answer of history.answers) {
    if (answer.status === "undone" || answer.status === "" || answer.setAside) continue;
    if (answer.reason === newerThere) continue;
    const review = wanted.has(answer.cardId) ? answer.read()?.review : undefined;
    if (review === undefined) continue;
    const reviews = byCard.get(answer.cardId);
    if (reviews === undefined) byCard.set(answer.cardId, [review]);
    else reviews.push(review);
  }
  return byCard;
}

/** The answers with their lines, the newest first. */
export function* newestFirst({ answers }: LogHistory): Generator<readonly [LoggedAnswer, AnswerLine], void> {
  for (let i = answers.length - 1; i >= 0; i--) {
    const answer = answers[i];
    const line = answer?.read();
    if (answer !== undefined && line !== undefined) yield [answer, line];
  }
}

/** The answers that stand and were given since an instant (epoch milliseconds), the oldest first. */
export function answersSince(history: LogHistory, since: number): AnswerLine[] {
  const lines: AnswerLine[] = [];
  for (const [answer, line] of newestFirst(history)) {
    const at = Date.parse(line.at);
    // Clocks are set back now and then, but not by days.
    if (at < since - 2 * 86_400_000) break;
    if (at >= since && answer.status !== "undone" && !answer.setAside) lines.unshift(line);
  }
  return lines;
}

/** What was done last to a card, or to any, and was not taken back: an answer, or a due date that was set. */
export function lastDeed(history: LogHistory, cardId?: string): AnswerLine | DueChange | undefined {
  const concerns = (id: string) => cardId === undefined || id === cardId;
  const change = history.changes.findLast((each) => concerns(each["card-id"]));
  for (let i = history.answers.length - 1; i >= (change?.after ?? 0); i--) {
    const answer = history.answers[i];
    if (answer === undefined || !concerns(answer.cardId)) continue;
    if (answer.status !== "undone" && answer.status !== "refused") return answer.read();
  }
  return change;
}

/** How many days with reviews make a usual one, and how far back they are looked for. */
const usualDays = 14;
const daysLookedAt = 60;

/** The mean number of reviews on the last days with reviews before today; 0 if there were none. */
export function usualDay(history: LogHistory, days: Days, now: number): number {
  const today = days.dayOf(now);
  const counts = new Map<number, number>();
  for (const line of answersSince(history, days.startOf(today - daysLookedAt))) {
    const day = days.dayOf(Date.parse(line.at));
    if (line.review !== undefined && day < today) counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  const last = [...counts].sort(([a], [b]) => b - a).slice(0, usualDays);
  return last.length === 0 ? 0 : last.reduce((sum, [, count]) => sum + count, 0) / last.length;
}

/** The days with reviews, the latest first, until two days in a row have none: clocks are set back now and then. */
export function* lastDays(history: LogHistory, dayOf: (at: number) => number): Generator<number, void> {
  let earliest: number | undefined;
  for (const [{ status }, { at, review }] of newestFirst(history)) {
    const day = dayOf(Date.parse(at));
    if (earliest !== undefined && day < earliest - 2) return;
    if (review === undefined || status === "undone") continue;
    earliest = Math.min(earliest ?? day, day);
    yield day;
  }
}

/** What a card takes on average, by the last hundred reviews; undefined where there are none. */
export function secondsOfAnswer(history: LogHistory): number | undefined {
  const took: number[] = [];
  for (const [, { review }] of newestFirst(history)) {
    if (review?.duration !== undefined) took.push(Math.min(review.duration, 60));
    if (took.length === 100) break;
  }
  return took.length === 0 ? undefined : took.reduce((sum, each) => sum + each, 0) / took.length;
}

/**
 * Follows a log that other sessions append to, from its end. `poll` is synchronous and cheap while nothing was added:
 * it is asked before a card is shown and before a grade is taken.
 */
export class LogFollower {
  readonly #path: string;
  #offset: number;

  constructor(path: string) {
    this.#path = path;
    this.#offset = this.#size();
  }

  /** The answers added since the last time, those of this session included. */
  poll(): AnswerLine[] {
    const size = this.#size();
    if (size <= this.#offset) return [];
    const bytes = Buffer.alloc(size - this.#offset);
    const file = openSync(this.#path, "r");
    try {
      readSync(file, bytes, 0, bytes.length, this.#offset);
    } finally {
      closeSync(file);
    }
    // A line that is being written is read when it is whole.
    const end = bytes.lastIndexOf(0x0a) + 1;
    this.#offset += end;
    return bytes
      .toString("utf8", 0, end)
      .split("\n")
      .flatMap((source) => {
        const line = parseLine(source);
        return line?.type === "answer" ? [line] : [];
      });
  }

  #size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }
}
