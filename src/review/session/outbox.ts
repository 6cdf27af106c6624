import type { DeckhandError } from "../../errors.ts";
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
  /** `due`: when the card is due after the review, if the service says so. ISO 8601. */
  | { readonly ok: true; readonly due?: string | undefined }
  | {
      readonly ok: false;
      readonly kind: "later" | "fault" | "refused";
      readonly reason: string;
      readonly error?: DeckhandError | undefined;
    };

type Failure = Extract<Outcome, { readonly ok: false }>;

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
  /** What it failed with last. */
  readonly error: DeckhandError | undefined;
  /** Reviews that the service refused, with its words. */
  readonly refused: readonly Refused[];
}

interface Refused {
  readonly line: AnswerLine;
  readonly reason: string;
  readonly error?: DeckhandError | undefined;
}

interface Task {
  readonly line: AnswerLine & { readonly review: ReviewBody };
  undone: boolean;
  /** A request to record it may have gone out. */
  tried: boolean;
}

interface OutboxSettings {
  readonly recorder: Recorder;
  /** Where outcomes are noted: the log. */
  note(line: LogLine): void;
  now(): number;
  /** From 0 to 1, without 1. */
  random(): number;
  /** Milliseconds before a service that was away is tried again because of a new answer; 5 s if absent. */
  readonly patience?: number;
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
export class Outbox {
  readonly #settings: OutboxSettings;
  readonly #open: Map<string, Task>;
  readonly #refused = new Map<string, Refused>();
  #trouble: (Failure & { readonly since: number; readonly away: boolean }) | undefined;
  /** Cards at whose reviews the service fails: they must not hold up all others for ever. */
  readonly #failing = new Set<string>();
  #faultsInARow = 0;
  #running: Promise<void> | undefined;
  #closed = false;
  /** Called when a review was recorded, with the day on which its card is due. */
  onScheduled: ((line: AnswerLine, due: string) => void) | undefined;

  constructor(tasks: readonly Task[], settings: OutboxSettings) {
    this.#settings = settings;
    this.#open = new Map(tasks.map((task) => [task.line.id, { ...task }]));
  }

  add(line: AnswerLine): void {
    if (!hasReview(line)) return;
    this.#open.set(line.id, { line, undone: false, tried: false });
    this.#poke();
  }

  takeBack(line: AnswerLine): void {
    if (!hasReview(line)) return;
    const task = this.#open.get(line.id);
    const never = task === undefined ? this.#refused.has(line.id) : !task.tried;
    if (never) {
      // It never reached the service, unless another session sent it: then the log says so, and the next one withdraws it.
      this.#open.delete(line.id);
      this.#note({ type: "withdrawn", id: line.id, unsent: true });
    } else if (task === undefined) this.#open.set(line.id, { line, undone: true, tried: true });
    else task.undone = true;
    this.#refused.delete(line.id);
    this.#poke();
  }

  status(): OutboxStatus {
    return {
      waiting: this.#open.size,
      away: this.#trouble?.away ? this.#trouble.reason : undefined,
      failing: this.#trouble?.away ? undefined : this.#trouble?.reason,
      error: this.#trouble?.error,
      refused: [...this.#refused.values()],
    };
  }

  /** Tries all that waits once more; resolves when nothing waits, the service is away or the signal ends it. */
  async flush(signal?: AbortSignal): Promise<OutboxStatus> {
    this.#forgive();
    if (this.#closed || this.#open.size === 0 || signal?.aborted) return this.status();
    let stop = () => {};
    const aborted = new Promise<void>((resolve) => {
      stop = resolve;
    });
    signal?.addEventListener("abort", stop);
    await Promise.race([this.#start(), aborted]);
    signal?.removeEventListener("abort", stop);
    return this.status();
  }

  /** Resolves when nothing is being sent. */
  sent(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** Begins nothing any more. A request under way is left to itself. */
  close(): void {
    this.#closed = true;
  }

  /** A line lost here only means that a request is repeated, and that is safe. A full disk shows at the next answer. */
  #note(line: LogLine): void {
    try {
      this.#settings.note(line);
    } catch {}
  }

  #start(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #work(): Promise<void> {
    const { recorder } = this.#settings;
    for (
      let task = this.#next();
      task !== undefined && !this.#closed && !this.#trouble?.away;
      task = this.#next()
    ) {
      const { undone, line } = task;
      task.tried = true;
      const request = undone
        ? recorder.withdraw(line["card-id"], line.review.date)
        : recorder.send(line["card-id"], line.review);
      const outcome = await request.catch(
        (error: unknown): Outcome => ({ ok: false, kind: "later", reason: String(error) }),
      );
      this.#finish(task, undone, outcome);
    }
  }

  #finish(task: Task, asUndone: boolean, outcome: Outcome) {
    const { id } = task.line;
    if (!outcome.ok && outcome.kind !== "refused") return this.#failed(task, outcome);
    this.#faultsInARow = 0;
    if (asUndone) {
      // A refusal to withdraw is an answer, too: asking again would bring the same.
      this.#note({ type: "withdrawn", id });
      this.#open.delete(id);
      return;
    }
    if (outcome.ok) {
      this.#note({ type: "sent", id });
      if (outcome.due !== undefined && !task.undone) this.onScheduled?.(task.line, outcome.due);
    } else {
      const { reason, error } = outcome;
      this.#note({ type: "refused", id, reason });
      this.#refused.set(id, { line: task.line, reason, error });
    }
    // Undone while it was under way: it stays, to be withdrawn.
    if (!task.undone) this.#open.delete(id);
  }

  #failed(task: Task, failure: Failure): void {
    const { kind } = failure;
    if (kind === "fault") {
      this.#failing.add(task.line["card-id"]);
      this.#faultsInARow++;
    }
    const away = kind === "later" || this.#faultsInARow === faultsOfOneAway;
    this.#trouble = { ...failure, since: this.#settings.now(), away };
  }

  /**
   * In the order of the answers; after a fault the oldest of any card, or a few cards that the service always fails with
   * would be asked for first each time, and hold up the others.
   */
  #next(): Task | undefined {
    const ready: Task[] = [];
    for (const task of this.#open.values()) {
      if (this.#failing.has(task.line["card-id"])) continue;
      if (this.#faultsInARow === 0) return task;
      ready.push(task);
    }
    const any = ready[Math.floor(this.#settings.random() * ready.length)]?.line["card-id"];
    return ready.find(({ line }) => line["card-id"] === any);
  }

  #forgive(): void {
    this.#trouble = undefined;
    this.#failing.clear();
    this.#faultsInARow = 0;
  }

  #poke(): void {
    const { now, patience = 5000 } = this.#settings;
    // A clock that was set back meanwhile has waited, too.
    if (this.#trouble !== undefined && Math.abs(now() - this.#trouble.since) >= patience) this.#forgive();
    if (!this.#closed && !this.#trouble?.away) void this.#start();
  }
}
