/** What the program can fail with. `code` is what scripts read, `exitCode` what shells read (docs/design/cli.md, Exit codes). */

export type ErrorCode =
  | "usage"
  | "not-configured"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "validation"
  | "refused"
  | "conflict"
  | "rate-limited"
  | "server"
  | "network"
  | "timeout"
  | "bad-response"
  | "partial"
  | "internal";

/** The exit code of each kind of error. */
export const exitCodes: Readonly<Record<ErrorCode, number>> = {
  usage: 2,
  "not-configured": 3,
  unauthorized: 3,
  forbidden: 3,
  "not-found": 4,
  validation: 5,
  refused: 5,
  conflict: 5,
  "rate-limited": 6,
  server: 7,
  network: 8,
  timeout: 8,
  "bad-response": 8,
  partial: 9,
  internal: 1,
};

export interface RequestName {
  readonly method: string;
  /** Relative to the base URL, without the query. */
  readonly path: string;
}

interface ErrorDetails {
  /** A second line for people: what to do next. */
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  readonly request?: RequestName | undefined;
  /** One message per failing field, as a 422 gives them. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** The item that failed, where there were several. */
  readonly id?: string | undefined;
  /** True if the change may have been made although no answer came: it must not be sent again blindly. */
  readonly uncertain?: boolean | undefined;
  readonly cause?: unknown;
}

/** Base of every error that a user is meant to see. `message` is one line and never holds a key. */
export class DeckhandError extends Error {
  override readonly name: string = "DeckhandError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly request: RequestName | undefined;
  readonly fields: Readonly<Record<string, string>> | undefined;
  readonly id: string | undefined;
  readonly uncertain: boolean;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.status = details.status;
    this.request = details.request;
    this.fields = details.fields;
    this.id = details.id;
    this.uncertain = details.uncertain ?? false;
  }

  get exitCode(): number {
    return exitCodes[this.code];
  }

  /** What failed and why, and what to do, in one line. */
  get inFull(): string {
    return [this.message, this.hint].filter(Boolean).join(". ");
  }

  /** The same error with other words or details. */
  with(changes: Omit<ErrorDetails, "cause"> & { readonly message?: string }): this {
    const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
    return Object.assign(copy, changes);
  }
}

/** A wrong option, argument, name or value: nothing was sent. */
export class UsageError extends DeckhandError {
  override readonly name = "UsageError";
  constructor(message: string, details: ErrorDetails = {}) {
    super("usage", message, details);
  }
}

/** No account, no key, or a key that must not be sent there. */
export class NotConfiguredError extends DeckhandError {
  override readonly name = "NotConfiguredError";
  constructor(message: string, details: ErrorDetails = {}) {
    super("not-configured", message, details);
  }
}

/** Whether the service has no space left: then no other change goes better. */
export const isFull = ({ status }: DeckhandError): boolean => status === 507;

/** Several items were asked for, and some or all failed; each failure was reported when it happened. */
export class PartialError extends DeckhandError {
  override readonly name = "PartialError";
  /** The one reason why all items failed: the exit code is then that reason's. */
  readonly reason: ErrorCode | undefined;
  constructor(message: string, details: ErrorDetails & { readonly reason?: ErrorCode | undefined } = {}) {
    super("partial", message, details);
    this.reason = details.reason;
  }
  override get exitCode(): number {
    return exitCodes[this.reason ?? "partial"];
  }
}

/** What work gives, or something else where it fails: for what only helps, as a label or a warning does. */
export async function orElse<T, U>(work: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DeckhandError) return otherwise;
    throw error;
  }
}

/** Ends with 1 and without a word: an answer for scripts, as `due --check` gives it. */
export class SilentError extends Error {
  override readonly name = "SilentError";
  readonly exitCode = 1;
}

/** Interrupted (130) or terminated (143): not a failure that is reported, only an exit code. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
  readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP";
  constructor(signal: "SIGINT" | "SIGTERM" | "SIGHUP") {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
  get exitCode(): number {
    return this.signal === "SIGINT" ? 130 : this.signal === "SIGTERM" ? 143 : 129;
  }
}
