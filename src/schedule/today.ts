import type { NewCards, Order } from "../schema/today.ts";

/**
 * What is asked today, in which order, and how many of each deck (docs/design/review.md, "Today is one thing"). The
 * service, the review of a hosted account, `due`, the lists and the screens all ask this function. Pure, loads nothing.
 */

/** A card that is due on the day, in the order of the service: reviews by due date, then new cards deck by deck. */
export interface TodayCard {
  readonly id: string;
  readonly deck: string;
  readonly new: boolean;
}

/** A deck, in the order in which decks are shown. */
export interface TodayDeck {
  readonly id: string;
  readonly parent?: string | undefined;
  /** Its own limits, which hold for the decks under it, too. */
  readonly newPerDay?: number | undefined;
  readonly maxPerDay?: number | undefined;
}

/** What was done today already. */
export interface DoneToday {
  readonly deck: string;
  /** Cards that were reviewed, and cards that were new before. */
  readonly reviews: number;
  readonly new: number;
}

export interface TodayInput<C extends TodayCard = TodayCard> {
  readonly cards: readonly C[];
  readonly decks: readonly TodayDeck[];
  readonly done: readonly DoneToday[];
  /** Cards that were forgotten today and are asked again, the earliest first. They are not among `cards`. */
  readonly again: readonly { readonly id: string; readonly deck: string }[];
  /** Cards that are not to be asked today. */
  readonly putOff: ReadonlySet<string>;
  readonly newPerDay: number | "all";
  /** Whether new cards are begun although more reviews are due than the day holds. */
  readonly newInBacklog?: boolean;
  readonly maxPerDay?: number | undefined;
  readonly newCards: NewCards;
  /** The default follows from the backlog if absent. */
  readonly order?: Order | undefined;
  /** The mean number of reviews on the last fourteen days with reviews; 0 if there were none. */
  readonly meanPerDay: number;
  /** The chance to recall a card now, 0 to 1. Only the orders by it ask for it. */
  recall(card: C): number;
  /** Orders the cards of the order `random`: one number a card, the same all day. */
  random(id: string): number;
}

export type TodayKind = "again" | "review" | "new";

export interface Asked {
  readonly id: string;
  readonly deck: string;
  readonly kind: TodayKind;
}

interface DeckToday {
  reviews: number;
  new: number;
  forgotten: number;
}

export interface Today {
  /** In the order in which they are asked. */
  readonly queue: readonly Asked[];
  readonly order: Order;
  /** Whether more reviews are due than the day holds; then no new cards are begun. */
  readonly backlog: boolean;
  /** Reviews that are left for later days. */
  readonly left: number;
  /** New cards that are not begun today, whatever the reason. */
  readonly held: number;
  /** What the queue has of each deck itself; decks without any are left out. */
  readonly decks: ReadonlyMap<string, DeckToday>;
}

/** Without a limit and without a history a day holds so many reviews. */
const leastCapacity = 50;

/** The day of an account. A deck's own day is the part of the queue that belongs to it and the decks under it. */
export function planToday<C extends TodayCard>(input: TodayInput<C>): Today {
  const limits = new Limits(input);
  const open = input.cards.filter(({ id }) => !input.putOff.has(id));
  const reviews = open.filter((card) => !card.new);
  for (const { deck } of reviews) limits.count(deck);
  const backlog = limits.backlogOf("");
  const order = input.order ?? (limits.anyBacklog ? "easiest" : "due");
  const inOrder = sorted(reviews, order, input);
  const taken = inOrder.filter(({ deck }) => limits.take(deck));
  const fresh = open.filter((card) => card.new);
  const begun = roundRobin(sorted(fresh, order === "random" ? order : "due", input), (deck) =>
    limits.takeNew(deck, input.newInBacklog ?? false),
  );
  const again = input.again.filter(({ id }) => !input.putOff.has(id));
  const queue: Asked[] = [
    ...again.map(({ id, deck }) => ({ id, deck, kind: "again" as const })),
    ...placed(taken, begun, input.newCards).map(({ id, deck, new: isNew }) => ({
      id,
      deck,
      kind: isNew ? ("new" as const) : ("review" as const),
    })),
  ];
  const left = reviews.length - taken.length;
  return { queue, order, backlog, left, held: fresh.length - begun.length, decks: figuresOf(queue) };
}

/** Seconds an answer, where there are no answers to take them from. */
export const usualAnswer = 8;

/** What decks have together, and how long it takes. @param seconds for each answer */
export function summed(decks: Iterable<DeckToday>, seconds = usualAnswer) {
  const sum = { reviews: 0, new: 0, forgotten: 0 };
  for (const { reviews, new: fresh, forgotten } of decks) {
    sum.reviews += reviews;
    sum.new += fresh;
    sum.forgotten += forgotten;
  }
  const count = sum.reviews + sum.new + sum.forgotten;
  return { ...sum, count, seconds: Math.round(count * seconds) };
}

/** The numbers of a queue, or of a part of it, by deck. */
export function figuresOf(queue: readonly Asked[]): Map<string, DeckToday> {
  const decks = new Map<string, DeckToday>();
  for (const { deck, kind } of queue) {
    const figures = decks.get(deck) ?? { reviews: 0, new: 0, forgotten: 0 };
    decks.set(deck, figures);
    figures[kind === "new" ? "new" : kind === "again" ? "forgotten" : "reviews"]++;
  }
  return decks;
}

interface Limit {
  reviewsDue: number;
  reviewsDone: number;
  /** Cards that may still be asked, and new cards of them. */
  room: number;
  newRoom: number;
  readonly capacity: number | undefined;
}

