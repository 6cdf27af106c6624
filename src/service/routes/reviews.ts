import { parseInstant, type ReviewCreate } from "../../schema/index.ts";
import { notFound, refuseInvalid } from "../errors.ts";
import type { Handler, Service } from "../service.ts";
import { cardById, updateCard } from "../store/cards.ts";
import { deleteReview, insertReview, reviewsOfCard, setReviewDue } from "../store/reviews.ts";
import type { CardRow, Db } from "../store/tables.ts";
import { knownCard, reviewedCard, rowOf } from "./card-documents.ts";

const create: Handler = async ({ account, params, body, problems }, service) => {
  const { store, now } = service;
  const { date, duration, "remembered?": remembered } = body as ReviewCreate;
  const at = problems?.["date"] === undefined && date !== undefined ? parseInstant(date) : now();
  return store.write(async (db) => {
    const row = await found(db, account, params);
    refuseInvalid(problems, at > lastDate ? { date: "is too far in the future" } : undefined);
    const before = await reviewsOfCard(db, account, row.id);
    if (before.some((review) => review.date === at)) return { json: row.document };
    await insertReview(db, {
      account,
      card_id: row.id,
      date: at,
      due: at,
      remembered: remembered ? 1 : 0,
      duration: duration ?? null,
    });
    return { json: await reschedule(db, row, at, service) };
  });
};

const remove: Handler = async ({ account, params }, service) => {
  const at = parseInstant(params["date"] ?? "");
  return service.store.write(async (db) => {
    const row = await found(db, account, params);
    if (Number.isNaN(at) || !(await deleteReview(db, account, row.id, at)))
      throw notFound("the card has no review of this date");
    await reschedule(db, row, at, service);
    return undefined;
  });
};

export const reviews = { create, delete: remove };

// The end of the year 9999: what is due after it can still be written.
const lastDate = 253_402_300_799_999;

/**
 * Works out anew when the card was due after each review since `at`, and when it is due now. So the order in which
 * reviews arrive does not matter: each `due` follows from the reviews up to it.
 *
 * @returns the document of the card as it is now.
 */
async function reschedule(db: Db, row: CardRow, at: number, { daysOf, retention }: Service): Promise<string> {
  const { Scheduler } = await import("../../schedule/index.ts");
  const scheduler = new Scheduler({ days: await daysOf(db, row.account), retention });
  const history = await reviewsOfCard(db, row.account, row.id);
  const past = history.map(({ date, remembered }) => ({
    date: new Date(date).toISOString(),
    "remembered?": remembered === 1,
  }));
  const dues = scheduler.replay(past).map((review) => Date.parse(review.due));
  // Reviews before `at` keep the due that they were given, whatever retention was wanted then.
  const rescheduled = history.map((review, index) =>
    review.date < at ? review : { ...review, due: dues[index] as number },
  );
  for (const [index, review] of rescheduled.entries())
    if (review.due !== history[index]?.due) await setReviewDue(db, review, review.due);
  const changed = rowOf(row.account, reviewedCard(knownCard(row), rescheduled));
  await updateCard(db, changed);
  return changed.document;
}

async function found(db: Db, account: string, params: Readonly<Record<string, string>>): Promise<CardRow> {
  const row = await cardById(db, account, params["card-id"] ?? "");
  if (row === undefined) throw notFound("there is no such card");
  return row;
}
