import { DeckhandError, type ErrorCode } from "../errors.ts";
import type { Card, Template } from "../schema/index.ts";

const undefinedFor =
  (...codes: readonly ErrorCode[]) =>
  (error: unknown): undefined => {
    if (!(error instanceof DeckhandError && codes.includes(error.code))) throw error;
  };

/** Undefined for what was deleted since. */
export const ifThere = <T>(wanted: Promise<T>): Promise<T | undefined> =>
  wanted.catch(undefinedFor("not-found"));

/** What another document names; undefined where there is none of that id, which may be one that no request can have. */
export const ifNamed = async <T>(id: string | null | undefined, get: (id: string) => Promise<T>) =>
  id ? get(id).catch(undefinedFor("not-found", "usage")) : undefined;

/** A card with its template; without one where that was deleted. */
export const withTemplate = async (card: Card, get: (id: string) => Promise<Template>) => ({
  card,
  template: await ifNamed(card["template-id"], get),
});
