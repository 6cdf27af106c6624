import type { Source, SourceCard } from "../model.ts";
import type { EarlierImports } from "./earlier-imports.ts";
import type { CardThere, Inventory } from "./inventory.ts";
import type { JournalRead } from "./journal-lines.ts";
import { isTelling, type KnownKeys } from "./known.ts";
import { type HistoryMatch, historyMatch } from "./newer-reviews.ts";
import {
  differing,
  frontHash,
  hashesOf,
  partsOfSource,
  type StateThere,
  sourceHash,
  stateThere,
} from "./parts.ts";
import { type NewIds, withNewIds } from "./references.ts";
import type { Scratch, ScratchMap } from "./scratch.ts";

/**
 * What a card of a source is to the account (docs/design/cards.md, Again):
 * - "same": it is there, and equal
 * - "changed": it is there, and only the source changed since the last import or export; one found by its front only if
 *   an import of the same input left it as it is now
 * - "edited": it is there and differs, and was changed on the service since, or nothing tells that it was not
 * - "kept": it is there and differs, but the source says what it said when it was imported last
 * - "alike": one card of its deck has the same front, and differs otherwise
 * - "several": more than one card has its front, or it has that of another card of the source, too
 */
export type MatchKind = "same" | "changed" | "edited" | "kept" | "alike" | "several";

export interface Match extends HistoryMatch {
  readonly kind: MatchKind;
  /** Of the card in the account; undefined where there are several. */
  readonly id: string | undefined;
  /** Of one that is equal: `cardHash` of the card in the account. */
  readonly hash?: string | undefined;
  /** What became of it in the account, where nothing else differs. */
  readonly state?: StateThere | undefined;
  /** Of an "edited" one: whether nothing is known of what it was, so that it may have been different from the start. */
  readonly unsure?: boolean;
}

/** Whether the card stays as it is in the account. @param overwrite whether cards that were edited there are updated, too */
export const isLeft = ({ kind, id }: Match, overwrite: boolean): boolean =>
  id === undefined || (!overwrite && (kind === "edited" || kind === "kept" || kind === "alike"));

/** What the account has of a source. */
export interface Matches {
  /** How many cards of the source the account has. */
  readonly size: number;
  readonly counts: MatchCounts;
  /** How many of those counted as edited differ, and nothing tells that they were edited. */
  readonly unsure: number;
  /** How many reviews of the source are newer and not imported: their cards were reviewed in the account, too. */
  readonly reviewsApart: number;
  /** The cards that are in the trash, or archived, and equal otherwise; `counts` has them, too. */
  readonly states: Readonly<Record<StateThere, CardsInState>>;
  /** What the first cards that differ begin with. */
  readonly differing: readonly string[];
  /** @param number of the card in the source, from 1; undefined for one that is new */
  get(number: number): Match | undefined;
}

export interface CardsInState {
  readonly counts: MatchCounts;
  /** The ids of the first ones. */
  readonly ids: readonly string[];
}

export type MatchCounts = Readonly<Record<MatchKind, number>>;

const noCounts: MatchCounts = { same: 0, changed: 0, edited: 0, kept: 0, alike: 0, several: 0 };

/** Where all cards are to be created. */
export const noMatches: Matches = {
  size: 0,
  counts: noCounts,
  unsure: 0,
  reviewsApart: 0,
  states: { trashed: { counts: noCounts, ids: [] }, archived: { counts: noCounts, ids: [] } },
  differing: [],
  get: () => undefined,
};

interface MatchOptions {
  readonly inventory: Inventory;
  readonly scratch: Scratch;
  readonly known: KnownKeys;
  /** The deck of the account for each key of the source's decks; a deck that is new is not in it. */
  readonly decks: ReadonlyMap<string, string>;
  /** For cards that have no deck of their own. */
  readonly deck: string | undefined;
  readonly references: boolean;
  /** What an earlier run recorded that this one continues. */
  readonly earlier: Pick<JournalRead, "outcomes" | "was"> | undefined;
  /** The finished imports of the same input. */
  readonly finished: EarlierImports;
}

export async function matchCards(source: Source, options: MatchOptions): Promise<Matches> {
  const { scratch, references } = options;
  const made = madeBefore(options);
  const ids = references ? await idsByKey(source, options) : undefined;
  const matches = scratch.map<Match>();
  const used = scratch.map<true>();
  const counts = { ...noCounts };
  const names: string[] = [];
  const noCards = () => ({ counts: { ...noCounts }, ids: [] as string[] });
  const states = { trashed: noCards(), archived: noCards() };
  let [number, size, unsure, reviewsApart] = [0, 0, 0, 0];
  for await (const card of source.cards(() => {})) {
    number++;
    const there = findByKey(card, options);
    const rewritten = ids ? { ...card, body: withNewIds(card.body, ids) } : card;
    const hash = sourceHash(card, source.partial ?? false);
    let match = there
      ? byKey(rewritten, hash, there, source, options)
      : byFront(rewritten, hash, source, options, { made, used });
    if (match === undefined) continue;
    if (match.id !== undefined) {
      if (used.get(match.id)) match = { kind: "several", id: undefined };
      else used.set(match.id, true);
    }
    size++;
    counts[match.kind]++;
    if (match.unsure) unsure++;
    reviewsApart += match.apart ?? 0;
    if (match.state !== undefined && match.id !== undefined) {
      const { counts, ids } = states[match.state];
      counts[match.kind]++;
      if (ids.length < namesShown) ids.push(match.id);
    }
    if (match.kind !== "same" && match.kind !== "kept" && names.length < namesShown)
      names.push(beginningOf(card));
    matches.set(String(number), match);
  }
  const get = (each: number) => matches.get(String(each));
  return { size, counts, unsure, reviewsApart, states, differing: names, get };
}

