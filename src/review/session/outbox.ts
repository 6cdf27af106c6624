import type { LoggedAnswer, LogHistory } from "./history.ts";
import type { AnswerLine, LogLine, ReviewBody } from "./log.ts";

/**
 * Brings the reviews of the log to the service, one at a time and without holding anything up: what is pending is sent,
 * what was undone is withdrawn. Repeating either is safe, so nothing needs to be known of requests whose answer was lost.
 */

/**
 * How a request to record or withdraw a review ended. `later`: no answer, or too many requests. `fault`: the service
 * failed at this one; it may well take others.
 */
export type Outcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly kind: "later" | "fault" | "refused"; readonly reason: string };

export interface Recorder {
  send(cardId: string, review: ReviewBody): Promise<Outcome>;
  /** Also fine where there is no such review. */
  withdraw(cardId: string, date: string): Promise<Outcome>;
}

export interface OutboxStatus {
  /** Requests still to be made. */
  readonly waiting: number;
  /** Why the service cannot take them now; undefined while it can. */
  readonly away: string | undefined;
  /** Why it failed to take those that wait, though it takes others; undefined if it did not. */
  readonly failing: string | undefined;
  /** Reviews that the service refused, with its words. */
  readonly refused: readonly { readonly line: AnswerLine; readonly reason: string }[];
}

export interface Outbox {
  add(line: AnswerLine): void;
  takeBack(line: AnswerLine): void;
  status(): OutboxStatus;
  /** Tries all that waits once more; resolves when nothing waits, the service is away or the signal ends it. */
  flush(signal?: AbortSignal): Promise<OutboxStatus>;
  /** Begins nothing any more. A request under way is left to itself. */
  close(): void;
}

interface Task {
  readonly line: AnswerLine & { readonly review: ReviewBody };
  undone: boolean;
  /** A request to record it may have gone out. */
  tried: boolean;
}

export interface OutboxSettings {
  readonly recorder: Recorder;
  /** Where outcomes are noted: the log. */
  note(line: LogLine): void;
  now(): number;
  /** From 0 to 1, without 1. */
  random(): number;
  /** Milliseconds before a service that was away is tried again because of a new answer; 5 s if absent. */
  readonly patience?: number;
  onChange?(status: OutboxStatus): void;
}

/** A service that fails with so many cards, one after the other, takes no others either. */
const faultsOfOneAway = 5;

const hasReview = (line: AnswerLine): line is Task["line"] => line.review !== undefined;

const isOpen = ({ status, withdraw }: LoggedAnswer, refused: boolean): boolean =>
  status === "pending" || withdraw || (refused && status === "refused");

/** Whether a log has anything to send or withdraw. */
export const hasOpenTasks = (history: LogHistory): boolean =>
  history.answers.some((answer) => isOpen(answer, false));

/** What a log says has still to be done. With `refused`, reviews that the service refused before are tried again. */
export function openTasks(history: LogHistory, refused = false): Task[] {
  return history.answers.flatMap((answer): Task[] => {
    if (!isOpen(answer, refused)) return [];
    const line = answer.read();
    return line !== undefined && hasReview(line)
      ? [{ line, undone: answer.status === "undone", tried: true }]
      : [];
  });
}

