import { DeckhandError } from "../errors.ts";
import type { Outcome } from "./types.ts";

export const done: Outcome = { state: "done" };
export const again: Outcome = { state: "again" };
/** A deck that was created since the decks were listed has a folder in the next round. */
export const withoutFolder: Outcome = {
  state: "again",
  note: "its deck was deleted; `deckhand cards move` gives it another",
};
export const left = (note: string, hint?: string): Outcome => ({ state: "left", note, hint });

/** What the service refused is left; anything else ends the run. */
export function refused(error: unknown): Outcome {
  // It was changed between the comparison and the request.
  if (error instanceof DeckhandError && error.status === 412) return again;
  if (
    error instanceof DeckhandError &&
    ["validation", "refused", "not-found", "forbidden"].includes(error.code)
  )
    return left(error.message, error.hint);
  throw error;
}
