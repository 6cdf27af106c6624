import { emptySide } from "../../cards/index.ts";
import { madeUpCount } from "../history.ts";
import type { Skipped, Source, SourceCard } from "../model.ts";
import { isTelling } from "./known.ts";
import { sourceHash } from "./parts.ts";
import { refers } from "./references.ts";
import type { ScratchMap } from "./scratch.ts";

/** What an import will do. */
export interface ImportPlan {
  readonly decks: number;
  readonly templates: number;
  readonly cards: number;
  readonly attachments: number;
  /** Bytes, as far as they are known. */
  readonly attachmentBytes: number;
  /** Those that are another file in the account, by their size. */
  readonly otherAttachments: number;
  readonly reviews: number;
  /** How many of the reviews are made up for due dates. */
  readonly dueDates: number;
  /** Cards that go to the deck that the user names. */
  readonly withoutDeck: number;
  /** Whether cards have ids by which the account may have them. */
  readonly keyed: boolean;
  /** Whether cards refer to other cards: then their new ids have to be known. */
  readonly references: boolean;
  readonly skipped: readonly SkippedGroup[];
  /** Cards that may be mistakes, which are imported all the same: with an empty front or back, or equal to another. */
  readonly warnings: readonly PlacesGroup[];
  /** The first card that is to be created, as it is read. */
  readonly sample?: SourceCard | undefined;
}

/** Where in the source something is. */
export interface PlacesGroup {
  readonly what: string;
  readonly count: number;
  /** The first places. */
  readonly places: readonly string[];
  /** How many further places there are. */
  readonly more: number;
}

/** What is left out for one reason. */
export interface SkippedGroup extends PlacesGroup {
  readonly why: string;
}

const placesShown = 3;

interface PlanOptions {
  progress?(cards: number): void;
  /** Holds what the cards say, by which equal ones are noticed; without it they are not. */
  readonly seen?: Pick<ScratchMap<true>, "add">;
  /** Whether the service records reviews; asked where the source has some. */
  recordsReviews?(): Promise<boolean>;
}

const unrecorded = { what: "review histories", why: "the service has no way to record them" };

/**
 * Reads the whole source once, so that broken input is reported before anything is created.
 *
 * @throws UsageError for input that can't be read to its end
 */
export async function planImport(
  source: Source,
  { progress = () => {}, seen, recordsReviews = async () => true }: PlanOptions = {},
): Promise<ImportPlan> {
  const groups = new SkippedGroups();
  const warnings = new SkippedGroups();
  let [cards, attachments, attachmentBytes, reviews, dueDates, withoutDeck] = [0, 0, 0, 0, 0, 0];
  let [references, keyed] = [false, false];
  let sample: SourceCard | undefined;
  for await (const card of source.cards(groups.add)) {
    cards++;
    sample ??= card;
    const empty = emptySide(card.body.content);
    if (empty !== undefined)
      warnings.add({ what: `cards with an empty ${empty}`, why: "", place: card.place });
    if (seen !== undefined && isRepeated(card, seen))
      warnings.add({ what: "cards that are equal to one before them", why: "", place: card.place });
    if (card.deck === undefined) withoutDeck++;
    keyed ||= isTelling(card.key);
    const history = card.reviews ?? [];
    if (history.length > 0 && !(await recordsReviews())) groups.add({ ...unrecorded, place: card.place });
    else {
      reviews += history.length;
      dueDates += madeUpCount(history);
    }
    for (const file of card.attachments ?? []) {
      attachments++;
      attachmentBytes += file.size ?? 0;
    }
    references ||= card.key !== undefined && refers(card.body);
    if (cards % 100 === 0) progress(cards);
  }
  return {
    decks: source.decks.length,
    templates: source.templates.length,
    cards,
    attachments,
    attachmentBytes,
    otherAttachments: 0,
    reviews,
    dueDates,
    withoutDeck,
    keyed,
    references,
    skipped: groups.list,
    warnings: warnings.list,
    sample,
  };
}

/**
 * Whether an earlier card of the source says the same in the same deck, with the same files. Those with ids are meant to
 * be several.
 */
function isRepeated(card: SourceCard, seen: Pick<ScratchMap<true>, "add">): boolean {
  if (card.key !== undefined) return false;
  // Different files may have the same name and size, as the masks of a picture.
  const files = (card.attachments ?? []).map(({ place }) => place);
  return !seen.add(JSON.stringify([card.deck ?? "", sourceHash(card, true), files]), true);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

class SkippedGroups {
  readonly #groups = new Map<string, Mutable<SkippedGroup>>();

  readonly add = ({ what, why, place, count = 1 }: Skipped): void => {
    const key = `${what}\n${why}`;
    const known = this.#groups.get(key);
    if (known === undefined) this.#groups.set(key, { what, why, count, places: [place], more: 0 });
    else {
      known.count += count;
      if (known.places.length < placesShown) known.places = [...known.places, place];
      else known.more++;
    }
  };

  get list(): readonly SkippedGroup[] {
    return [...this.#groups.values()];
  }
}
