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
  readonly "deck-id": string;
  /** The path of its deck. */
  readonly deck: string;
  readonly reviews: readonly { readonly date: string; readonly "remembered?": boolean }[];
  /** What the steps of its passes show. */
  readonly html: readonly string[];
  readonly passes: readonly StudyPass[];
}

/** Instants are epoch milliseconds. */
export interface StudySession {
  readonly account: string;
  /** When the queue was as it is here: a browser without a connection has an earlier one. */
  readonly at: number;
  /** The first and the last instant of the day. */
  readonly day: readonly [start: number, end: number];
  /** The ids of all its cards, in their order. */
  readonly queue: readonly string[];
  /** How many of them, at the beginning, were forgotten today and are asked again. */
  readonly again: number;
  /** The first of them: one is shown while the others are asked for. */
  readonly cards: readonly StudyCard[];
  /** Whether the program that serves the page ends with the review. */
  readonly ends: boolean;
}