/** An outbox that begins with these tasks. Nothing is sent before the first `add`, `takeBack` or `flush`. */
export function createOutbox(tasks: readonly Task[], settings: OutboxSettings): Outbox {
  const { recorder, note, now, random, patience = 5000 } = settings;
  const open = new Map<string, Task>(tasks.map((task) => [task.line.id, { ...task }]));
  const refused = new Map<string, { line: AnswerLine; reason: string }>();
  let trouble: { reason: string; since: number; away: boolean } | undefined;
  /** Cards with whose reviews the service fails: they must not hold up all others for ever. */
  const failing = new Set<string>();
  let faultsInARow = 0;
  let running: Promise<void> | undefined;
  let closed = false;

  const status = (): OutboxStatus => ({
    waiting: open.size,
    away: trouble?.away ? trouble.reason : undefined,
    failing: trouble?.away ? undefined : trouble?.reason,
    refused: [...refused.values()],
  });
  const changed = () => settings.onChange?.(status());

  /** A line lost here only means that a request is repeated, and that is safe. A full disk shows at the next answer. */
  const noted = (line: LogLine) => {
    try {
      note(line);
    } catch {}
  };

  const settle = (task: Task, asUndone: boolean, outcome: Outcome) => {
    const { id } = task.line;
    if (!outcome.ok && outcome.kind !== "refused") {
      if (outcome.kind === "fault") {
        failing.add(task.line["card-id"]);
        faultsInARow++;
      }
      const away = outcome.kind === "later" || faultsInARow === faultsOfOneAway;
      trouble = { reason: outcome.reason, since: now(), away };
      return;
    }
    faultsInARow = 0;
    if (asUndone) {
      // A refusal to withdraw is an answer, too: asking again would bring the same.
      noted({ type: "withdrawn", id });
      open.delete(id);
      return;
    }
    if (outcome.ok) {
      noted({ type: "sent", id });
    } else {
      noted({ type: "refused", id, reason: outcome.reason });
      refused.set(id, { line: task.line, reason: outcome.reason });
    }
    // Undone while it was under way: it stays, to be withdrawn.
    if (!task.undone) open.delete(id);
  };

  /**
   * In the order of the answers; after a fault the oldest of any card, or a few cards that the service always fails with
   * would be asked for first each time, and hold up the others.
   */
  const next = (): Task | undefined => {
    const ready: Task[] = [];
    for (const task of open.values()) {
      if (failing.has(task.line["card-id"])) continue;
      if (faultsInARow === 0) return task;
      ready.push(task);
    }
    const any = ready[Math.floor(random() * ready.length)]?.line["card-id"];
    return ready.find(({ line }) => line["card-id"] === any);
  };

  const work = async (): Promise<void> => {
    for (let task = next(); task !== undefined && !closed && !trouble?.away; task = next()) {
      const { undone } = task;
      task.tried = true;
      const { line } = task;
      const request = undone
        ? recorder.withdraw(line["card-id"], line.review.date)
        : recorder.send(line["card-id"], line.review);
      const outcome = await request.catch(
        (error: unknown): Outcome => ({ ok: false, kind: "later", reason: String(error) }),
      );
      settle(task, undone, outcome);
      changed();
    }
  };

  const start = (): Promise<void> => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };

  const beginAnew = () => {
    trouble = undefined;
    failing.clear();
    faultsInARow = 0;
  };

  const poke = () => {
    // A clock that was set back meanwhile has waited, too.
    if (trouble !== undefined && Math.abs(now() - trouble.since) >= patience) beginAnew();
    if (!closed && !trouble?.away) void start();
  };

  return {
    add(line) {
      if (!hasReview(line)) return;
      open.set(line.id, { line, undone: false, tried: false });
      poke();
      changed();
    },
    takeBack(line) {
      if (!hasReview(line)) return;
      const task = open.get(line.id);
      const never = task === undefined ? refused.has(line.id) : !task.tried;
      if (never) {
        // It never reached the service, unless another session sent it: then the log says so, and the next one withdraws it.
        open.delete(line.id);
        noted({ type: "withdrawn", id: line.id, unsent: true });
      } else if (task === undefined) open.set(line.id, { line, undone: true, tried: true });
      else task.undone = true;
      refused.delete(line.id);
      poke();
      changed();
    },
    status,
    async flush(signal) {
      beginAnew();
      if (closed || open.size === 0) return status();
      const aborted = new Promise<void>((resolve) => {
        if (signal?.aborted) resolve();
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([start(), aborted]);
      return status();
    },
    close() {
      closed = true;
    },
  };
}
