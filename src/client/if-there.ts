import { DeckhandError } from "../errors.ts";

/** Undefined for what was deleted since. */
export const ifThere = <T>(wanted: Promise<T>): Promise<T | undefined> =>
  wanted.catch((error: unknown) => {
    if (error instanceof DeckhandError && error.code === "not-found") return undefined;
    throw error;
  });