const namesShown = 3;

/** The first line of a card, or of its fields. */
export function beginningOf({ body }: SourceCard): string {
  const fields = Object.values(body.fields ?? {}).map((field) => field.value ?? "");
  const lines = [body.content, ...fields].join("\n").split("\n");
  const first = lines
    .map((line) => line.replace(/^#+ /, "").trim())
    .find((line) => line !== "" && line !== "---");
  return (first ?? "").slice(0, 200);
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

/** The ids of the cards that an earlier run made. */
function madeBefore({ earlier, scratch }: MatchOptions): ScratchMap<true> {
  const made = scratch.map<true>();
  for (const [item, { id }] of earlier?.outcomes.entries() ?? [])
    if (/^card \d+$/.test(item) && id !== undefined) made.set(id, true);
  return made;
}

const historyOf = (
  { reviews = [] }: SourceCard,
  there: CardThere,
  { earlier, finished }: MatchOptions,
): HistoryMatch =>
  historyMatch(reviews, {
    dates: there.reviews,
    due: there.due,
    given: finished.reviews(there.id),
    resumed: earlier !== undefined,
  });

function byKey(
  card: SourceCard,
  hash: string,
  there: CardThere,
  source: Source,
  options: MatchOptions,
): Match {
  const parts = hashesOf(partsOfSource(card, source.partial ?? false));
  const { id } = there;
  const history = historyOf(card, there, options);
  if (differing(parts, there.parts).length === 0 || (card.isBase === true && card.base === there.hash))
    return { kind: "same", id, hash: there.hash, ...history };
  const knownByKey = card.key === undefined ? undefined : options.known.find("card", card.key);
  const knownById = options.known.find("card", id);
  // The last export, the last import and its undo each know what the card was; a run that was killed between an update
  // and its answer wrote to the journal what the card was to become.
  const bases = [card.base, knownByKey?.card, knownById?.card, options.earlier?.was.get(id)?.to];
  const untouched =
    bases.includes(there.hash) || (card.updated !== undefined && card.updated === there.updated);
  if (untouched) return { kind: "changed", id, ...history };
  // An undo notes the id.
  const kind = (knownById ?? knownByKey)?.source === hash ? "kept" : "edited";
  const state = stateThere(parts, there.parts);
  const isKnown = card.updated !== undefined || bases.some((base) => base !== undefined);
  const unsure = kind === "edited" && state === undefined && !isKnown;
  return { kind, id, state, ...(unsure ? { unsure } : {}), ...history };
}

function byFront(
  card: SourceCard,
  hash: string,
  source: Source,
  options: MatchOptions,
  { made, used }: { readonly made: ScratchMap<true>; readonly used: ScratchMap<true> },
): Match | undefined {
  const deck = card.deck === undefined ? options.deck : options.decks.get(card.deck);
  const parts = partsOfSource(card, source.partial ?? false);
  const front = deck === undefined ? undefined : frontHash(parts);
  if (deck === undefined || front === undefined) return undefined;
  // The journal knows which card of the source an earlier run made them of.
  const { inventory, finished } = options;
  const isMade = (id: string) => made.get(id) === true;
  const hashes = hashesOf({ ...parts, pos: undefined });
  const isOut = (id: string) => isMade(id) || used.get(id) === true;
  for (const id of inventory.withFront(deck, front, hashes.content, isOut)) {
    const there = inventory.find(id);
    if (there !== undefined && differing(hashes, there.parts).length === 0)
      return { kind: "same", id, hash: there.hash, ...historyOf(card, there, options) };
  }
  for (const id of finished.withSource(hash, isOut)) {
    const there = inventory.find(id);
    if (there !== undefined && there.hash !== finished.hash(id))
      return { kind: "kept", id, ...historyOf(card, there, options) };
  }
  let only: string | undefined;
  for (const id of inventory.withFront(deck, front, undefined, isMade)) {
    if (only !== undefined) return { kind: "several", id: undefined };
    only = id;
  }
  const there = only === undefined ? undefined : inventory.find(only);
  if (there === undefined) return undefined;
  if (finished.hash(there.id) !== there.hash)
    return { kind: "alike", id: there.id, state: stateThere(hashes, there.parts) };
  return { kind: "changed", id: there.id, ...historyOf(card, there, options) };
}
