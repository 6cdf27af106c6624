import type { FollowedPage } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { orphanedIds } from "../../decks/lines.ts";
import { UsageError } from "../../errors.ts";
import { lapsesOfReviews } from "../../schedule/lapses.ts";
import type { Card, DueCard } from "../../schema/card.ts";
import { dueOf } from "../../schema/resources.ts";
import { oneOf } from "../shared/command.ts";
import { allDecks, decksUnder, whileCounting } from "../shared/lists.ts";
import { userDays } from "../shared/time.ts";
import { tagsFrom } from "./card-options.ts";

export const cardStates = ["active", "archived", "trashed", "orphaned", "all"] as const;
type CardState = (typeof cardStates)[number];
export const cardOrders = ["name", "created", "updated", "deck", "due", "lapses"] as const;
type CardOrder = (typeof cardOrders)[number];

interface Selection {
  readonly deck?: string;
  readonly deckId?: string;
  readonly recursive?: boolean;
  readonly tag?: readonly string[];
  readonly state?: CardState;
  readonly sort?: CardOrder;
  readonly reverse?: boolean;
  readonly limit?: number | undefined;
  readonly bookmark?: string;
}

type CardFilter = (cards: readonly Card[]) => readonly Card[] | Promise<readonly Card[]>;

type CardPages = AsyncIterable<FollowedPage<Card>>;

/** The cards of a selection, page by page; all at once if they have to be sorted. */
export async function selectCards(options: Selection, context: Context): Promise<CardPages> {
  refuseContradictions(options);
  const client = await context.client();
  const { limit, bookmark } = options;
  const decks = await decksOf(options, context);
  const matches = await filterOf(options, context);
  const isOrdered = options.sort !== undefined || options.reverse === true;
  if (matches === undefined && !isOrdered && decks.length === 1)
    return client.cards.pages({ deckId: decks[0], limit, bookmark });
  async function* pages(): CardPages {
    for (const deckId of decks)
      for await (const page of client.cards.pages({ deckId })) {
        context.signal.throwIfAborted();
        const docs = matches === undefined ? page.docs : await matches(page.docs);
        // A page that filled the limit is the last one asked for: whether others follow is known by its bookmark.
        yield { docs, bookmark: page.bookmark ?? (deckId === decks.at(-1) ? undefined : "") };
      }
  }
  return limited(isOrdered ? sorted(pages(), options, context) : pages(), limit);
}

function refuseContradictions(options: Selection): void {
  oneOf({ "--deck": options.deck, "--deck-id": options.deckId });
  const selective = options.tag ?? options.sort ?? options.reverse ?? options.state;
  if (options.bookmark !== undefined && selective !== undefined && selective !== "all")
    throw new UsageError("--bookmark continues a plain list: it excludes --tag, --state and --sort");
}

/** The decks to list, one after the other; one undefined for all cards. */
async function decksOf(options: Selection, context: Context): Promise<readonly (string | undefined)[]> {
  if (options.deck === undefined && options.deckId === undefined) return [undefined];
  const names = await context.names();
  const id = options.deckId ?? (await names.deck(options.deck ?? "")).id;
  // By its id it is meant alone, and so is what a bookmark continues.
  const alone = options.deckId !== undefined || options.bookmark !== undefined;
  return alone || options.recursive === false ? [id] : [...(await decksUnder(id, context))];
}

/** What a card has to be; undefined for anything. Cards with several tags given have all of them. */
async function filterOf(
  { tag, state = "all" }: Selection,
  context: Context,
): Promise<CardFilter | undefined> {
  const tags = tagsFrom(tag ?? []).map((each) => each.toLowerCase());
  const inState = await stateFilter(state, context);
  if (tags.length === 0) return inState;
  return (cards) => {
    const tagged = cards.filter((card) => {
      const own = new Set((card.tags ?? []).map((each) => each.toLowerCase()));
      return tags.every((each) => own.has(each));
    });
    return inState?.(tagged) ?? tagged;
  };
}

async function stateFilter(state: CardState, context: Context): Promise<CardFilter | undefined> {
  if (state === "all") return undefined;
  if (state !== "orphaned") return (cards) => cards.filter((card) => flagOf(card) === state);
  const decks = await allDecks(context);
  const ids = new Set(decks.map(({ id }) => id));
  const below = orphanedIds(decks);
  const isLost = (id: string) => !ids.has(id) || below.has(id);
  return (cards) => cards.filter((card) => flagOf(card) !== "trashed" && isLost(card["deck-id"] ?? ""));
}

/** By the card alone: what a pipe deletes was put in the trash itself. */
function flagOf(card: Card): CardState {
  if (card["trashed?"] != null) return "trashed";
  return card["archived?"] ? "archived" : "active";
}

async function* sorted(pages: CardPages, options: Selection, context: Context): CardPages {
  const cards: Card[] = [];
  await whileCounting("Reading cards", context, async (progress) => {
    for await (const page of pages) {
      for (const card of page.docs) cards.push(card);
      progress(cards.length, 0);
    }
  });
  yield { docs: await inOrder(cards, options, context), bookmark: undefined };
}

/** Orders that begin with the highest: the newest, and what is forgotten most. */
const highestFirst: ReadonlySet<CardOrder> = new Set(["created", "updated", "lapses"]);

/** Cards in an order: the newest first for dates; new cards last by `due`. Ties keep the order of the service. */
export async function inOrder<T extends DueCard | Card>(
  cards: readonly T[],
  { sort, reverse = false }: Pick<Selection, "sort" | "reverse">,
  context: Context,
): Promise<readonly T[]> {
  if (sort === undefined) return reverse ? cards.toReversed() : cards;
  const paths = sort === "deck" ? await pathsOf(cards, context) : new Map<string, string>();
  const { dayOf } = userDays(context);
  const keyOf: Readonly<Record<CardOrder, (card: T) => string>> = {
    name: (card) => card.name ?? "",
    created: (card) => card["created-at"] ?? "",
    updated: (card) => ("updated-at" in card ? (card["updated-at"] ?? "") : ""),
    deck: (card) => paths.get(card["deck-id"] ?? "") ?? "",
    due: (card) => dueOf(card) || "~",
    lapses: (card) => String(lapsesOfReviews(card.reviews ?? [], dayOf)),
  };
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const keyed = cards.map((card) => ({ card, key: keyOf[sort](card) }));
  const way = highestFirst.has(sort) === reverse ? 1 : -1;
  const order = sort === "due" ? (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0) : compare;
  return keyed.sort((a, b) => way * order(a.key, b.key)).map(({ card }) => card);
}

/** The paths of the cards' decks; the id of one that is not there. */
async function pathsOf(cards: readonly Pick<Card, "deck-id">[], context: Context) {
  const names = await context.names();
  const paths = new Map<string, string>();
  for (const { "deck-id": id } of cards)
    if (id && !paths.has(id)) paths.set(id, (await names.path(id)) ?? id);
  return paths;
}

/** The first cards of pages. A page is `cut` where cards may have been left out. */
async function* limited(pages: CardPages, limit: number | undefined): CardPages {
  let left = limit ?? Number.POSITIVE_INFINITY;
  for await (const { docs, bookmark } of pages) {
    const kept = docs.slice(0, left);
    left -= kept.length;
    const cut = kept.length < docs.length || (left <= 0 && bookmark != null);
    if (kept.length > 0) yield { docs: kept, bookmark: undefined, cut };
    if (left <= 0) return;
  }
}
