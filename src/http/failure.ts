import type { DeckhandError } from "../errors.ts";

/** The answer is larger than the limit. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
  /** In bytes. */
  readonly limit: number;

  constructor(limit: number) {
    super("too large");
    this.limit = limit;
  }
}

/** The answer has a content coding that was not asked for and is not known, or that is broken. */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
  /** Whether it was damaged on the way: the next answer may be intact. */
  readonly broken: boolean;

  constructor(message: string, options: { broken: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.broken = options.broken;
  }
}

/** An attempt that failed, with what decides whether another one is made. Never leaves this folder. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** What the caller gets if there is no further attempt. */
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

interface Decision {
  readonly again: Again;
  readonly uncertain?: boolean;
  readonly wait?: number | undefined;
  readonly reason?: string;
}

/**
 * "limited": nothing was done, the service wants a pause. "unsent": nothing was done, no byte was sent. "repeatable":
 * only if the request may be carried out twice. "never": another attempt would end the same way.
 */
type Again = "limited" | "unsent" | "repeatable" | "never";
