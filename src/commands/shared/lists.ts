import type { FollowedPage } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { type DeckLine, idsUnder, isOrphaned, isTrashed, pathOf } from "../../decks/lines.ts";
import type { DecksOptions } from "../../decks/names.ts";
import type { KnownDeck } from "../../decks/snapshot.ts";
import type { Document } from "../../output/index.ts";
import { visible } from "../../output/sanitize.ts";
import type { Card } from "../../schema/card.ts";
import { type Listing, listings, stateOf } from "../../schema/resources.ts";

interface PageSettings {
  /** How many documents in all; undefined for all. */
  readonly limit: number | undefined;
  /** What to do besides continuing with the bookmark. */
  readonly advice?: string;
  /** Adds columns to the documents of a page. */
  complete?(page: readonly Document[]): Promise<readonly Document[]>;
}

/**
 * Prints pages as they come. If a limit ended the list and the service has more, a line on stderr says so, with the
 * bookmark to continue with; no request is made only to find out (docs/design/cli.md, Lists of cards).
 */
export async function printPages<T extends Document>(
  pages: AsyncIterable<FollowedPage<T>>,
  listing: Listing,
  { limit, advice = "", complete = async (page) => page }: PageSettings,
  context: Context,
): Promise<void> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  let rest: string | null | undefined;
  let cut: FollowedPage<T>["cut"];
  async function* documents() {
    for await (const page of pages) {
      left -= page.docs.length;
      rest = left <= 0 ? page.bookmark : undefined;
      cut = page.cut;
      yield await complete(page.docs);
    }
  }
  const count = await context.print.list(listing, documents());
  sayCount(count, listing.name, context);
  if (cut) context.io.note(`There may be more ${listing.name}: --limit ${limit} left them out`);
  if (rest) context.io.note(`There may be more ${listing.name}: continue with --bookmark ${rest}${advice}`);
}

/** Says on a terminal how many documents a table has: without rows it prints nothing. */
export function sayCount(count: number, name: string, context: Context): void {
  if (count === 0) sayNone(`No ${name} found`, context);
  else if (context.print.table) context.io.say(`${count} ${count === 1 ? singular(name) : name}`);
}

/** One of `cards`, `items in the trash`. */
const singular = (name: string) => name.replace(/s\b/, "");

export function sayNone(sentence: string, context: Context): void {
  if (context.print.table) context.io.say(sentence);
}

/** Whether a column that may cost requests is printed: in a table of the default columns, or if --columns names it. */
export function isShown(name: string, { options: { columns }, print }: Context): boolean {
  return columns === undefined ? print.table : columns.split(",").some((column) => column.trim() === name);
}

/**
 * On a terminal people see the path of a deck instead of its id. Everywhere else only `--columns deck` asks for it:
 * paths may cost requests (docs/design/cli.md, Output).
 *
 * @returns the columns of the list in this place, and how its documents get them
 * @param options.id the field that holds the deck's id
 * @param options.instead the columns that the path takes the place of in a table
 */
export function withDeckPaths(
  listing: Listing,
  { id, instead }: { readonly id: string; readonly instead: readonly string[] },
  context: Context,
) {
  const none = async <T extends Document>(page: readonly T[]): Promise<readonly (T | Document)[]> => page;
  if (!isShown("deck", context)) return { listing, complete: none };
  const inTable = context.options.columns === undefined;
  const [first, ...others] = instead;
  const shown = listing.columns.filter((column) => !others.includes(column));
  return {
    listing: inTable
      ? { ...listing, columns: shown.map((column) => (column === first ? "deck" : column)) }
      : listing,
    async complete<T extends Document>(page: readonly T[]): Promise<readonly (T | Document)[]> {
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

const tableColumns = ["id", "deck-id", "front", "due", "tags", "state"];

/** The columns of a list of cards in this place, and how its documents get them. */
export function cardColumns(context: Context) {
  const columns = context.print.table ? tableColumns : listings.cards.columns;
  const { listing, complete } = withDeckPaths(
    { ...listings.cards, columns },
    { id: "deck-id", instead: ["deck-id"] },
    context,
  );
  return {
    listing,
    complete: async (page: readonly Document[]) => withNames(await complete(page), context),
  };
}

/** How much of a text is put into a column that is cut to the terminal. */
const longestName = 200;

/** Cards as a table shows them: one without a name, as of a template, has its text there. */
export async function withNames<T extends Document>(
  cards: readonly T[],
  context: Context,
): Promise<readonly (T | Document)[]> {
  if (!context.print.table || cards.every(({ name }) => name)) return cards;
  const { textOf } = await import("../../search/match.ts");
  const lineOf = (card: Document) =>
    visible(textOf(card as Card))
      .split(/\s*\n\s*/)
      .filter((line) => line !== "" && line !== "---")
      .join(" · ")
      .slice(0, longestName);
  return cards.map((card) => (card["name"] ? card : { ...card, name: lineOf(card) || null }));
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

export async function whileCounting<T>(
  label: string,
  context: Context,
  work: (progress: (done: number, total?: number) => void) => Promise<T>,
  unit: "items" | "bytes" = "items",
): Promise<T> {
  const task = (await context.io.status()).begin({ label, unit });
  try {
    return await work((done, total) => task.set(done, total));
  } finally {
    task.end();
  }
}

/** Every deck with its place, read with progress. */
export async function allDecks(context: Context, options: DecksOptions = {}): Promise<readonly KnownDeck[]> {
  const names = await context.names();
  return whileCounting("Reading decks", context, (progress) => names.decks({ ...options, progress }));
}

export const decksUnder = async (id: string, context: Context, options?: DecksOptions) =>
  idsUnder([id], await allDecks(context, options));

/** The ids of the deck that is named, with those under it or alone; undefined where none is: all, and cards in no deck. */
export async function decksNamed(
  text: string | undefined,
  recursive: boolean,
  context: Context,
): Promise<ReadonlySet<string> | undefined> {
  if (text === undefined) return undefined;
  const { id } = await (await context.names()).deck(text);
  return recursive ? decksUnder(id, context) : new Set([id]);
}

/** All cards of decks, or of the collection, page by page, with progress. */
export async function* cardPages(
  context: Context,
  decks: Iterable<string | undefined> = [undefined],
): AsyncGenerator<readonly Card[], void> {
  const client = await context.client();
  const task = (await context.io.status()).begin({ label: "Reading cards", unit: "items" });
  try {
    for (const deckId of decks)
      for await (const { docs } of client.cards.pages({ deckId })) {
        context.signal.throwIfAborted();
        task.advance(docs.length);
        yield docs;
      }
  } finally {
    task.end();
  }
}
