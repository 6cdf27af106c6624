import type { Days } from "../../schedule/days.ts";
import { hashOf } from "../../schedule/easy-days.ts";
import { streakOf } from "../../schedule/streak.ts";
import { type Asked, planToday, summed, type TodayCard } from "../../schedule/today.ts";
import type { Order, TodayQuery } from "../../schema/index.ts";
import { learningBy } from "../learning.ts";
import { listing, reading, type Service, writing } from "../route.ts";
import { accountSchedule } from "../store/accounts.ts";
import { scopeOf } from "../store/decks.ts";
import type { Db, Place } from "../store/tables.ts";
import {
  cardsNamed,
  countDue,
  countReady,
  type DeckOfDay,
  type DueRow,
  daysBefore,
  decksOfDay,
  dueBefore,
  loadsBetween,
  markCard,
  marksOfDay,
  newCardsOfDecks,
  reviewedSince,
  reviewTimes,
} from "../store/today.ts";
import { cardKey } from "./cards.ts";
import { schedulerOf } from "./schedule.ts";
import { listReply } from "./slices.ts";

/** How far back the usual day is looked for, and how many days with reviews make it. */
const daysLookedAt = 60;
const daysOfMean = 14;
/** Decks that one query may name. */
const mostInQuery = 500;
/** How many days an overview looks ahead. */
const daysAhead = 14;

const get = reading<"today.get">(async ({ account, query }, db, service) => {
  const day = await dayOf(db, account, query, service);
  const { plan, isInScope, done, seconds, putOff, tomorrow, held } = day;
  const decks = [...plan.decks].flatMap(([id, figures]) => (isInScope(id) ? [{ id, ...figures }] : []));
  const doneHere = done.filter(({ deck }) => isInScope(deck));
  return {
    document: {
      today: summed(decks, seconds),
      decks,
      done: {
        reviews: doneHere.filter((each) => !each.new).length,
        new: doneHere.filter((each) => each.new).length,
      },
      tomorrow: putOff + (await tomorrow()),
      "put-off": putOff,
      order: plan.order,
      backlog: plan.backlog,
      left: plan.left,
      held,
      ...(query.overview === "yes" ? await overviewOf(db, account, service) : {}),
    },
  };
});

/** Days in a row with a review: looked for in the last weeks, then further back as long as there is no end. */
async function streak(db: Db, account: string, days: Days, today: number): Promise<number> {
  const reviewed = new Set<number>();
  let until = days.endOf(today);
  for (let back = daysLookedAt; ; back *= 2) {
    const since = days.startOf(today - back);
    for (const time of await reviewTimes(db, account, since, until)) reviewed.add(days.dayOf(time));
    const { current } = streakOf(reviewed, today);
    if (current < back) return current;
    until = since - 1;
  }
}

/** The cards of each deck, what is due on the days to come, and the streak. */
async function overviewOf(db: Db, account: string, service: Service) {
  const days = await service.daysOf(db, account);
  const today = days.dayOf(service.now());
  const ahead = new Array<number>(daysAhead).fill(0);
  const loads = await loadsBetween(db, account, days.endOf(today), days.endOf(today + daysAhead));
  for (const { due, count } of loads) {
    const day = days.dayOf(due) - today - 1;
    ahead[day] = (ahead[day] ?? 0) + count;
  }
  const cards = [...(await countReady(db, account))].map(([id, count]) => ({ id, cards: count }));
  return { cards, ahead, streak: await streak(db, account, days, today) };
}

const cards = listing<"today.cards">(
  ({ query: { limit: _, bookmark: __, ...rest } }) => `today ${JSON.stringify(rest)}`,
  async ({ account, query }, page, service) => {
    const queue = await askedToday(account, query, service);
    const kinds = new Map(queue.map(({ id, kind }) => [id, kind]));
    const places = new Map(queue.map(({ id }, index) => [id, index]));
    const slice = async (db: Db, after: Place | undefined, count: number) => {
      // Where the last card was answered meanwhile the list begins again: the client knows the ones that it has.
      const from = after === undefined ? 0 : (places.get(String(after[0])) ?? -1) + 1;
      const ids = queue.slice(from, from + count).map(({ id }) => id);
      return (await cardsNamed(db, account, ids)).map((card) => ({ ...card, place: [card.id] }));
    };
    const withKind = ({ id, document }: { id: string; document: string }) => ({
      json: `{"asked":"${kinds.get(id)}",${document.slice(1)}`,
    });
    const limit = query.limit ?? 100;
    return listReply("docs", { service, table: "card", account, page, limit, slice }, withKind);
  },
);

