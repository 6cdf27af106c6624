import { setImmediate } from "node:timers/promises";
import { default_w } from "ts-fsrs";
import { Scheduler } from "../../schedule/index.ts";
import { retentionOfDeck } from "../learning.ts";
import { type Problems, reading, type Service, writing } from "../route.ts";
import { type AccountSchedule, accountSchedule, setAccountSchedule } from "../store/accounts.ts";
import { reviewedCardsAfter, updateCard } from "../store/cards.ts";
import { putReviews, reviewsOf } from "../store/reviews.ts";
import type { CardRow, Db } from "../store/tables.ts";
import { knownCard, reviewedCard, rowOf } from "./card-documents.ts";

/** The scheduler of an account: its days, its own parameters where it has some, and the retention of a deck. */
export async function schedulerOf(
  db: Db,
  account: string,
  deckId: string | undefined,
  service: Service,
): Promise<Scheduler> {
  const { retention, w } = await scheduleOf(db, account, service);
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
  async handle({ account, body: { reschedule, ...given } }, db, _, service) {
    await setAccountSchedule(db, account, { ...(await accountSchedule(db, account)), ...given });
    const document = await scheduleOf(db, account, service);
    if (!reschedule) return { document };
    return { document: { ...document, moved: await moveDueDates(db, account, service) } };
  },
});

const remove = writing<"schedule.delete", undefined>({
  find: async () => undefined,
  async handle({ account }, db) {
    await setAccountSchedule(db, account, undefined);
    return undefined;
  },
});

export const scheduleRoutes = { get, put, delete: remove };

/** What counts for an account: what was set for it, else the defaults. */
async function scheduleOf(db: Db, account: string, { learning: { retention } }: Service) {
  const set: AccountSchedule = (await accountSchedule(db, account)) ?? {};
  return { retention, w: [...default_w], "trained-at": null, ...set, version: 6 };
}

function parameterProblem(w: readonly number[] | undefined): Problems {
  if (w === undefined || (w.length === default_w.length && w.every(Number.isFinite))) return {};
  return { w: `must be ${default_w.length} numbers` };
}

/** Cards that are read at a time; between two reads other requests get their turn. */
const slice = 200;

/** Computes the due date of every reviewed card again. @returns how many moved */
async function moveDueDates(db: Db, account: string, service: Service): Promise<number> {
  const scheduler = await schedulerOf(db, account, undefined, service);
  let moved = 0;
  for (let after = ""; ; await setImmediate()) {
    const rows = await reviewedCardsAfter(db, account, after, slice);
    for (const row of rows) if (await moveDueDate(db, row, scheduler)) moved += 1;
    const last = rows.at(-1);
    if (last === undefined || rows.length < slice) return moved;
    after = last.id;
  }
}

/** Only the last review decides when a card is due: the dates of earlier ones are history, and stay. */
async function moveDueDate(db: Db, row: CardRow, scheduler: Scheduler): Promise<boolean> {
  const reviews = await reviewsOf(db, row.account, row.id);
  const last = reviews.at(-1);
  const due = Date.parse(
    scheduler.due(
      reviews.map(({ date, remembered }) => ({
        date: new Date(date).toISOString(),
        "remembered?": remembered === 1,
      })),
    ) ?? "",
  );
  if (last === undefined || Number.isNaN(due) || due === last.due) return false;
  await putReviews(db, [{ ...last, due }]);
  await updateCard(
    db,
    rowOf(row.account, reviewedCard(knownCard(row), [...reviews.slice(0, -1), { ...last, due }])),
  );
  return true;
}
