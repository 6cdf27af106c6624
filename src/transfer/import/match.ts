import type { Source, SourceCard } from "../model.ts";
import type { CardThere, Inventory } from "./inventory.ts";
import { isTelling, type KnownKeys } from "./known.ts";
import { differing, frontHash, hashesOf, partsOfSource } from "./parts.ts";
import { type NewIds, withNewIds } from "./references.ts";
import type { Scratch } from "./scratch.ts";

/**
 * What a card of a source is to the account (docs/design/cards.md, Again):
 * - "same": it is there, and equal
 * - "changed": it is there, and only the source changed since the last import or export
 * - "edited": it is there and differs, and was changed on the service since, or nothing tells that it was not
 * - "alike": one card of its deck has the same front and another back
 * - "several": more than one card has its front, or it has that of another card of the source, too
 */
export type MatchKind = "same" | "changed" | "edited" | "alike" | "several";

export interface Match {
  readonly kind: MatchKind;
  /** Of the card in the account; undefined where there are several. */
  readonly id: string | undefined;
  /** Whether the card in the account was never reviewed: its history is then imported, too. */
  readonly isNew?: boolean;
}

/** What the account has of a source. */
export interface Matches {
  /** How many cards of the source the account has. */
  readonly size: number;
  readonly counts: MatchCounts;
  /** @param number of the card in the source, from 1; undefined for one that is new */
  get(number: number): Match | undefined;
}

export type MatchCounts = Readonly<Record<MatchKind, number>>;

/** Where all cards are to be created. */
export const noMatches: Matches = {
  size: 0,
  counts: { same: 0, changed: 0, edited: 0, alike: 0, several: 0 },
  get: () => undefined,
};

export interface MatchOptions {
  readonly inventory: Inventory;
  readonly scratch: Scratch;
  readonly known: KnownKeys;
  /** The deck of the account for each key of the source's decks; a deck that is new is not in it. */
  readonly decks: ReadonlyMap<string, string>;
  /** For cards that have no deck of their own. */
  readonly deck: string | undefined;
  readonly references: boolean;
}

export async function matchCards(source: Source, options: MatchOptions): Promise<Matches> {
  const { inventory, scratch, known, decks, deck, references } = options;
  const ids = references ? await idsByKey(source, options) : undefined;
  const matches = scratch.map<Match>();
  const used = scratch.map<true>();
  const counts = { ...noMatches.counts };
  let [number, size] = [0, 0];
  for await (const card of source.cards(() => {})) {
    number++;
    const there = findByKey(card, options);
    const rewritten = ids ? { ...card, body: withNewIds(card.body, ids) } : card;
    let match = there
      ? byKey(rewritten, there, source, known)
      : byFront(rewritten, card.deck === undefined ? deck : decks.get(card.deck), source, inventory);
    if (match === undefined) continue;
    if (match.id !== undefined) {
      if (used.get(match.id)) match = { kind: "several", id: undefined };
      else used.set(match.id, true);
    }
    size++;
    counts[match.kind]++;
    matches.set(String(number), match);
  }
  return { size, counts, get: (each) => matches.get(String(each)) };
}

/** The ids of the cards that are there, by their keys: references to them are compared by these. */
async function idsByKey(source: Source, options: MatchOptions): Promise<NewIds> {
  const ids = options.scratch.map<string>();
  for await (const card of source.cards(() => {})) {
    const there = findByKey(card, options);
    if (card.key !== undefined && there !== undefined) ids.set(card.key, there.id);
  }
  return ids;
}

function findByKey({ key }: SourceCard, { inventory, known }: MatchOptions): CardThere | undefined {
  if (!isTelling(key)) return undefined;
  return inventory.find(key) ?? inventory.find(known.find("card", key)?.id ?? "");
}

function byKey(card: SourceCard, there: CardThere, source: Source, known: KnownKeys): Match {
  const parts = hashesOf(partsOfSource(card, source.partial ?? false));
  const { id } = there;
  if (differing(parts, there.parts).length === 0) return { kind: "same", id, isNew: there.isNew };
  // The last export and the last import each know what the card was.
  const bases = [card.base, card.key === undefined ? undefined : known.find("card", card.key)?.card];
  const untouched =
    bases.includes(there.hash) || (card.updated !== undefined && card.updated === there.updated);
  return { kind: untouched ? "changed" : "edited", id, isNew: there.isNew };
}

function byFront(
  card: SourceCard,
  deck: string | undefined,
  source: Source,
  inventory: Inventory,
): Match | undefined {
  const parts = partsOfSource(card, source.partial ?? false);
  const front = deck === undefined ? undefined : frontHash(parts);
  if (deck === undefined || front === undefined) return undefined;
  const alike = inventory.withFront(deck, front);
  const [first] = alike;
  if (first === undefined) return undefined;
  const hashes = hashesOf({ ...parts, pos: undefined });
  const same = alike.find((each) => differing(hashes, each.parts).length === 0);
  if (same !== undefined) return { kind: "same", id: same.id, isNew: same.isNew };
  return alike.length > 1 ? { kind: "several", id: undefined } : { kind: "alike", id: first.id };
}
