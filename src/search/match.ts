import { LEECH_LAPSES, lapsesOfReviews } from "../schedule/lapses.ts";
import type { Card } from "../schema/index.ts";
import { fold } from "./fold.ts";
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
      return text().includes(term.part) && term.pattern.test(text());
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
