import type { PassShape } from "../review/session/state.ts";

/** What the server prepares and the page's script plays. */

/** One way a card is asked, every step of it as HTML. */
export interface StudyPass extends PassShape {
  /** What each step shows: indexes into the HTML of the card. */
  readonly shown: readonly (readonly number[])[];
  /** What is typed before the next step; null where nothing is. */
  readonly typed: readonly (string | null)[];
}

export interface StudyCard {
  readonly id: string;
  readonly asked: "again" | "review" | "new";
  readonly name: string;
  readonly "deck-id": string;
  /** The path of its deck. */
  readonly deck: string;
  readonly reviews: readonly { readonly date: string; readonly "remembered?": boolean }[];
  /** What the steps of its passes show. */
  readonly html: readonly string[];
  readonly passes: readonly StudyPass[];
}

/** A session as it begins. */
export interface StudySession {
  readonly account: string;
  /** The day, in epoch milliseconds: its beginning and its last instant. */
  readonly day: readonly [start: number, end: number];
  readonly cards: readonly StudyCard[];
  /** Whether `queue` has more cards than these. */
  readonly more: boolean;
  /** Whether the program that serves the page ends with the review. */
  readonly ends: boolean;
}

/** All cards of a session, in their order. */
export interface StudyQueue {
  readonly ids: readonly string[];
}
