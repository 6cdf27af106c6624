import { UsageError } from "../../errors.ts";
import type { Skipped, Source, SourceDeck } from "../model.ts";
import { mayRefer } from "./references.ts";

/** What an import will do. */
export interface ImportPlan {
  readonly decks: number;
  readonly templates: number;
  readonly cards: number;
  readonly attachments: number;
  /** Bytes, as far as they are known. */
  readonly attachmentBytes: number;
  readonly reviews: number;
  /** Cards that go to the deck that the user names. */
  readonly withoutDeck: number;
  /** Whether cards refer to other cards: then their new ids have to be known. */
  readonly references: boolean;
  readonly skipped: readonly SkippedGroup[];
}

/** What is left out for one reason. */
export interface SkippedGroup {
  readonly what: string;
  readonly why: string;
  readonly count: number;
  /** The first places. */
  readonly places: readonly string[];
}

const placesShown = 3;

/**
 * Reads the whole source once, so that broken input is told before anything is made.
 *
 * @throws UsageError for input that can't be read to its end
 */
export async function planImport(
  source: Source,
  progress: (cards: number) => void = () => {},
): Promise<ImportPlan> {
  const groups = new SkippedGroups();
  let [cards, attachments, attachmentBytes, reviews, withoutDeck] = [0, 0, 0, 0, 0];
  let references = false;
  for await (const card of source.cards(groups.add)) {
    cards++;
    if (card.deck === undefined) withoutDeck++;
    reviews += card.reviews?.length ?? 0;
    for (const file of card.attachments ?? []) {
      attachments++;
      attachmentBytes += file.size ?? 0;
    }
    references ||= card.key !== undefined && mayRefer(card.body.content);
    if (!references && card.key !== undefined)
      for (const { value } of Object.values(card.body.fields ?? {})) references ||= mayRefer(value);
    if (cards % 100 === 0) progress(cards);
  }
  return {
    decks: source.decks.length,
    templates: source.templates.length,
    cards,
    attachments,
    attachmentBytes,
    reviews,
    withoutDeck,
    references,
    skipped: groups.list,
  };
}

/** Gives the id of the deck of that name below that parent, if there is one. */
export type ExistingDeck = (name: string, parent: string | undefined) => string | undefined;

/**
 * The decks of a source that have to be made: not those that are there and are used.
 *
 * @param deck the one for decks that have none above them
 */
export function decksToMake(source: Source, deck: string | undefined, existing: ExistingDeck): SourceDeck[] {
  const there = new Map<string, string>();
  return source.decks.filter(({ key, parent, body, reuse }) => {
    const above = parent === undefined ? deck : there.get(parent);
    const isBelowNew = parent !== undefined && above === undefined;
    const id = reuse && !isBelowNew ? existing(body.name, above) : undefined;
    if (id !== undefined) there.set(key, id);
    return id === undefined;
  });
}

class SkippedGroups {
  readonly #groups = new Map<string, { what: string; why: string; count: number; places: string[] }>();

  readonly add = ({ what, why, place, count = 1 }: Skipped): void => {
    const key = `${what}\n${why}`;
    const known = this.#groups.get(key);
    if (known === undefined) this.#groups.set(key, { what, why, count, places: [place] });
    else {
      known.count += count;
      if (known.places.length < placesShown) known.places.push(place);
    }
  };

  get list(): readonly SkippedGroup[] {
    return [...this.#groups.values()];
  }
}

/** @throws UsageError if cards need a deck and none is named */
export function assertDeck(plan: ImportPlan, deck: string | undefined): void {
  if (plan.withoutDeck > 0 && deck === undefined)
    throw new UsageError(
      plan.withoutDeck === plan.cards
        ? "which deck do the cards go to? Name it with --deck"
        : `${plan.withoutDeck} of ${plan.cards} cards are in no deck of their own: name one with --deck`,
    );
}
