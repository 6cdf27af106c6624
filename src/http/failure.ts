import type { DeckhandError } from "../errors.ts";

/** An attempt that failed, with what decides whether another one is made. Never leaves this folder. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** What the caller sees if there is no further attempt. */
  readonly error: DeckhandError;
  readonly again: Again;
  /** Whether the service may have carried the request out. */
  readonly uncertain: boolean;
  /** Milliseconds that the service asked for. */
  readonly wait: number | undefined;
  /** A few words for --verbose. */
  readonly reason: string;

  constructor(error: DeckhandError, decision: Decision) {
    super(error.message);
    this.error = error;
    this.again = decision.again;
    this.uncertain = decision.uncertain ?? false;
    this.wait = decision.wait;
    this.reason = decision.reason ?? error.code;
  }
}

export interface Decision {
  readonly again: Again;
  readonly uncertain?: boolean;
  readonly wait?: number | undefined;
  readonly reason?: string;
}

/**
 * "limited": nothing was done, the service wants a pause. "unsent": nothing was done, no byte went out. "repeatable":
 * only what may be carried out twice. "never": another attempt would end the same way.
 */
export type Again = "limited" | "unsent" | "repeatable" | "never";
