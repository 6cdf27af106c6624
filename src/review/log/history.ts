import { type AnswerLine, type LogLine, parseLine, type ReviewBody } from "./lines.ts";

/** What the lines of a log add up to. */

/** "": the answer led to no review. `undone` covers reviews that may still have to be withdrawn from the service. */
export type Status = "" | "pending" | "sent" | "refused" | "undone";

export interface LoggedAnswer {
  readonly line: AnswerLine;
  readonly status: Status;
  /** The answer was undone, and its review may have reached the service. */
  readonly withdraw: boolean;
  /** Why the service refused the review. */
  readonly reason?: string | undefined;
}

export interface LogHistory {
  /** In the order in which they were given. */
  readonly answers: readonly LoggedAnswer[];
  /** Numbers (from 1) of damaged lines that have not been reported before. */
  readonly damaged: readonly number[];
  /** Whether the last of them is the end of the file: a write that a power cut broke off. */
  readonly torn: boolean;
}

export const emptyHistory: LogHistory = { answers: [], damaged: [], torn: false };

/** Reads a log. Damaged lines are left out and their numbers told; everything else is used. */
export function readHistory(text: string): LogHistory {
  const answers = new Map<string, LoggedAnswer>();
  const damaged: number[] = [];
  const lines = text.split("\n");
  lines.forEach((source, index) => {
    if (source.trim() === "") return;
    const line = parseLine(source);
    if (line === undefined) damaged.push(index + 1);
    else if (line.type === "damage-noted") {
      if (damaged.at(-1) === index) damaged.pop();
    } else if (line.type !== undefined) apply(answers, line);
  });
  const last = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  return { answers: [...answers.values()], damaged, torn: damaged.length > 0 && damaged.at(-1) === last };
}

function apply(answers: Map<string, LoggedAnswer>, line: LogLine): void {
  if (line.type === "damage-noted") return;
  if (line.type === "answer") {
    // A line can be there twice if a copy of the file was put together by hand: it is one answer.
    if (!answers.has(line.id))
      answers.set(line.id, { line, status: line.review === undefined ? "" : "pending", withdraw: false });
    return;
  }
  const answer = answers.get(line.id);
  if (answer !== undefined) answers.set(line.id, { ...answer, ...after(answer, line) });
}

function after(answer: LoggedAnswer, line: Exclude<LogLine, AnswerLine>): Partial<LoggedAnswer> {
  const undone = answer.status === "undone";
  switch (line.type) {
    case "sent":
      // Sent while it was being undone: it stays undone, and to be withdrawn.
      return undone ? {} : { status: "sent", reason: undefined };
    case "refused":
      return undone ? {} : { status: "refused", reason: line.reason };
    case "undone":
      return { status: "undone", withdraw: answer.line.review !== undefined };
    case "withdrawn":
      return { withdraw: false };
    case "damage-noted":
      return {};
  }
}

/** The reviews of a card that stand, by this log. */
export function standingReviews(history: LogHistory): Map<string, ReviewBody[]> {
  const byCard = new Map<string, ReviewBody[]>();
  for (const { line, status } of history.answers) {
    if (line.review === undefined || status === "undone") continue;
    const own = byCard.get(line["card-id"]);
    if (own === undefined) byCard.set(line["card-id"], [line.review]);
    else own.push(line.review);
  }
  return byCard;
}
