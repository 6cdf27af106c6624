import { AppendLog } from "../../files/append-log.ts";
import { checksumState } from "../../files/checksum.ts";
import type { PastReview } from "../../schema/card.ts";

/**
 * The lines of the review log: one JSON object a line, only ever appended (docs/design/review.md, The log). An answer
 * and the review that follows from it are one line, so that a torn write cannot part them.
 */

/** A review to be recorded on the service: exactly the body of the reviews extension. */
export interface ReviewBody {
  readonly date: string;
  readonly "remembered?": boolean;
  /** Seconds; absent where nobody was waited for. */
  readonly duration?: number;
  /** The newest review of the card known before: a service that has a newer one refuses this one. Null for none. */
  readonly after?: string | null;
}

export interface AnswerLine {
  readonly type: "answer";
  readonly id: string;
  readonly "card-id": string;
  readonly "deck-id": string;
  /** When it was answered: ISO 8601, UTC. */
  readonly at: string;
  readonly pass: string;
  readonly "remembered?": boolean;
  /** Seconds. */
  readonly duration: number;
  readonly "new?"?: true;
  /** Passes of the card still to be remembered after it. */
  readonly left: number;
  readonly review?: ReviewBody & { readonly status: "pending" };
}

/** The due date of a card was set, or with null its reviews were set aside; undone by a line `undone`. */
export interface DueChange {
  readonly type: "due";
  readonly id: string;
  readonly "card-id": string;
  readonly at: string;
  readonly due: string | null;
  /** What the card had before: the due date, or all its reviews. */
  readonly before: { readonly due?: string; readonly reviews?: readonly PastReview[] };
}

/** What became of an answer later. `withdrawn`: the review of an undone answer is no more on the service. */
export type LaterLine =
  | { readonly type: "sent"; readonly id: string }
  | { readonly type: "undone"; readonly id: string; readonly at: string }
  | { readonly type: "withdrawn"; readonly id: string }
  | { readonly type: "refused"; readonly id: string; readonly reason: string }
  /** The card is not asked on the day of this instant, or is after all. */
  | { readonly type: "put-off"; readonly "card-id": string; readonly at: string; readonly off: boolean }
  | DueChange
  /** The line before was damaged when this program next wrote, and has been reported. */
  | { readonly type: "damage-noted" };

export type LogLine = AnswerLine | LaterLine;

/** Why the service refuses a review where it has a newer one than its session knew; that one counts. */
export const newerThere = "the card was answered in another session meanwhile";

/** A line of the file, or undefined for one that is damaged. Kinds of lines that a newer program writes are `{}`. */
export function parseLine(text: string): LogLine | { readonly type?: undefined } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || checksumState(text) === "damaged") return undefined;
  delete value["crc"];
  const { type } = value;
  if (type === "answer") return isAnswer(value) ? value : undefined;
  if (typeof type !== "string") return undefined;
  const fields = Object.hasOwn(laterFields, type) ? laterFields[type] : undefined;
  if (fields === undefined) return {};
  const isWhole = Object.entries(fields).every(([name, kind]) => typeof value[name] === kind);
  return isWhole ? (value as unknown as LaterLine) : undefined;
}

const laterFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sent: { id: "string" },
  undone: { id: "string" },
  withdrawn: { id: "string" },
  refused: { id: "string" },
  due: { id: "string", "card-id": "string", before: "object" },
  "put-off": { "card-id": "string", off: "boolean" },
  "damage-noted": {},
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isAnswer(value: Record<string, unknown>): value is Record<string, unknown> & AnswerLine {
  const { review } = value;
  const strings = ["id", "card-id", "deck-id", "at", "pass"];
  return (
    strings.every((key) => typeof value[key] === "string") &&
    !Number.isNaN(Date.parse(String(value["at"]))) &&
    typeof value["remembered?"] === "boolean" &&
    typeof value["duration"] === "number" &&
    (review === undefined ||
      (isRecord(review) &&
        typeof review["date"] === "string" &&
        !Number.isNaN(Date.parse(review["date"])) &&
        typeof review["remembered?"] === "boolean" &&
        ["number", "undefined"].includes(typeof review["duration"])))
  );
}

/** The file of a review log. Written synchronously: the next card must not appear before the answer is on the disk. */
export interface LogFile {
  /**
   * Appends a line in one write and syncs it to the disk. Throws what the file system says if it could not be written:
   * nothing of it is then in the log. Returns the error of a disk that took the line but did not confirm it.
   */
  append(line: LogLine): Error | undefined;
  /** Appends a line that may be lost in a power cut, since it only repeats what the service knows. */
  note(line: LogLine): void;
  close(): void;
}

/** Opens a log for appending; the file and its folder are created on the first line, for the owner only. */
export function openLog(path: string): LogFile {
  const log = new AppendLog(path, {
    // What is damaged is reported once.
    afterDamage: (line) => (parseLine(line) === undefined ? { type: "damage-noted" } : undefined),
  });
  return {
    append(line) {
      log.append(line);
      try {
        log.sync();
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
      return undefined;
    },
    note: (line) => log.append(line),
    close: () => log.close(),
  };
}
