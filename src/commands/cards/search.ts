import type { Context } from "../../context/context.ts";
import { type OffsetAt, parseDate, parseWhen, startOf } from "../../dates.ts";
import type { Card } from "../../schema/card.ts";
import { conditionsOf, parseQuery, type Query, type Span } from "../../search/query.ts";
import { command, declare, wholeNumber } from "../shared/command.ts";
import { cardColumns, cardPages, decksUnder, sayCount } from "../shared/lists.ts";
import { type InTrash, trashOf } from "../shared/names.ts";
import { dayOffset, userDays } from "../shared/time.ts";

const declared = () =>
  declare(`Search all cards: words, "phrases", #tag, -not, OR, tag:, deck:, is:new|due|archived|trashed|leech, has:attachment, created:, due:.

All terms must match; of two terms with OR between them one must. A term after - must not match. To search for the words
"or" and "and" themselves, quote them. A word also finds longer words that begin with it; a phrase is found whole. Cards
in the trash, also with their deck, are found only by a search with is:trashed. A leech is a card that was forgotten on
eight days after it had been remembered.

  deckhand cards search capital deck:Geography
  deckhand cards search 'capital -tag:europe'
  deckhand cards search '"capital of norway"' --count
  deckhand cards search 'capital OR flag' is:due 'due:<3d'
  deckhand cards search 'created:>2026-01-01' -o id | deckhand cards archive -`)
    .argument("<query...>", "what to look for; quote a word that begins with #, and put -- before a dash")
    .option("-l, --limit <n>", "stop after this many cards", wholeNumber(1))
    .option("--count", "print only the number of cards");

export const searchCommand = command(declared, async (words, options, context) => {
  // A word that the shell gave as one with spaces in it was quoted by the user.
  const query = await queryOf(words.length === 1 ? (words[0] ?? "") : words.map(requoted).join(" "), context);
  const found = matches(query, options.limit ?? Number.POSITIVE_INFINITY, context);
  if (options.count) {
    let count = 0;
    for await (const page of found) count += page.length;
    return context.print.value(count);
  }
  const { listing, complete } = cardColumns(context);
  async function* pages() {
    for await (const page of found) yield await complete(page);
  }
  sayCount(await context.print.list(listing, pages()), listing.name, context);
});

/** The cards that a search finds, page by page; all that are not in the trash for "". */
export async function* searched(text: string, context: Context): AsyncGenerator<readonly Card[]> {
  const query = text.trim() === "" ? [] : await queryOf(text, context);
  yield* matches(query, Number.POSITIVE_INFINITY, context);
}

/** The ids of all cards that a search finds. @param decks the decks to search; undefined for all */
export async function findCards(
  search: string,
  decks: readonly string[] | undefined,
  context: Context,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const query = await queryOf(search, context);
  for await (const page of matches(query, Number.POSITIVE_INFINITY, context, decks))
    for (const { id } of page) ids.add(id);
  return ids;
}

export async function queryOf(text: string, context: Context): Promise<Query> {
  return parseQuery(text, { span: (date) => spanOf(date, context.clock.now(), dayOffset(context)) });
}

