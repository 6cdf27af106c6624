import type { PastReview } from "../../schedule/index.ts";
import type { DueCard } from "../../schema/card.ts";
import type { Clock, Fetched, World } from "../ports.ts";
import type { Earlier } from "./progress.ts";
import { answeredMeanwhile, isNewCard, type Queue, type QueueRest } from "./queue.ts";
import type { AnsweredCard, Recording } from "./recording.ts";
import type { PassShape } from "./state.ts";

/** What a session knows of a card that was fetched, whatever else its front end shows of it. */
export interface AskedCard {
  readonly card: DueCard;
  readonly shapes: readonly PassShape[];
  /** Set if only what the due query tells of the card could be had. */
  readonly partial: boolean;
}

export interface SessionWorld<C extends AskedCard> extends Pick<World, "change"> {
  load(cardId: string): Promise<Fetched<C>>;
  /** What the due query has of a card, where that is enough to ask it. */
  partial?(due: DueCard | undefined): C | undefined;
  withTags?(card: C, tags: readonly string[]): C;
}

export interface SessionSettings<C extends AskedCard> {
  readonly queue: Queue;
  readonly world: SessionWorld<C>;
  readonly clock: Clock;
  newId(): string;
  readonly recording: Recording;
  /** The answers of today's earlier sessions, the last first. */
  earlier?(): Earlier | undefined;
  /** How many cards are fetched before they are asked for; the one on the screen and two more if absent. */
  readonly ahead?: number;
  /** The last instant of the day whose cards are asked (epoch milliseconds); absent where that does not matter. */
  readonly endOfDay?: number | undefined;
  onChange(): void;
}

/** What is known of the cards of a session: what the due query has of them, the log, and those that were fetched. */
export class SessionCards<C extends AskedCard> {
  /** As the due query has them. */
  readonly due = new Map<string, DueCard>();
  /** The reviews that the log had before the session, by card. */
  readonly logged = new Map<string, readonly PastReview[]>();
  readonly #shown = new Map<string, C>();
  /** Cards that came whole while what the due query has of them was on the screen. */
  readonly waiting = new Map<string, C>();
  readonly #asOf: string | undefined;

  constructor(queue: Queue) {
    this.#asOf = queue.asOf;
    this.add(queue);
  }

  /** @returns the ids of the cards that are new to the session */
  add({ cards, logged }: QueueRest): string[] {
    const fresh = cards.filter(({ id }) => !this.due.has(id));
    for (const card of fresh) this.due.set(card.id, card);
    for (const [id, reviews] of logged) this.logged.set(id, reviews);
    return fresh.map(({ id }) => id);
  }

  get(cardId: string): C | undefined {
    return this.#shown.get(cardId);
  }

  set(cardId: string, card: C): void {
    this.#shown.set(cardId, card);
    this.waiting.delete(cardId);
  }

  /** What the log keeps of a card: as the due query has it, and what that leaves out as it was fetched. */
  answered(cardId: string): AnsweredCard {
    const card = { ...this.#shown.get(cardId)?.card, ...this.due.get(cardId) };
    return { deckId: card["deck-id"] ?? "", isNew: isNewCard(card), reviews: this.reviewsOf(cardId) };
  }

  /** The reviews of the service and of the log, those of the session left out. */
  reviewsOf(cardId: string): PastReview[] {
    const card = this.#shown.get(cardId)?.card ?? this.due.get(cardId);
    return [...(card?.reviews ?? []), ...(this.logged.get(cardId) ?? [])];
  }

  nameOf(cardId: string): string | null | undefined {
    return this.#shown.get(cardId)?.card.name ?? this.due.get(cardId)?.name;
  }

  /** Whether a card that was just fetched was answered elsewhere since the due query, if that says how it was then. */
  isAnswered({ id, reviews }: DueCard, now: number): boolean {
    const due = this.due.get(id);
    const isKnown = (this.#asOf ?? due?.reviews ?? due?.["new?"]) !== undefined;
    if (this.#shown.has(id) || !isKnown) return false;
    return answeredMeanwhile(reviews ?? [], [...this.reviewsOf(id), { date: this.#asOf }], now);
  }
}
