import type { PastReview } from "../../schedule/index.ts";
import type { LogFollower } from "./history.ts";
import type { AnswerLine, LogFile } from "./log.ts";
import type { Outbox, OutboxStatus, Outcome } from "./outbox.ts";
import { newestOf } from "./queue.ts";
import type { Answer } from "./state.ts";

/** What the log keeps of a card beside the answer. */
export interface AnsweredCard {
  readonly deckId: string;
  readonly isNew: boolean;
  /** The reviews of the card that are known, this session's left out. */
  readonly reviews: readonly PastReview[];
}

/** Said before the first grade where it is so. */
export const cannotRecord =
  "This service cannot record reviews; its own app will still show these cards as due.";

interface RecordingSettings {
  /** Where the answers are: on the service, in the log of this machine, or nowhere. */
  readonly recorded: "service" | "log" | "none";
  /** What the top line always says: `not recorded on the service`. */
  readonly notice?: string | undefined;
  /** Undefined where nothing is recorded. */
  readonly log?: LogFile | undefined;
  /** What other sessions append to the same log. */
  readonly follower?: Pick<LogFollower, "poll"> | undefined;
  /** Undefined where the service records no reviews. */
  readonly outbox?: Outbox | undefined;
  /** Tells the service that a card that was forgotten today is, or is not, to be asked again. Absent where it keeps none. */
  readonly askAgain?: ((cardId: string, again: boolean) => Promise<Outcome>) | undefined;
  now(): number;
}

/**
 * Where the answers of a session go: each is in the log, on the disk, before anything else happens, and then on its way to
 * the service. Errors of the disk are returned: an answer that is not in the log was not given.
 */
export class Recording {
  readonly #settings: RecordingSettings;
  /** Whether a card is asked again today, where the service does not know it yet. By card. */
  readonly #toTell = new Map<string, boolean>();
  /** The requests that tell it, one after the other. */
  #telling: Promise<unknown> = Promise.resolve();
  /** The answers that were not taken back, by id. */
  readonly lines = new Map<string, AnswerLine>();
  readonly #instants = new Set<number>();
  /** Ids of all answers of this session, those taken back included. */
  readonly #ownIds = new Set<string>();

  readonly recorded: RecordingSettings["recorded"];
  readonly notice: string | undefined;

  constructor(settings: RecordingSettings) {
    this.#settings = settings;
    this.recorded = settings.recorded;
    this.notice = settings.notice;
  }

  /** Called where the service has chosen the day on which a card is due after an answer of this session. */
  set onScheduled(listener: (due: string) => void) {
    const { outbox } = this.#settings;
    if (outbox === undefined) return;
    outbox.onScheduled = (line, due) => {
      if (line["remembered?"] && this.lines.has(line.id)) listener(due);
    };
  }

  /** What waits for the service, and why; undefined where nothing is sent. */
  get status(): OutboxStatus | undefined {
    return this.#settings.outbox?.status();
  }

  /** The reviews of a card that this session gave, oldest first. */
  reviewsOf(cardId: string): PastReview[] {
    return [...this.lines.values()].flatMap((line) =>
      line["card-id"] === cardId && line.review !== undefined ? [line.review] : [],
    );
  }

  /** @returns why the disk did not confirm it. @throws what the file system says if it was not written */
  record(answer: Answer, card: AnsweredCard): Error | undefined {
    const { log, outbox } = this.#settings;
    if (log === undefined) return undefined;
    const at = this.#instant();
    const newest = newestOf([...card.reviews, ...this.reviewsOf(answer.cardId)]);
    const line: AnswerLine = {
      type: "answer",
      id: answer.id,
      "card-id": answer.cardId,
      "deck-id": card.deckId,
      at,
      pass: answer.pass,
      "remembered?": answer.remembered,
      duration: seconds(answer.duration),
      ...(card.isNew && { "new?": true as const }),
      left: answer.left,
      ...(answer.review && {
        review: {
          date: at,
          "remembered?": answer.review.remembered,
          ...(answer.review.duration !== undefined && { duration: seconds(answer.review.duration) }),
          after: Number.isFinite(newest) ? new Date(newest).toISOString() : null,
          status: "pending",
        },
      }),
    };
    this.#ownIds.add(line.id);
    const unsynced = log.append(line);
    this.lines.set(line.id, line);
    outbox?.add(line);
    if (isLastOfForgotten(answer)) this.#askAgain(answer.cardId, false);
    return unsynced;
  }

  /** The same for an answer that is taken back, which may be of an earlier session. */
  takeBack(line: AnswerLine | undefined): Error | undefined {
    const { log, outbox, now } = this.#settings;
    if (log === undefined || line === undefined) return undefined;
    const unsynced = log.append({ type: "undone", id: line.id, at: new Date(now()).toISOString() });
    this.lines.delete(line.id);
    outbox?.takeBack(line);
    if (isLastOfForgotten(line)) this.#askAgain(line["card-id"], true);
    return unsynced;
  }

  /** The cards that other sessions answered since this was last asked. */
  answeredElsewhere(): string[] {
    const lines = this.#settings.follower?.poll() ?? [];
    return lines.flatMap((line) =>
      !this.#ownIds.has(line.id) && (line.review !== undefined || line.left === 0) ? [line["card-id"]] : [],
    );
  }

  /** Tries to send all that waits once more. */
  async flush(signal?: AbortSignal): Promise<void> {
    await this.#settings.outbox?.flush(signal);
    if (this.#toTell.size > 0) this.#tell();
    await this.#telling;
  }

  /** Tells the service of cards that are remembered by now, as only the log of this machine knows. */
  settle(cardIds: readonly string[] = []): void {
    for (const cardId of cardIds) this.#askAgain(cardId, false);
  }

  #askAgain(cardId: string, again: boolean): void {
    this.#toTell.set(cardId, again);
    this.#tell();
  }

  /** After the reviews that made the service ask the cards again. What is lost here the next session tells. */
  #tell(): void {
    const { outbox, askAgain } = this.#settings;
    const tell = async () => {
      await outbox?.sent();
      if (outbox?.status().waiting !== 0) return;
      for (const [cardId, again] of this.#toTell) {
        const outcome = await askAgain?.(cardId, again);
        if (outcome?.ok === false && outcome.kind !== "refused") return;
        if (this.#toTell.get(cardId) === again) this.#toTell.delete(cardId);
      }
    };
    this.#telling = this.#telling.then(tell).catch(() => {});
  }

  /** Begins no request any more, and lets go of the log. */
  close(): void {
    this.#settings.outbox?.close();
    this.#settings.log?.close();
  }

  /**
   * Two answers never have the same instant: the service takes the same instant for the same review. A clock that was
   * set back is followed: what was wrong before must not make later answers wrong.
   */
  #instant(): string {
    let instant = this.#settings.now();
    while (this.#instants.has(instant)) instant++;
    this.#instants.add(instant);
    return new Date(instant).toISOString();
  }
}

/** Whether an answer ends what began when the card was forgotten: it gives no review of its own. */
const isLastOfForgotten = ({ left, review }: Pick<AnswerLine, "left" | "review"> | Answer): boolean =>
  left === 0 && review === undefined;

const seconds = (value: number): number => Math.round(value * 1000) / 1000;
