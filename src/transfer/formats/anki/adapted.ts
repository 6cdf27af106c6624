import type { Adapted } from "../../losses.ts";

/** What Anki has no place for. */
export const adaptedToAnki = {
  trash: { what: "cards in the trash", how: 'Anki has none: they are suspended, with the tag "trashed"' },
  references: { what: "cards with references to others", how: "Anki has none: they are text" },
  filled: {
    what: "cards of templates with deletions of their own",
    how: "Anki has deletions only in notes: the templates are filled in",
  },
} as const satisfies Record<string, Adapted>;
