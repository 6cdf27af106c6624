import type { Call } from "../client/index.ts";
import { DeckhandError } from "../errors.ts";

/** Undefined for what was deleted since. */
export const ifThere = <T>(wanted: Pick<Call<T>, "send">): Promise<T | undefined> =>
  wanted.send().catch((error: unknown) => {
    if (error instanceof DeckhandError && error.code === "not-found") return undefined;
    throw error;
  });
