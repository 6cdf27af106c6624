import { join } from "node:path";
import { isRecord } from "../config/config-file.ts";
import { readCache } from "../files/cache.ts";
import type { Deck } from "../schema/index.ts";

/** A deck as the snapshot has it. Where `seen` is undefined, only what the list gives is known: no parent and no flags. */
export interface KnownDeck {
  readonly id: string;
  readonly name: string;
  readonly sort?: number | undefined;
  /** The deck above it, null for none. */
  readonly parent?: string | null | undefined;
  readonly trashed?: boolean | undefined;
  readonly archived?: boolean | undefined;
  /** When parent and flags were read, in epoch milliseconds. */
  readonly seen?: number | undefined;
}

export type KnownTemplate = Pick<KnownDeck, "id" | "name">;

/** An account's decks and templates, stored so that names need no request. */
export interface Snapshot {
  readonly version: 2;
  /** When the list was last read, in epoch milliseconds; 0 for never. */
  readonly decksRead: number;
  readonly decks: readonly KnownDeck[];
  readonly templatesRead: number;
  readonly templates: readonly KnownTemplate[];
}

const emptySnapshot: Snapshot = { version: 2, decksRead: 0, decks: [], templatesRead: 0, templates: [] };

export const snapshotPath = (folder: string, account: string): string =>
  join(folder, `names-${account}.json`);

/** Reads the snapshot of an account. A file that is not one counts as missing. */
export function readSnapshot(folder: string, account: string): Snapshot {
  const value = readCache(snapshotPath(folder, account));
  return isSnapshot(value) ? value : emptySnapshot;
}

const isSnapshot = (value: unknown): value is Snapshot =>
  isRecord(value) &&
  value["version"] === emptySnapshot.version &&
  Array.isArray(value["decks"]) &&
  Array.isArray(value["templates"]);

/** A deck as in an answer: the list may omit everything but id and name. */
export type DeckFields = Pick<Deck, "id" | "name" | "sort" | "parent-id" | "trashed?" | "archived?">;
export type NamedFields = Pick<Deck, "id" | "name">;

/** The decks after the list was read at that instant. @param isWhole whether lists of the service are known to have parents */
export function withList(
  decks: readonly KnownDeck[],
  list: readonly DeckFields[],
  at: number,
  isWhole = false,
): readonly KnownDeck[] {
  // A list that has parents has them for all but the decks at the root, and flags where they are set.
  if (isWhole || list.some((item) => Object.hasOwn(item, "parent-id")))
    return list.map((item) => whole(item, at));
  const before = new Map(decks.map((deck) => [deck.id, deck]));
  return list.map((item) => {
    const known = before.get(item.id);
    return {
      ...known,
      ...named(item),
      sort: item.sort ?? known?.sort,
      trashed: item["trashed?"] != null || known?.trashed,
      archived: item["archived?"] === true || known?.archived,
    };
  });
}

/** A deck of which all is known: what it omits is false or null. */
export const whole = (deck: DeckFields, at: number): KnownDeck => ({
  id: deck.id,
  name: deck.name ?? "",
  sort: deck.sort ?? undefined,
  parent: deck["parent-id"] ?? null,
  trashed: deck["trashed?"] != null,
  archived: deck["archived?"] === true,
  seen: at,
});

export const named = ({ id, name }: NamedFields): KnownTemplate => ({ id, name: name ?? "" });

/** The items with this one instead of the one with its id, or at the end. */
export const withItem = <T extends { readonly id: string }>(items: readonly T[], item: T): readonly T[] =>
  items.some(({ id }) => id === item.id)
    ? items.map((each) => (each.id === item.id ? item : each))
    : [...items, item];
