import type { Client } from "../client/index.ts";
import { DeckhandError, UsageError } from "../errors.ts";
import type { FolderWriter } from "../folder/writer.ts";
import type { Scans } from "./make-plan.ts";
import type { State } from "./state.ts";
import type { Agreed, Change, Outcome } from "./types.ts";

/** Both sides while a plan is carried out: as they are, and as they were scanned for it. */
export interface Sides extends Scans {
  readonly client: Client;
  readonly folder: FolderWriter<Agreed>;
  readonly state: State;
  /** Called before each effect; tests end the run or change a side there. */
  readonly step: (effect: string) => Promise<void>;
  readonly signal: AbortSignal;
  /** The deck that is synced; undefined for all of them. */
  readonly scope: string | undefined;
  now(): number;
}

/** What came of a change. */
export interface Applied {
  readonly change: Change;
  readonly outcome: Outcome;
}

export const done: Outcome = { state: "done" };
export const again: Outcome = { state: "again" };
export const left = (note: string, hint?: string): Outcome => ({ state: "left", note, hint });

/** What the service refused is left; anything else ends the run. */
export function refused(error: unknown): Outcome {
  if (!(error instanceof DeckhandError)) throw error;
  // It was changed between the comparison and the request.
  if (error.status === 412) return again;
  if (["validation", "refused", "not-found", "forbidden"].includes(error.code))
    return left(error.message, error.hint);
  throw error;
}

/** What cannot be read or written is left: a read-only file, one behind a link, a card that is damaged. */
export async function unlessUnusable<T>(work: Promise<T>): Promise<T | Outcome> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
    const isUnreadable = error.status === 500 && error.request?.method === "GET";
    if (!(error instanceof UsageError || isUnreadable)) throw error;
    return left(error.message, error.hint);
  }
}
