import type { Context } from "../../context/context.ts";
import { type DeckLine, isOrphaned, isTrashed, pathOf } from "../../decks/lines.ts";
import type { Document } from "../../output/index.ts";
import { type Listing, stateOf } from "../../schema/resources.ts";

/** A list as it is printed in this place: what its columns are, and how its documents get them. */
interface Shown {
  readonly listing: Listing;
  complete<T extends Document>(page: readonly T[]): Promise<readonly (T | Document)[]>;
}

/** Whether a column that may cost requests is printed: in a table of the default columns, or if --columns names it. */
export function isShown(name: string, { options: { columns }, print }: Context): boolean {
  return columns === undefined ? print.table : columns.split(",").some((column) => column.trim() === name);
}

/**
 * On a terminal people see the path of a deck instead of its id. Everywhere else only `--columns deck` asks for it:
 * paths may cost requests (docs/design/cli.md, Output).
 *
 * @param options.id the field that holds the deck's id
 * @param options.instead the columns that the path takes the place of in a table
 */
export function withDeckPaths(
  listing: Listing,
  { id, instead }: { readonly id: string; readonly instead: readonly string[] },
  context: Context,
): Shown {
  if (!isShown("deck", context)) return { listing, complete: async (page) => page };
  const inTable = context.options.columns === undefined;
  const [first, ...others] = instead;
  const shown = listing.columns.filter((column) => !others.includes(column));
  return {
    listing: inTable
      ? { ...listing, columns: shown.map((column) => (column === first ? "deck" : column)) }
      : listing,
    async complete(page) {
      // Completion loads commands, and what they import with them; it needs no names of decks.
      const { deckPlace } = await import("../../context/names.ts");
      const decks = new Map<unknown, Document>();
      for (const document of page) {
        const deckId = document[id];
        if (typeof deckId === "string" && !decks.has(deckId))
          decks.set(deckId, deckColumns(deckId, await deckPlace(deckId, context), context.print.table));
      }
      return page.map((document) => {
        const { deck = null, state } = decks.get(document[id]) ?? {};
        return { ...document, deck, ...(state && stateOf(document) !== "trashed" ? { state } : {}) };
      });
    },
  };
}

/** What a table says of a deck besides its path; data formats have the id and the state of the card alone. */
function deckColumns(id: string, place: DeckLine | "deleted" | "unknown", table: boolean): Document {
  if (typeof place === "object") {
    const state = isTrashed(place) ? "in trash" : isOrphaned(place) ? "orphaned" : undefined;
    return { deck: pathOf(place), ...(table && state ? { state } : {}) };
  }
  return table && place === "deleted" ? { deck: "(deleted)", state: "orphaned" } : { deck: id };
}

/** How much of a text is put into a column that is cut to the terminal. */
const longestName = 200;

/** Cards as a table shows them: one without a name, as of a template, has its text there, as in a search. */
export async function withNames<T extends Document>(
  cards: readonly T[],
  context: Context,
): Promise<readonly (T | Document)[]> {
  if (!context.print.table || cards.every(({ name }) => name)) return cards;
  const { lineOf } = await import("../cards/excerpt.ts");
  return cards.map((card) =>
    card["name"] ? card : { ...card, name: lineOf(card).slice(0, longestName) || null },
  );
}

/** Adds the paths of decks to documents of cards or decks where `--columns deck` asks for them. */
export async function withAskedPaths<T extends Document>(
  listing: Listing,
  documents: readonly T[],
  context: Context,
): Promise<readonly (T | Document)[]> {
  if (context.options.columns === undefined) return documents;
  const id = listing.name === "decks" ? "id" : "deck-id";
  return withDeckPaths(listing, { id, instead: [] }, context).complete(documents);
}
