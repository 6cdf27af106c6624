import type { Context } from "../../context/context.ts";
import { emptyHistory, type LogHistory } from "../../review/session/history.ts";
import type { ReviewBody } from "../../review/session/log.ts";
import { buildQueue, fromService, type Queue } from "../../review/session/queue.ts";
import type { Resumed } from "../../review/session/state.ts";
import type { Card, DueCard } from "../../schema/index.ts";
import { tagsFrom } from "../cards/card-options.ts";
import { openingLine, type SessionOptions } from "./day.ts";
import { planHere, queueSettings } from "./plan-here.ts";
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
    if (options.date === undefined && !isFiltered(options) && (await service.has("today")))
      return await queueOfService(history, options, context);
    const filter = isFiltered(options)
      ? (decks: readonly string[]) => foundCards(options, decks, context)
      : undefined;
    const planned = await planHere(history, options, context, filter);
    return { ...planned, opening: Promise.resolve(openingLine(planned.plan)) };
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
    const settled: string[] = [];
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
      settled.push(...(part.settled ?? []));
    }
    return { cards: found, logged, resumed, settled, isAll: isAll || room <= 0 };
  };
  // What was forgotten comes first, and how far each got is needed when the session begins.
  const { isAll, ...first } = await read((cards) => cards.length > 0 && !isAgain(cards.at(-1)));
  const opening = todayFigures(options, context).then(openingLine, () => undefined);
  return isAll ? { ...first, opening } : { ...first, opening, rest: () => read(() => false) };
}

const isAgain = (card: DueCard | undefined): boolean =>
  card !== undefined && "asked" in card && card.asked === "again";

/** Whether only some of what is due is asked. */
export const isFiltered = ({ tag = [], search }: SessionOptions): boolean =>
  tag.length > 0 || search !== undefined;

/** The ids of the cards that `--tag` and `--search` leave. What is due does not carry tags. */
async function foundCards(
  { tag = [], search }: SessionOptions,
  decks: readonly string[],
  context: Context,
): Promise<ReadonlySet<string>> {
  const { findCards } = await import("../cards/search.ts");
  const terms = tagsFrom(tag).map((name) => `tag:"${name.replaceAll('"', "")}"`);
  return findCards([...terms, ...(search === undefined ? [] : [search])].join(" "), decks, context);
}
