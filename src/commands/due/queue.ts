import type { Context } from "../../context/context.ts";
import { emptyHistory, type LogHistory } from "../../review/session/history.ts";
import type { ReviewBody } from "../../review/session/log.ts";
import { buildQueue, fromService, type Planned, type Queue } from "../../review/session/queue.ts";
import type { Resumed } from "../../review/session/state.ts";
import type { Card, DueCard } from "../../schema/index.ts";
import { tagsFrom } from "../cards/card-options.ts";
import { dueCards } from "./due-cards.ts";
import { figuresOfPlan, openingLine } from "./figures.ts";
import { inDecks, planHere, queueSettings } from "./plan-here.ts";
import type { SessionOptions } from "./review-options.ts";
import { todayFigures, todayQuery } from "./today.ts";

/**
 * The cards of a session and their order.
 *
 * @param practised the cards to practise with; without them those that are asked today
 */
export async function createQueue(
  practised: readonly Card[] | undefined,
  history: LogHistory,
  options: SessionOptions,
  context: Context,
): Promise<Queue> {
  if (practised !== undefined) {
    const all = {
      ...options,
      new: options.new ?? ("all" as const),
      order: options.order ?? ("due" as const),
    };
    const settings = await queueSettings(emptyHistory, all, context);
    return buildQueue(practised, { ...settings, maxPerDay: undefined, random: context.clock.random });
  }
  const task = (await context.io.status()).begin({ label: "Fetching what is due" });
  try {
    const { service } = await context.client();
    const plain = options.date === undefined && !isFiltered(options);
    if (plain && (await service.has("today"))) return await queueOfService(history, options, context);
    const planned = plain
      ? await planHere(history, options, context)
      : await filteredQueue(history, options, context);
    return { ...planned, opening: Promise.resolve(openingLine(figuresOfPlan(planned, 0))) };
  } finally {
    task.end();
  }
}

/** The queue of the service: the first cards, and the others while the first one is shown. */
async function queueOfService(
  history: LogHistory,
  options: SessionOptions,
  context: Context,
): Promise<Queue> {
  const client = await context.client();
  const query = await todayQuery(options, context);
  const settings = await queueSettings(history, options, context);
  const pages = client.today.cards(query);
  const { limit = Number.POSITIVE_INFINITY, recursive } = options;
  let room = limit;
  const read = async (isEnough: (cards: readonly DueCard[]) => boolean) => {
    const found: DueCard[] = [];
    const logged = new Map<string, readonly ReviewBody[]>();
    const resumed: Record<string, Resumed> = {};
    let isAll = false;
    while (!isAll && room > 0 && !isEnough(found)) {
      const { value: page } = await pages.next();
      isAll = page?.bookmark == null;
      const here = (page?.docs ?? []).filter((card) => recursive || card["deck-id"] === query["deck-id"]);
      const part = fromService(here as readonly DueCard[], settings);
      found.push(...part.cards.slice(0, room));
      room -= part.cards.length;
      for (const [id, reviews] of part.logged) logged.set(id, reviews);
      Object.assign(resumed, part.resumed);
      for (const id of part.settled) await client.today.put(id, { again: false }).send();
    }
    return { cards: found, logged, resumed, isAll: isAll || room <= 0 };
  };
  // What was forgotten comes first, and how far each got is needed when the session begins.
  const { isAll, ...first } = await read((cards) => cards.length > 0 && !isAgain(cards.at(-1)));
  const opening = todayFigures(options, context).then(openingLine, () => undefined);
  return isAll ? { ...first, opening } : { ...first, opening, rest: () => read(() => false) };
}

const isAgain = (card: DueCard | undefined): boolean =>
  card !== undefined && "asked" in card && card.asked === "again";

/** What `--tag`, `--search` and `--date` leave of what is due; the limits of the day hold for these. */
async function filteredQueue(
  history: LogHistory,
  options: SessionOptions,
  context: Context,
): Promise<Planned> {
  const { due, decks } = await dueCards(options.deck, options.recursive, options.timestamp, context);
  const settings = await queueSettings(history, options, context);
  const isInDecks = inDecks(decks);
  const deckIds = new Set(due.map((card) => card["deck-id"] ?? ""));
  const begun = buildQueue([], { ...settings, inSession: isInDecks }).cards;
  for (const card of begun) deckIds.add(card["deck-id"] ?? "");
  const found = isFiltered(options) ? await foundCards(options, deckIds, context) : undefined;
  return buildQueue(found === undefined ? due : due.filter(({ id }) => found.has(id)), {
    ...settings,
    inSession: (card) => isInDecks(card) && (found?.has(card.id) ?? true),
  });
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
    [
      ...tagsFrom(tag).map((name) => `tag:"${name.replaceAll('"', "")}"`),
      ...(search === undefined ? [] : [search]),
    ].join(" "),
    ids,
    context,
  );
}
