import type { PastReview } from "../../schedule/index.ts";
import type { DueCard } from "../../schema/card.ts";
import type { Loaded } from "../ports.ts";
import type { SessionCard } from "./card.ts";
import { answeredMeanwhile, type Queue, type QueueRest } from "./queue.ts";

/** What is known of the cards of a session: what the due query has of them, the log, and those that were fetched. */
export class SessionCards {
  readonly #due = new Map<string, DueCard>();
  readonly #logged = new Map<string, readonly PastReview[]>();
  readonly #shown = new Map<string, SessionCard>();
  /** Cards that came whole while what the due query has of them was on the screen. */
  readonly #waiting = new Map<string, SessionCard>();

  constructor(queue: Queue) {
    this.add(queue);
  }

  /** As the due query has them. */
  get due(): ReadonlyMap<string, DueCard> {
    return this.#due;
  }

  /** The reviews that the log had before the session, by card. */
  get logged(): ReadonlyMap<string, readonly PastReview[]> {
    return this.#logged;
  }

  /** @returns the ids of the cards that are new to the session */
  add({ cards, logged }: QueueRest): string[] {
    const fresh = cards.filter(({ id }) => !this.#due.has(id));
    for (const card of fresh) this.#due.set(card.id, card);
    for (const [id, reviews] of logged) this.#logged.set(id, reviews);
    return fresh.map(({ id }) => id);
  }

  get(cardId: string): SessionCard | undefined {
    return this.#shown.get(cardId);
  }

  set(cardId: string, card: SessionCard): void {
    this.#shown.set(cardId, card);
    this.#waiting.delete(cardId);
  }

  /** A card that is being asked does not change while the user looks at it. */
  keepForLater(cardId: string, card: SessionCard): void {
    this.#waiting.set(cardId, card);
  }

  get waiting(): readonly (readonly [string, SessionCard])[] {
    return [...this.#waiting];
  }

  nameOf(cardId: string): string | null | undefined {
    return this.#shown.get(cardId)?.card.name ?? this.#due.get(cardId)?.name;
  }

  /** The reviews of the service and of the log, those of the session left out. */
  reviewsOf(cardId: string): PastReview[] {
    const card = this.#shown.get(cardId)?.card ?? this.#due.get(cardId);
    return [...(card?.reviews ?? []), ...(this.#logged.get(cardId) ?? [])];
  }

  /** Whether a card that was just fetched was answered elsewhere and need not be asked any more. */
  isAnswered(cardId: string, outcome: Loaded, now: number): boolean {
    if (outcome.kind !== "card" || this.#shown.has(cardId)) return false;
    return answeredMeanwhile(outcome.card.reviews ?? [], this.reviewsOf(cardId), now);
  }
}