const put = writing<"today.put", { readonly id: string }>({
  find: ({ account, params }, db) => cardKey(db, account, params["card-id"]),
  async handle({ account, body }, db, { id }, service) {
    if (Object.keys(body).length === 0) return undefined;
    const now = service.now();
    const day = (await service.daysOf(db, account)).dayOf(now);
    await markCard(db, account, { cardId: id, day, now }, { putOff: body["put-off"], again: body.again });
    return undefined;
  },
});

/** The cards that are asked today, in their order. */
export async function askedToday(
  account: string,
  query: Partial<TodayQuery>,
  service: Service,
): Promise<readonly Asked[]> {
  const { plan, isInScope } = await service.store.read((db) => dayOf(db, account, query, service));
  return plan.queue.filter(({ deck }) => isInScope(deck));
}

export const todayRoutes = { get, cards, put };

/** Everything that is known of an account's day. A part of it (`deck-id`) is the part of the one queue. */
async function dayOf(db: Db, account: string, query: Partial<TodayQuery>, service: Service) {
  const now = service.now();
  const days = await service.daysOf(db, account);
  const day = days.dayOf(now);
  const [start, end] = [days.startOf(day), days.endOf(day)];
  const set = await accountSchedule(db, account);
  const learning = learningBy(set, service.learning);
  const [decks, marks, done, history] = [
    await decksOfDay(db, account),
    await marksOfDay(db, account, day),
    await reviewedSince(db, account, start),
    await daysBefore(db, account, start, daysLookedAt),
  ];
  const newPerDay = query["new-per-day"] ?? learning["new-per-day"];
  const begun = done.filter((each) => each.new).length;
  const counts = await countReady(db, account, "new");
  const again = marks.filter((mark) => mark.again).map(({ cardId, deck }) => ({ id: cardId, deck }));
  const isAgain = new Set(again.map(({ id }) => id));
  const due = (await dueBefore(db, account, end)).filter(({ id }) => !isAgain.has(id));
  const scheduler = await schedulerOf(db, account, undefined, service, set);
  const room = Math.max(0, newPerDay - begun);
  const fresh = await newCardsOfDecks(db, account, room, decksThatBegin(decks, counts, room, query));
  const putOff = new Set(marks.filter((mark) => mark.putOff).map(({ cardId }) => cardId));
  const plan = planToday<TodayCard & Pick<Partial<DueRow>, "memory">>({
    cards: [...due, ...fresh.map((card) => ({ ...card, new: true }))],
    decks: decks.map(({ id, parent, settings }) => ({
      id,
      parent,
      newPerDay: settings["new-per-day"] ?? undefined,
      maxPerDay: settings["max-per-day"] ?? undefined,
    })),
    done: done.map(({ deck, new: isNew }) => ({ deck, reviews: isNew ? 0 : 1, new: isNew ? 1 : 0 })),
    again,
    putOff,
    newPerDay,
    newInBacklog: query["new-in-backlog"] === "yes",
    maxPerDay: query["max-per-day"] ?? learning["max-per-day"],
    newCards: query["new-cards"] ?? learning["new-cards"],
    order: query.order as Order | undefined,
    meanPerDay: mean(history.answers.slice(0, daysOfMean)),
    recall: ({ memory }) => (memory ? scheduler.recallAt(memory, now) : 1),
    random: (id) => hashOf(`${day} ${id}`),
  });
  const live = new Set(decks.filter((deck) => deck.live).map(({ id }) => id));
  const all = [...counts].reduce((sum, [deck, count]) => sum + (live.has(deck) ? count : 0), 0);
  const started = plan.queue.filter(({ kind }) => kind === "new").length;
  const scope = await scopeOf(db, account, query["deck-id"]);
  return {
    plan,
    done,
    seconds: history.seconds,
    /** New cards that are not begun today. */
    held: all - started,
    isInScope: (deck: string) => scope?.has(deck) ?? true,
    /** Reviews that are due and put off until tomorrow. */
    putOff: due.filter(({ id }) => putOff.has(id)).length,
    tomorrow: () => countDue(db, account, end, days.endOf(day + 1)),
  };
}

/**
 * The decks whose new cards may be begun, where that is known before: they take turns, so that no more decks have a turn
 * than there is room for cards. Undefined where limits of their own or chance decide.
 */
function decksThatBegin(
  decks: readonly DeckOfDay[],
  counts: ReadonlyMap<string, number>,
  room: number,
  { order }: Partial<TodayQuery>,
): readonly string[] | undefined {
  const isLimited = ({ settings }: DeckOfDay) =>
    settings["new-per-day"] != null || settings["max-per-day"] != null;
  if (order === "random" || decks.some(isLimited)) return undefined;
  const some = decks.filter(({ id, live }) => live && counts.has(id)).slice(0, room);
  return some.length > mostInQuery ? undefined : some.map(({ id }) => id);
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
