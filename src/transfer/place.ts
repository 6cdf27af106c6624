import { type DeckhandError, UsageError } from "../errors.ts";

/** The error for something broken in a source: it names the place. */
export function broken(place: string, problem: string, hint?: string, cause?: unknown): UsageError {
  return new UsageError(`${place}: ${problem}`, { hint, cause });
}

export const at = (file: string, line: number): string => `${file}, line ${line}`;

/** A text as it is quoted in messages. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** The error with the place in the source before it. */
export function placed(error: DeckhandError, place: string): DeckhandError {
  return error.with({ message: `${place}: ${error.message}` });
}