/** The limits of the account (its key is "") and of the decks; each holds for all that is under it. */
class Limits {
  readonly #limits = new Map<string, Limit>();
  /** The limits that hold for a deck, its own first and the account's last. */
  readonly #chains = new Map<string, readonly Limit[]>();
  readonly #parents: ReadonlyMap<string, string | undefined>;

  constructor({
    decks,
    done,
    newPerDay,
    maxPerDay,
    meanPerDay,
  }: Pick<TodayInput, "decks" | "done" | "newPerDay" | "maxPerDay" | "meanPerDay">) {
    this.#parents = new Map(decks.map(({ id, parent }) => [id, parent]));
    const implied = Math.max(leastCapacity, Math.ceil(2 * meanPerDay));
    this.#set("", newPerDay === "all" ? undefined : newPerDay, maxPerDay, maxPerDay ?? implied);
    for (const { id, newPerDay: ownNew, maxPerDay: ownMax } of decks)
      if (ownNew !== undefined || ownMax !== undefined) this.#set(id, ownNew, ownMax, ownMax);
    for (const { deck, reviews, new: begun } of done)
      for (const limit of this.#chain(deck)) {
        limit.reviewsDone += reviews;
        limit.room -= reviews + begun;
        limit.newRoom -= begun;
      }
  }

  count(deck: string): void {
    for (const limit of this.#chain(deck)) limit.reviewsDue++;
  }

  /** Whether more reviews are due, those done today counted, than a limit holds for a day, and some are still open. */
  backlogOf(id: string): boolean {
    const limit = this.#limits.get(id);
    return limit !== undefined && isBacklog(limit);
  }

  get anyBacklog(): boolean {
    return [...this.#limits.values()].some(isBacklog);
  }

  take(deck: string): boolean {
    const chain = this.#chain(deck);
    if (chain.some(({ room }) => room <= 0)) return false;
    for (const limit of chain) limit.room--;
    return true;
  }

  takeNew(deck: string, inBacklog: boolean): boolean {
    const chain = this.#chain(deck);
    if (chain.some((limit) => limit.newRoom <= 0 || (!inBacklog && isBacklog(limit)))) return false;
    if (!this.take(deck)) return false;
    for (const limit of chain) limit.newRoom--;
    return true;
  }

  #set(
    id: string,
    newPerDay: number | undefined,
    maxPerDay: number | undefined,
    capacity: number | undefined,
  ) {
    this.#limits.set(id, {
      reviewsDue: 0,
      reviewsDone: 0,
      room: maxPerDay ?? Number.POSITIVE_INFINITY,
      newRoom: newPerDay ?? Number.POSITIVE_INFINITY,
      capacity,
    });
  }

  #chain(deck: string): readonly Limit[] {
    const known = this.#chains.get(deck);
    if (known !== undefined) return known;
    const chain: Limit[] = [];
    const seen = new Set<string>();
    for (let id: string | undefined = deck; id !== undefined && !seen.has(id); id = this.#parents.get(id)) {
      seen.add(id);
      const limit = this.#limits.get(id);
      if (limit !== undefined) chain.push(limit);
    }
    const account = this.#limits.get("");
    if (account !== undefined) chain.push(account);
    this.#chains.set(deck, chain);
    return chain;
  }
}

const isBacklog = ({ reviewsDue, reviewsDone, capacity }: Limit): boolean =>
  capacity !== undefined && reviewsDue > 0 && reviewsDue + reviewsDone > capacity;

/** Stable: cards that are equal in an order stay as the service has them. */
function sorted<C extends TodayCard>(
  cards: readonly C[],
  order: Order,
  { decks, recall, random }: Pick<TodayInput<C>, "decks" | "recall" | "random">,
): readonly C[] {
  if (order === "due") return cards;
  const places = new Map(decks.map(({ id }, index) => [id, index]));
  const keys: Readonly<Record<Exclude<Order, "due">, (card: C) => number>> = {
    easiest: (card) => -recall(card),
    hardest: recall,
    deck: ({ deck }) => places.get(deck) ?? decks.length,
    random: ({ id }) => random(id),
  };
  const keyed = cards.map((card) => ({ card, key: keys[order](card) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ card }) => card);
}

/** The decks in turn, each in its order, while `take` lets a deck have one more. */
function roundRobin(cards: readonly TodayCard[], take: (deck: string) => boolean): TodayCard[] {
  const queues = new Map<string, TodayCard[]>();
  for (const card of cards) {
    const queue = queues.get(card.deck);
    if (queue === undefined) queues.set(card.deck, [card]);
    else queue.push(card);
  }
  const taken: TodayCard[] = [];
  for (let round = 0; queues.size > 0; round++)
    for (const [deck, queue] of queues) {
      const card = queue[round];
      if (card === undefined || !take(deck)) queues.delete(deck);
      else taken.push(card);
    }
  return taken;
}

/** `mixed` puts a new card after every so many reviews. */
function placed(
  reviews: readonly TodayCard[],
  begun: readonly TodayCard[],
  place: NewCards,
): readonly TodayCard[] {
  if (place === "first") return [...begun, ...reviews];
  if (place === "last") return [...reviews, ...begun];
  const mixed: TodayCard[] = [];
  let next = 0;
  for (const [index, card] of begun.entries()) {
    const until = Math.floor(((index + 1) * reviews.length) / (begun.length + 1));
    while (next < until) mixed.push(reviews[next++] as TodayCard);
    mixed.push(card);
  }
  return [...mixed, ...reviews.slice(next)];
}
