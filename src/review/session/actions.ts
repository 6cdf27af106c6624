/** What can happen in a session, and what has to be done in the world for it. Times (`at`) are monotonic milliseconds. */

/** One way a card is asked: forwards, reversed, or one cloze group. `steps`: how many reveals until all is shown. */
export interface PassShape {
  readonly id: string;
  readonly steps: number;
}

/** What a change of a card sets; `trashed` is true for now and false for none. Of tags, what differs from `before`. */
export type Change =
  | { readonly archived: boolean }
  | { readonly trashed: boolean }
  | { readonly tags: readonly string[]; readonly before: readonly string[] };

/** One answered pass, and the review that follows from it, if one does. Durations are seconds. */
export interface Answer {
  readonly id: string;
  readonly cardId: string;
  readonly pass: string;
  readonly remembered: boolean;
  readonly duration: number;
  readonly review?: { readonly remembered: boolean; readonly duration: number } | undefined;
}

export type Action =
  | {
      readonly type: "loaded";
      readonly cardId: string;
      readonly passes: readonly PassShape[];
      readonly at: number;
    }
  /** The card cannot be shown now; it goes behind those that can. */
  | { readonly type: "unavailable"; readonly cardId: string; readonly at: number }
  /** The card is no more. */
  | { readonly type: "gone"; readonly cardId: string; readonly at: number }
  | {
      readonly type: "edited";
      readonly cardId: string;
      readonly passes: readonly PassShape[];
      readonly at: number;
    }
  | { readonly type: "reveal"; readonly key: string; readonly at: number }
  | {
      readonly type: "grade";
      readonly remembered: boolean;
      /** Id of the answer. */
      readonly id: string;
      readonly key: string;
      readonly at: number;
    }
  | { readonly type: "skip"; readonly at: number }
  | {
      readonly type: "remove";
      readonly change: "archive" | "trash";
      readonly id: string;
      readonly at: number;
    }
  | {
      readonly type: "tags";
      readonly before: readonly string[];
      readonly after: readonly string[];
      readonly id: string;
      readonly at: number;
    }
  /** A change could not be made: the card is back in the session. */
  | { readonly type: "change-failed"; readonly id: string; readonly at: number }
  | { readonly type: "undo"; readonly at: number }
  /** The clock stands while the program is suspended or an editor is open. */
  | { readonly type: "pause"; readonly at: number }
  | { readonly type: "resume"; readonly at: number };

export type Effect =
  | { readonly type: "answered"; readonly answer: Answer }
  | { readonly type: "taken-back"; readonly answer: Answer }
  /** `id` is given if the change can be undone; the inverse of a change has none. */
  | { readonly type: "change"; readonly cardId: string; readonly change: Change; readonly id?: string };
