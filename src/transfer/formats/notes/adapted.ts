import type { Adapted } from "../../export/losses.ts";

const archived = "archived cards";
const history = "cards with reviews";
const beside = {
  what: "cards with deletions beside another side",
  how: "[...] is in the place of the deletions, and the whole text is part of the answer",
} as const;
const filled = { what: "cards of templates", how: "the layouts are filled in" } as const;

/** What the plugin Spaced Repetition of Obsidian has no place for. */
export const adaptedToObsidian = {
  archived: { what: archived, how: "Obsidian has no archive: they are active" },
  history: { what: history, how: "only the day on which they are due and its interval are written" },
  filled,
  beside,
  tags: {
    what: "cards with tags that Obsidian refuses",
    how: ":: is written as /, blanks and other characters as -",
  },
  decks: {
    what: "names of decks that Obsidian refuses as tags",
    how: "blanks and other characters are written as -",
  },
  deletions: {
    what: "cards with deletions that Obsidian has no form for",
    how: "one inside another, of several lines, or with == or ;; is written as a plain one",
  },
  colons: {
    what: "cards with :: beside deletions",
    how: "it would separate two sides, and is written as :\\:",
  },
} as const satisfies Record<string, Adapted>;

export const adaptedToHashcards = {
  archived: { what: archived, how: "hashcards has no archive: they are active" },
  history: { what: history, how: "hashcards keeps its own: they are new" },
  filled,
  beside,
  tags: { what: "cards with tags", how: "hashcards has no tags: they are left out" },
  reverse: { what: "cards that are asked in reverse, too", how: "hashcards asks only their first side" },
  sides: { what: "cards with more than two sides", how: "the second and those after it are the answer" },
  lines: {
    what: "cards with lines that hashcards would read as its own",
    how: "an invisible character is written before Q:, A:, C: and ---",
  },
} as const satisfies Record<string, Adapted>;

/** The sides of a card on their way into a form of notes. */
export interface NoteSides {
  readonly sides: readonly string[];
  /** Whether they are those of a template. */
  readonly filled: boolean;
  /** Whether deletions were taken out of the first. */
  readonly beside: boolean;
}

/** A card in a form of notes; without a text where the form has none for it. */
export interface WrittenNote {
  readonly text: string | undefined;
  readonly adapted: readonly Adapted[];
}
