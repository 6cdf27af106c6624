import { setImmediate } from "node:timers/promises";
import { default_w } from "ts-fsrs";
import { chooseInterval, fuzzRange } from "../../schedule/choose-day.ts";
import type { Days } from "../../schedule/days.ts";
import { parseEasyDays } from "../../schedule/easy-days.ts";
import { type ScheduledReview, Scheduler } from "../../schedule/index.ts";
import { learningBy, retentionOfDeck } from "../learning.ts";
import { type Problems, reading, type Service, writing } from "../route.ts";
import { type AccountSchedule, accountSchedule, setAccountSchedule } from "../store/accounts.ts";
import { reviewedCardsAfter } from "../store/cards.ts";
import { scopeOf } from "../store/decks.ts";
import { updateRow } from "../store/documents.ts";
import { pastOf, putReviews, reviewsOf } from "../store/reviews.ts";
import type { CardRow, Db } from "../store/tables.ts";
import { knownCard, reviewedCard, rowOf } from "./card-documents.ts";

/** The scheduler of an account: its days, its own parameters where it has some, and the retention of a deck. */
export async function schedulerOf(
  db: Db,
  account: string,
  deckId: string | undefined,
  service: Service,
  set?: AccountSchedule,
): Promise<Scheduler> {
  const { retention, w } = await scheduleOf(db, account, service, set);
  const ofDeck = deckId === undefined ? undefined : await retentionOfDeck(db, account, deckId);
  return new Scheduler({
    days: await service.daysOf(db, account),
    retention: ofDeck ?? retention,
    parameters: w,
  });
}

const get = reading<"schedule.get">(async ({ account }, db, service) => ({
  document: await scheduleOf(db, account, service),
}));

const put = writing<"schedule.put", undefined>({
  find: async () => undefined,
  problems: async ({ body }) => parameterProblem(body.w),
  async handle({ account, body: { reschedule, preview, "deck-id": deckId, ...given } }, db, _, service) {
    const before = await accountSchedule(db, account);
    await setAccountSchedule(db, account, { ...before, ...given });
    const document = await scheduleOf(db, account, service);
    const moves = reschedule ? await moveDueDates(db, account, { deckId, preview }, service) : {};
    if (preview) await setAccountSchedule(db, account, before);
    return { document: { ...document, ...moves } };
  },
});

/** The parameters and the retention; how many cards a day, and on which, stays as it is set. */
const remove = writing<"schedule.delete", undefined>({
  find: async () => undefined,
  async handle({ account }, db) {
    const {
      retention: _retention,
      w: _w,
      "trained-at": _at,
      reviews: _reviews,
      "log-loss": _loss,
      ...kept
    } = await accountSchedule(db, account);
    await setAccountSchedule(db, account, kept);
    return undefined;
  },
});

export const scheduleRoutes = { get, put, delete: remove };

/** What counts for an account: what was set for it, else the defaults. */
async function scheduleOf(
  db: Db,
  account: string,
  { learning: { retention } }: Service,
  known?: AccountSchedule,
) {
  const set: AccountSchedule = known ?? (await accountSchedule(db, account));
  return { retention, w: [...default_w], "trained-at": null, ...set, version: 6 };
}

function parameterProblem(w: readonly number[] | undefined): Problems {
  if (w === undefined || (w.length === default_w.length && w.every(Number.isFinite))) return {};
  return { w: `must be ${default_w.length} numbers` };
}

/** Cards that are read at a time; between two reads other requests get their turn. */
const slice = 200;

interface Moves {
  readonly moved: number;
  readonly later: number;
  readonly days: number;
}

/** Computes the due date of every reviewed card again, or of those of a deck and the decks under it. */
async function moveDueDates(
  db: Db,
  account: string,
  { deckId, preview }: { readonly deckId: string | undefined; readonly preview: boolean | undefined },
  service: Service,
): Promise<Moves> {
  const scope = await scopeOf(db, account, deckId);
  const schedulers = new Map<string, Scheduler>();
  const moves = { moved: 0, later: 0, days: 0 };
  for (let after = ""; ; await setImmediate()) {
    const rows = await reviewedCardsAfter(db, account, after, slice);
    for (const row of rows) {
      if (scope?.has(row.deck_id) === false) continue;
      const scheduler = schedulers.get(row.deck_id) ?? (await schedulerOf(db, account, row.deck_id, service));
      schedulers.set(row.deck_id, scheduler);
      const days = await moveDueDate(db, row, scheduler, preview === true, service);
      if (days === 0) continue;
      moves.moved += 1;
      moves.later += days > 0 ? 1 : 0;
      moves.days += Math.abs(days);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < slice) return moves;
    after = last.id;
  }
}

/**
 * Only the last review decides when a card is due: the dates of earlier ones are history, and stay. So does a due date
 * that may have been chosen for the new interval, too.
 *
 * @returns by how many days it moved, or would
 */
async function moveDueDate(
  db: Db,
  row: CardRow,
  scheduler: Scheduler,
  preview: boolean,
  service: Service,
): Promise<number> {
  const reviews = await reviewsOf(db, row.account, row.id);
  const replayed = scheduler.replay(pastOf(reviews));
  const [last, newest] = [reviews.at(-1), replayed.at(-1)];
  if (last === undefined || newest === undefined) return 0;
  const days = await service.daysOf(db, row.account);
  const before = replayed.at(-2)?.date;
  const set = await accountSchedule(db, row.account);
  const { balance } = learningBy(set, service.learning);
  const interval = days.dayOf(last.due) - days.dayOf(last.date);
  const { least, most } = balance
    ? fuzzRange(newest.interval, elapsedBefore(newest, before, days))
    : { least: newest.interval, most: newest.interval };
  if (interval >= least && interval <= most) return 0;
  if (preview) return newest.interval - interval;
  const due = await chosenDue(db, row, newest, before, service, set);
  const moved = [...reviews.slice(0, -1), { ...last, due }];
  await putReviews(db, moved.slice(-1));
  await updateRow(db, "card", rowOf(row.account, reviewedCard(knownCard(row), moved)));
  return days.dayOf(due) - days.dayOf(last.date) - interval;
}

/** When a card comes back after its newest review: the day of the range around the interval that has the fewest cards. */
export async function chosenDue(
  db: Db,
  row: CardRow,
  review: ScheduledReview,
  before: string | undefined,
  service: Service,
  set: AccountSchedule,
): Promise<number> {
  const { balance, "easy-days": easyDays } = learningBy(set, service.learning);
  if (!balance) return Date.parse(review.due);
  const days = await service.daysOf(db, row.account);
  const [at, elapsed] = [Date.parse(review.date), elapsedBefore(review, before, days)];
  const day = days.dayOf(at);
  const { least, most } = fuzzRange(review.interval, elapsed);
  const range = { first: day + least, last: day + most, now: service.now() };
  const loads = least < most ? await service.loads.between(db, row.account, days, range) : undefined;
  const interval = chooseInterval({
    interval: review.interval,
    elapsed,
    day,
    seed: `${row.id} ${at}`,
    loadOf: (each) => loads?.get(each) ?? 0,
    shares: parseEasyDays(easyDays),
  });
  service.loads.add(row.account, day + interval);
  return days.noonOf(day + interval);
}

/** Whole days since the review before; 0 for the first. */
const elapsedBefore = ({ date }: ScheduledReview, before: string | undefined, days: Days): number =>
  before === undefined ? 0 : days.between(Date.parse(before), Date.parse(date));
