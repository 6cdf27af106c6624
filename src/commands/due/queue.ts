import type { Context } from "../../context/context.ts";
import type { LogHistory } from "../../review/session/history.ts";
import { buildQueue, type Queue, unfinishedToday } from "../../review/session/queue.ts";
import type { Card } from "../../schema/index.ts";
import { schedulerFor, sessionDays } from "./days.ts";
import { type DueScope, dueCards } from "./due-cards.ts";
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
  const { cards, decks }: DueScope =
    practised === undefined ? await whileFetching(options, context) : { cards: practised, decks: undefined };
  const now = context.clock.now();
  const { startOfToday, endOfDay } = sessionDays(options.date, context);
  const unfinished = unfinishedToday({ history, startOfToday, now });
  const deckIds = new Set([
    ...cards.map((card) => card["deck-id"] ?? ""),
    ...unfinishedDecks(unfinished, decks),
  ]);
  const found = await foundCards(options, deckIds, context);
  const places = options.order === "deck" ? await deckPlaces(context) : new Map<string, number>();
  const scheduler = await schedulerFor(context);
  const settings = context.settings();
  return buildQueue(found === undefined ? cards : cards.filter(({ id }) => found.has(id)), {
    history,
    schedule: (past) => scheduler.due(past),
    recall(past) {
      const last = scheduler.replay(past).at(-1);
      return last === undefined ? 1 : scheduler.recallAt(last, now);
    },
    now,
    startOfToday,
    endOfDay,
    order: options.order,
    limit: options.limit,
    newPerDay: options.new ?? (practised === undefined ? settings["review.new-per-day"].value : "all"),
    maxPerDay: practised === undefined ? settings["review.max-per-day"].value : undefined,
    inSession: ({ id, deckId }) => (decks?.has(deckId) ?? true) && (found?.has(id) ?? true),
    deckOrder: (id) => places.get(id) ?? Number.MAX_SAFE_INTEGER,
    random: context.clock.random,
  });
}

function unfinishedDecks(
  unfinished: ReturnType<typeof unfinishedToday>,
  decks: ReadonlySet<string> | undefined,
): string[] {
  const ids = [...unfinished.values()].map(({ deckId }) => deckId);
  return decks === undefined ? ids : ids.filter((id) => decks.has(id));
}

async function whileFetching(options: SessionOptions, context: Context): Promise<DueScope> {
  const task = (await context.io.status()).begin({ label: "Fetching what is due" });
  try {
    return await dueCards(options.deck, options.recursive, options.timestamp, context);
  } finally {
    task.end();
  }
}

/** The ids of the cards that `--tag` and `--search` leave; undefined without either. What is due does not carry tags. */
async function foundCards(
  { tag = [], search }: SessionOptions,
  decks: ReadonlySet<string>,
  context: Context,
): Promise<ReadonlySet<string> | undefined> {
  if (tag.length === 0 && search === undefined) return undefined;
  const { findCards } = await import("../cards/search.ts");
  const terms = tag.map((name) => `tag:"${name.replace(/^#/, "").replaceAll('"', "")}"`);
  const ids = [...decks].filter((id) => id !== "");
  return findCards([...terms, ...(search === undefined ? [] : [search])].join(" "), ids, context);
}

async function deckPlaces(context: Context): Promise<Map<string, number>> {
  const { decksInOrder } = await import("../../output/tree.ts");
  const decks = decksInOrder(await (await context.names()).decks());
  return new Map(decks.map(({ id }, index) => [id, index]));
}
