import { LEECH_LAPSES, lapsesOfReviews } from "../schedule/lapses.ts";
import type { Card } from "../schema/index.ts";
import { fold, foldWithPlaces, isUnspaced } from "./fold.ts";
import type { Query, Term } from "./query.ts";

/** What decides whether a card matches, besides the card. */
interface MatchWorld {
  /** The ids of the decks that a `deck:` names, those under it included. */
  decks(deck: string): ReadonlySet<string>;
  /** Whether a card has an attachment. */
  hasAttachment(card: Card): boolean;
  /** Whether a card is asked today. */
  isDue(card: Card): boolean;
  /** Whether a card is in the trash, itself or with its deck. */
  inTrash(card: Card): boolean;
  /** The number of the user's day that an instant (epoch milliseconds) belongs to. */
  dayOf(instant: number): number;
}

/** Whether a card matches the query. */
export function matcher(query: Query, world: MatchWorld): (card: Card) => boolean {
  // Text is compared last: it takes most time.
  const ordered = [...query].sort((a, b) => Number(a.kind === "text") - Number(b.kind === "text"));
  return (card) => {
    let folded: string | undefined;
    const text = () => {
      folded ??= fold(textOf(card));
      return folded;
    };
    return ordered.every((term) => holds(term, card, text, world) !== term.not);
  };
}

function holds(term: Term, card: Card, text: () => string, world: MatchWorld): boolean {
  switch (term.kind) {
    case "text":
      return find(text(), term.text, term.phrase) !== undefined;
    case "tag":
      return (card.tags ?? []).some((tag) => isTag(fold(tag), term.tag));
    case "deck":
      return world.decks(term.deck).has(card["deck-id"] ?? "");
    case "is":
      if (term.state === "archived") return card["archived?"] === true;
      if (term.state === "trashed") return world.inTrash(card);
      if (term.state === "due") return world.isDue(card);
      if (term.state === "leech") return lapsesOfReviews(card.reviews ?? [], world.dayOf) >= LEECH_LAPSES;
      return card["new?"] ?? (card.reviews ?? []).length === 0;
    case "has":
      return world.hasAttachment(card);
    case "created":
      return isBetween(card["created-at"], term);
    case "due":
      return isBetween(world.inTrash(card) ? undefined : dueOf(card), term);
    case "any":
      return term.of.some((each) => holds(each, card, text, world) !== each.not);
  }
}

const isBetween = (
  at: string | null | undefined,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
): boolean => !!at && (from === undefined || at >= from) && (to === undefined || at < to);

/** When the last review said that the card is due again; undefined for a new card, and one that is archived. */
function dueOf(card: Card): string | undefined {
  if (card["archived?"] === true) return undefined;
  let last:
    | { readonly date?: string | null | undefined; readonly due?: string | null | undefined }
    | undefined;
  for (const review of card.reviews ?? [])
    if (!last || (review.date ?? "") > (last.date ?? "")) last = review;
  return last?.due ?? undefined;
}

/** All text of a card: its content, the values of its fields, its name. */
export function textOf(card: Pick<Card, "content" | "fields" | "name">): string {
  const fields = Object.values(card.fields ?? {}).map((field) => field?.value ?? "");
  const name = card.name && !card.content?.includes(card.name) ? [card.name] : [];
  return [card.content ?? "", ...fields, ...name].join("\n");
}

/** The tag itself, one below it (`europe` and `europe/north`, `europe::north`), or with a star what begins so. */
function isTag(tag: string, wanted: string): boolean {
  if (wanted.endsWith("*")) return tag.startsWith(wanted.slice(0, -1));
  return tag === wanted || tag.startsWith(`${wanted}/`) || tag.startsWith(`${wanted}::`);
}

const isLetter = (text: string, at: number) => at >= 0 && /[\p{L}\p{N}\p{M}]/u.test(text.charAt(at));

/**
 * Where a word or phrase stands in a text, both folded: at the beginning of a word; a phrase also ends at the end of one.
 * In scripts without spaces anywhere. Spaces of a phrase stand for any.
 */
function find(text: string, wanted: string, phrase: boolean, from = 0): [number, number] | undefined {
  if (/\s/.test(wanted)) return findSpaced(text, wanted, from);
  const anywhere = isUnspaced(wanted);
  for (let at = text.indexOf(wanted, from); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (anywhere) return [at, end];
    if (isLetter(wanted, 0) && isLetter(text, at - 1)) continue;
    if (phrase && isLetter(text, end) && isLetter(wanted, wanted.length - 1)) continue;
    return [at, end];
  }
  return undefined;
}

function findSpaced(text: string, wanted: string, from: number): [number, number] | undefined {
  const words = wanted.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const pattern = new RegExp(words.join("\\s+"), "gu");
  pattern.lastIndex = from;
  const anywhere = isUnspaced(wanted);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [begin, end] = [match.index, match.index + match[0].length];
    if (anywhere || (!isLetter(text, begin - 1) && !isLetter(text, end))) return [begin, end];
    // In the middle of a pair of surrogates the search would step back and find the same again.
    pattern.lastIndex = begin + String.fromCodePoint(text.codePointAt(begin) ?? 0).length;
  }
  return undefined;
}

/** The words and phrases that a card is to have. */
const wordsOf = (query: Query): readonly Extract<Term, { kind: "text" }>[] =>
  query.flatMap((term) => {
    if (term.not) return [];
    if (term.kind === "any") return wordsOf(term.of);
    return term.kind === "text" ? [term] : [];
  });

/** The words and phrases of a search that a text does not have. */
export function wordsNotIn(text: string, query: Query): Query {
  const folded = fold(text);
  return wordsOf(query).filter((term) => find(folded, term.text, term.phrase) === undefined);
}

/** Where in a text, as it is, the words of a search stand: from where to where, in order, none in another. */
export function highlights(text: string, query: Query): [number, number][] {
  const folded = foldWithPlaces(text);
  const found: [number, number][] = [];
  for (const term of wordsOf(query)) {
    for (let from = 0; found.length < 1000; ) {
      const hit = find(folded.text, term.text, term.phrase, from);
      if (hit === undefined) break;
      const [begin, end] = hit;
      from = end;
      const last = folded.places[end] ?? text.length;
      found.push([folded.places[begin] ?? 0, last]);
    }
  }
  found.sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [begin, end] of found) {
    const before = merged.at(-1);
    if (before !== undefined && begin <= before[1]) before[1] = Math.max(before[1], end);
    else if (end > begin) merged.push([begin, end]);
  }
  return merged;
}
