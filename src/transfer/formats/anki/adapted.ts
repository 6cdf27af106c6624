import type { Adapted } from "../../export/losses.ts";

/** What Anki has no place for. */
export const adaptedToAnki = {
  trash: { what: "cards in the trash", how: 'Anki has none: they are suspended, with the tag "trashed"' },
  references: { what: "cards with references to others", how: "Anki has none: they are text" },
  filled: {
    what: "cards of templates with deletions of their own",
    how: "Anki has deletions only in notes: the templates are filled in",
  },
} as const satisfies Record<string, Adapted>;

/** What Anki has a place for, but not where it imports notes as text. */
export const adaptedToAnkiText = {
  archived: { what: "archived cards", how: "a text suspends none: they are active" },
  history: { what: "cards with reviews", how: "a text has no schedule: they are new" },
  tags: { what: "cards with blanks in tags", how: "they are written as _" },
  sides: {
    what: "cards with more than two sides",
    how: "a text has no note types: Anki takes all sides only where one with as many fields is chosen",
  },
  reverse: {
    what: "cards that are asked in reverse, too",
    how: "a text has no note types: without one that asks in both directions Anki asks only their first side",
  },
  turned: {
    what: "cards that do not ask for their first field",
    how: "a text has no templates: without their note types the first field is the question",
  },
} as const satisfies Record<string, Adapted>;
