import { type DeckhandError, UsageError } from "../errors.ts";
import type { Skip } from "./model.ts";

/** The error for something broken in a source: it names the place. */
export function broken(place: string, problem: string, hint?: string, cause?: unknown): UsageError {
  return new UsageError(`${place}: ${problem}`, { hint, cause });
}

export const at = (file: string, line: number): string => `${file}, line ${line}`;

/** A file of a folder that cannot be read is left and named; it does not end the import of the others. @throws what is no UsageError */
export async function unlessBroken<T>(
  place: string,
  skip: Skip,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const why = error.message.startsWith(place)
      ? error.message.slice(place.length).replace(/^[,:] /, "")
      : error.message;
    skip({ place, what: "files that cannot be read", why, failed: true });
    return undefined;
  }
}

/** A text as it is quoted in messages. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** The error with the place in the source before it. */
export function placed(error: DeckhandError, place: string): DeckhandError {
  return error.with({ message: `${place}: ${error.message}` });
}
