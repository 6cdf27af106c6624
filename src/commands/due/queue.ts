import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import type { LogHistory } from "../../review/session/history.ts";
import { buildQueue, type Queue, type QueueSettings, unfinishedToday } from "../../review/session/queue.ts";
import type { Card, DueCard } from "../../schema/index.ts";
import { tagsFrom } from "../cards/card-options.ts";
import { schedulerFor, sessionDays } from "./days.ts";
import { type DueScope, dueScope, readPages } from "./due-cards.ts";
import type { SessionOptions } from "./review-options.ts";

/**
 * The cards of a session and their order.
 *
 * @param practised the cards to practise with; without them what is due is fetched
 */
export async function createQueue(
  practised: readonly Card[] | undefined,
  history: LogHistory,
  options: SessionOptions,
  context: Context,
): Promise<Queue> {
  const settings = await queueSettings(practised !== undefined, history, options, context);
  if (practised !== undefined) return wholeQueue(practised, undefined, settings, options, context);
  const task = (await context.io.status()).begin({ label: "Fetching what is due" });
  try {
    const scope = await dueScope(options.deck, options.recursive, options.timestamp, context);
    if (options.order === "due" && !isFiltered(options)) return await firstQueue(scope, settings);
    const cards: DueCard[] = [];
    await readPages(scope.pages, cards);
    return await wholeQueue(cards, scope.decks, settings, options, context);
  } finally {
    task.end();
  }
}

/** What a review without options asks of all these due cards. */
export async function queueOfAll(
  due: readonly DueCard[],
  decks: DueScope["decks"],
  history: LogHistory,
  context: Context,
): Promise<Queue> {
  const options = { deck: undefined, recursive: true, order: "due", timestamp: undefined } as const;
  return wholeQueue(due, decks, await queueSettings(false, history, options, context), options, context);
}

/** Where the order is the service's, the session begins with its first pages, and reads the others meanwhile. */
async function firstQueue({ pages, decks }: DueScope, base: QueueSettings): Promise<Queue> {
  const settings = { ...base, inSession: inDecks(decks) };
  const cards: DueCard[] = [];
  for (let count = 1; ; count *= 2) {
    const isAll = await readPages(pages, cards, count);
    const queue = buildQueue(cards, settings);
    if (isAll || (queue.full && queue.cards.length > 0)) return queue;
    const rest = async () => {
      await readPages(pages, cards);
      return buildQueue(cards, settings);
    };
    if (queue.cards.length > 0) return { ...queue, rest };
  }
}

async function wholeQueue(
  cards: readonly DueCard[],
  decks: DueScope["decks"],
  settings: QueueSettings,
  options: SessionOptions,
  context: Context,
): Promise<Queue> {
  const isInDecks = inDecks(decks);
  const unfinished = [...unfinishedToday(settings).values()].map(({ deckId }) => deckId);
  const deckIds = new Set([
    ...cards.map((card) => card["deck-id"] ?? ""),
    ...unfinished.filter((deckId) => isInDecks({ deckId })),
  ]);
  const found = isFiltered(options) ? await foundCards(options, deckIds, context) : undefined;
  return buildQueue(found === undefined ? cards : cards.filter(({ id }) => found.has(id)), {
    ...settings,
    inSession: (card) => isInDecks(card) && (found?.has(card.id) ?? true),
  });
}

const inDecks =
  (decks: DueScope["decks"]) =>
  ({ deckId }: { readonly deckId: string }): boolean =>
    decks?.has(deckId) ?? true;

async function queueSettings(
  practice: boolean,
  history: LogHistory,
  options: SessionOptions,
  context: Context,
): Promise<QueueSettings> {
  const now = context.clock.now();
  const scheduler = await schedulerFor(context);
  const settings = context.settings();
  const places = options.order === "deck" ? await deckPlaces(context) : new Map<string, number>();
  return {
    history,
    schedule: (past) => scheduler.due(past),
    recall(past) {
      const last = scheduler.replay(past).at(-1);
      return last === undefined ? 1 : scheduler.recallAt(last, now);
    },
    now,
    ...sessionDays(options.date, context),
    order: options.order,
    limit: options.limit,
    newPerDay: options.new ?? (practice ? "all" : settings["review.new-per-day"].value),
    maxPerDay: practice ? undefined : settings["review.max-per-day"].value,
    inSession: () => true,
    deckOrder: (id) => places.get(id) ?? Number.MAX_SAFE_INTEGER,
    random: context.clock.random,
  };
}

/** Whether only some of what is due is asked. */
export const isFiltered = ({ tag = [], search }: SessionOptions): boolean =>
  tag.length > 0 || search !== undefined;

/** The ids of the cards that `--tag` and `--search` leave. What is due does not carry tags. */
async function foundCards(
  { tag = [], search }: SessionOptions,
  decks: ReadonlySet<string>,
  context: Context,
): Promise<ReadonlySet<string>> {
  const { findCards } = await import("../cards/search.ts");
  const ids = [...decks].filter((id) => id !== "");
  return findCards(
    [...tagsFrom(tag).map(tagTerm), ...(search === undefined ? [] : [search])].join(" "),
    ids,
    context,
  );
}

const tagTerm = (name: string) => `tag:"${name.replaceAll('"', "")}"`;

/** @throws DeckhandError not-found for a `--tag` that no card has: it is mistyped, rather than not due */
export async function refuseUnknownTags({ tag = [] }: SessionOptions, context: Context): Promise<void> {
  const { findCards } = await import("../cards/search.ts");
  for (const name of tagsFrom(tag))
    if ((await findCards(tagTerm(name), undefined, context)).size === 0)
      throw new DeckhandError("not-found", `no card has the tag ${JSON.stringify(name)}`, {
        hint: "`deckhand tags list` lists them.",
      });
}

async function deckPlaces(context: Context): Promise<Map<string, number>> {
  const { decksInOrder } = await import("../../output/tree.ts");
  const decks = decksInOrder(await (await context.names()).decks());
  return new Map(decks.map(({ id }, index) => [id, index]));
}