/** A word with spaces in it is a phrase; one that has terms of the language in it is a search of its own. */
function requoted(word: string): string {
  if (!/\s/.test(word)) return word;
  if (/"|\s(?:[Oo][Rr]|AND)\s|\s-|\s(?:tag|deck|is|has|created|due):/.test(word)) return word;
  return word.replace(/^(-?(?:\w+:)?)(.*)$/s, '$1"$2"');
}

/** The instants of a day of the user, or the one instant that is named. */
function spanOf(text: string, now: number, offset: OffsetAt): Span | undefined {
  const iso = (instant: number) => new Date(instant).toISOString();
  const day = parseDate(text, now, offset);
  if (day === undefined) {
    const when = parseWhen(text, now, offset);
    if (when === undefined || when.date !== undefined) return undefined;
    return { from: iso(when.instant), to: iso(when.instant + 1) };
  }
  const start = (date: number) => startOf(date, offset) ?? date;
  return { from: iso(start(day)), to: iso(start(day + 86_400_000)) };
}

/** The cards that match, page by page, as they are found. */
async function* matches(
  query: Query,
  limit: number,
  context: Context,
  decksToRead?: readonly string[],
): AsyncGenerator<readonly Card[]> {
  const decks = await decksOf(query, context);
  const select = await selection(query, context, { decks, looks: decksToRead === undefined });
  const only = query.find((term) => term.kind === "deck" && !term.not);
  const lists = decksToRead ?? (only?.kind === "deck" ? [...(decks.get(only.deck) ?? [])] : [undefined]);
  let left = limit;
  for await (const page of cardPages(context, lists)) {
    const found = (await select(page)).slice(0, left);
    left -= found.length;
    if (found.length > 0) yield found;
    if (left <= 0) return;
  }
}

/** Finds the cards that match among those it is given. */
export type Select = (cards: readonly Card[]) => Promise<readonly Card[]>;

/**
 * What a query finds, wherever the cards come from.
 *
 * @param looks whether the decks of cards are looked up: what is due is not in the trash with its deck
 */
export async function selection(
  query: Query,
  context: Context,
  {
    decks,
    looks = true,
  }: { readonly decks?: Awaited<ReturnType<typeof decksOf>>; readonly looks?: boolean } = {},
): Promise<Select> {
  const { matcher } = await import("../../search/match.ts");
  const named = decks ?? (await decksOf(query, context));
  const trash = trashOf(context);
  const isTrashed = (card: Card) => card["trashed?"] != null;
  let inTrash: InTrash = isTrashed;
  const asked = matcher(query, {
    inTrash: (card) => inTrash(card),
    decks: (deck) => named.get(deck) ?? new Set(),
    hasAttachment: await attachmentsOf(query, context),
    isDue: await dueToday(query, context),
    dayOf: userDays(context).dayOf,
  });
  const namesTrash = conditionsOf(query).some((term) => term.kind === "is" && term.state === "trashed");
  return async (cards) => {
    if (namesTrash && looks) inTrash = await trash(cards);
    const found = cards.filter((card) => (namesTrash || !isTrashed(card)) && asked(card));
    if (namesTrash || !looks || found.length === 0) return found;
    const isIn = await trash(found);
    return found.filter((card) => !isIn(card));
  };
}

/** The decks that each `deck:` names, with those under them. */
async function decksOf(query: Query, context: Context): Promise<Map<string, ReadonlySet<string>>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const term of conditionsOf(query)) {
    if (term.kind !== "deck" || found.has(term.deck)) continue;
    const names = await context.names();
    const { id } = await names.deck(term.deck);
    found.set(term.deck, await decksUnder(id, context));
  }
  return found;
}

/** What a review asks today. */
async function dueToday(query: Query, context: Context): Promise<(card: Card) => boolean> {
  if (!conditionsOf(query).some((term) => term.kind === "is" && term.state === "due")) return () => false;
  const { cardsOfToday } = await import("../due/today.ts");
  const ids = new Set<string>();
  for await (const cards of cardsOfToday(context)) for (const { id } of cards) ids.add(id);
  return ({ id }) => ids.has(id);
}

/** By the service's list of attachments where it has one, else by the links in the text. */
async function attachmentsOf(query: Query, context: Context): Promise<(card: Card) => boolean> {
  if (!conditionsOf(query).some(({ kind }) => kind === "has")) return () => false;
  if (await (await context.client()).service.has("attachment-list")) {
    const cards = new Set<string>();
    for await (const page of (await context.client()).attachments.all())
      for (const file of page) cards.add(file["card-id"]);
    return ({ id }) => cards.has(id);
  }
  const { textOf } = await import("../../search/match.ts");
  return (card) => textOf(card).includes("@media/");
}
