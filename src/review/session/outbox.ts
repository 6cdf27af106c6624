import type { DeckhandError } from "../../errors.ts";
import type { LogHistory } from "./history.ts";
import { type AnswerLine, type LogLine, newerThere, type ReviewBody } from "./log.ts";

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
  /** A refusal is fine: there is no such review (any more). */
  withdraw(cardId: string, date: string): Promise<Outcome>;
}

export interface OutboxStatus {
  readonly waiting: number;
  /** Why the service cannot take them now; undefined while it can. */
  readonly away: string | undefined;
  /** Why it failed to take those that wait, though it takes others; undefined if it did not. */
  readonly failing: string | undefined;
  readonly error: DeckhandError | undefined;
  readonly refused: readonly Refused[];
}

interface Refused {
  readonly line: AnswerLine;
  readonly reason: string;
  readonly error?: DeckhandError | undefined;
}

interface Task {
  readonly line: AnswerLine & { readonly review: NonNullable<AnswerLine["review"]> };
  readonly undone: boolean;
}

interface OutboxSettings {
  readonly recorder: Recorder;
  note(line: LogLine): void;
  now(): number;
  /** Milliseconds before a service that was away is tried again because of a new answer; 5 s if absent. */
  readonly patience?: number;
}

const hasReview = (line: AnswerLine): line is Task["line"] => line.review !== undefined;

/** What a log says has still to be done. With `refused`, reviews that the service refused before are tried again. */
export function openTasks(history: LogHistory, refused = false): Task[] {
  return history.answers.flatMap((answer): Task[] => {
    const { status, withdraw, reason } = answer;
    const isRefused = refused && status === "refused" && reason !== newerThere;
    if (status !== "pending" && !withdraw && !isRefused) return [];
    const line = answer.read();
    return line !== undefined && hasReview(line) ? [{ line, undone: status === "undone" }] : [];
  });
}

/** An outbox that begins with these tasks. Nothing is sent before the first `add`, `takeBack` or `flush`. */
export class Outbox {
  readonly #settings: OutboxSettings;
  readonly #open: Map<string, Task>;
  readonly #refused = new Map<string, Refused>();
  #trouble: (Failure & { readonly since: number }) | undefined;
  /** Cards at whose reviews the service fails: they must not hold up all others. */
  readonly #failing = new Set<string>();
  #running: Promise<void> | undefined;
  #closed = false;
  /** Called when a review was recorded, with the day on which its card is due. */
  onScheduled: ((line: AnswerLine, due: string) => void) | undefined;

  constructor(tasks: readonly Task[], settings: OutboxSettings) {
    this.#settings = settings;
    this.#open = new Map(tasks.map((task) => [task.line.id, task]));
  }

  add(line: AnswerLine): void {
    if (!hasReview(line)) return;
    this.#open.set(line.id, { line, undone: false });
    this.#poke();
  }

  takeBack(line: AnswerLine): void {
    if (!hasReview(line)) return;
    // Also where it never went out: to withdraw what is not there does no harm.
    this.#open.set(line.id, { line, undone: true });
    this.#refused.delete(line.id);
    this.#poke();
  }

  status(): OutboxStatus {
    return {
      waiting: this.#open.size,
      away: this.#isAway ? this.#trouble?.reason : undefined,
      failing: this.#isAway ? undefined : this.#trouble?.reason,
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

  sent(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** Begins nothing any more. A request under way is left to itself. */
  close(): void {
    this.#closed = true;
  }

  get #isAway(): boolean {
    return this.#trouble?.kind === "later";
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
    for (let task = this.#next(); task !== undefined; task = this.#next()) {
      const { "card-id": cardId, review } = task.line;
      const { status: _, ...body } = review;
      const request = task.undone ? recorder.withdraw(cardId, body.date) : recorder.send(cardId, body);
      const outcome = await request.catch(
        (error: unknown): Outcome => ({ ok: false, kind: "later", reason: String(error) }),
      );
      this.#finish(task, outcome);
    }
  }

  #finish(task: Task, outcome: Outcome) {
    const { line, undone } = task;
    const { id } = line;
    if (!outcome.ok && outcome.kind !== "refused") {
      if (outcome.kind === "fault") this.#failing.add(line["card-id"]);
      this.#trouble = { ...outcome, since: this.#settings.now() };
      return;
    }
    // Undone while it was under way: it stays, to be withdrawn.
    if (this.#open.get(id) === task) this.#open.delete(id);
    // A refusal to withdraw is an answer, too: asking again would bring the same.
    if (undone) this.#note({ type: "withdrawn", id });
    else if (outcome.ok) {
      this.#note({ type: "sent", id });
      if (outcome.due !== undefined) this.onScheduled?.(line, outcome.due);
    } else {
      const { reason, error } = outcome;
      this.#note({ type: "refused", id, reason });
      if (!this.#open.has(id)) this.#refused.set(id, { line, reason, error });
    }
  }

  #next(): Task | undefined {
    if (this.#closed || this.#isAway) return undefined;
    for (const task of this.#open.values()) if (!this.#failing.has(task.line["card-id"])) return task;
    return undefined;
  }

  #forgive(): void {
    this.#trouble = undefined;
    this.#failing.clear();
  }

  #poke(): void {
    const { now, patience = 5000 } = this.#settings;
    // A clock that was set back meanwhile has waited, too.
    if (this.#trouble !== undefined && Math.abs(now() - this.#trouble.since) >= patience) this.#forgive();
    if (this.#next() !== undefined) void this.#start();
  }
}
