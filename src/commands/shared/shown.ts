import type { Context } from "../../context/context.ts";
import type { Document } from "../../output/index.ts";
import type { Listing } from "../../schema/resources.ts";

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
      const { deckLabel } = await import("../../context/names.ts");
      const paths = new Map<string, string>();
      for (const document of page) {
        const deckId = document[id];
        if (typeof deckId === "string" && !paths.has(deckId))
          paths.set(deckId, await deckLabel(deckId, context));
      }
      return page.map((document) => ({ ...document, deck: paths.get(String(document[id] ?? "")) ?? null }));
    },
  };
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
