import { deckSettings } from "../schema/today.ts";
import type { DeckDoc, Preference } from "./types.ts";

const keys = ["name", "parent", ...Object.keys(deckSettings)];

export const isSameDeck = (one: DeckDoc, other: DeckDoc): boolean => changedKeys(one, other).length === 0;

/** The values that two forms of a deck have otherwise. */
export const changedKeys = (one: DeckDoc, other: DeckDoc): string[] =>
  keys.filter((key) => one[key] !== other[key]);

/**
 * Each value as the side that changed it has it. Without a base, values that differ were changed on both.
 *
 * @returns `values` what both sides changed, where no side is preferred
 */
export function mergeDecks(
  base: DeckDoc | undefined,
  folder: DeckDoc,
  service: DeckDoc,
  prefer: Preference | undefined,
): { readonly doc: DeckDoc; readonly values: readonly string[] } {
  const values: string[] = [];
  const doc: Record<string, unknown> = {};
  for (const key of keys) {
    const [from, here, there] = [base?.[key], folder[key], service[key]];
    if (here !== there && here !== from && there !== from && prefer === undefined) values.push(key);
    const value = here !== from && (there === from || prefer === "folder") ? here : there;
    if (value !== undefined) doc[key] = value;
  }
  return { doc: doc as DeckDoc, values };
}
