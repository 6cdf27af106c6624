import { parseInstant, type ReviewCreate } from "../../schema/index.ts";
import { notFound, refuseInvalid } from "../errors.ts";
import type { Handler } from "../service.ts";
import { cardById, setDue } from "../store/cards.ts";
import { deleteReview, insertReview, reviewsOfCard, setReviewDue } from "../store/reviews.ts";
import type { CardRow, Db } from "../store/tables.ts";
import { cardOf } from "./card-documents.ts";

const create: Handler = async ({ account, params, body, problems }, { store, now, retention }) => {
  const { date, duration, "remembered?": remembered } = body as ReviewCreate;
  const at = problems?.["date"] === undefined && date !== undefined ? parseInstant(date) : now();
  const { replay } = await import("../../schedule/index.ts");
  return store.write(async (db) => {
    const row = await found(db, account, params);
    refuseInvalid(problems, at > lastDate ? { date: "is too far in the future" } : undefined);
    const before = await reviewsOfCard(db, account, row.id);
    if (before.some((review) => review.date === at)) return { document: cardOf(row, before) };
    await insertReview(db, {
      account,
      card_id: row.id,
      date: at,
      due: at,
      remembered: remembered ? 1 : 0,
      duration: duration ?? null,
    });
    const due = await reschedule(db, row, at, { replay, retention });
    return { document: cardOf({ ...row, due_at: due }, await reviewsOfCard(db, account, row.id)) };
  });
};

const remove: Handler = async ({ account, params }, { store, retention }) => {
  const at = parseInstant(params["date"] ?? "");
  const { replay } = await import("../../schedule/index.ts");
  return store.write(async (db) => {
    const row = await found(db, account, params);
    if (Number.isNaN(at) || !(await deleteReview(db, account, row.id, at)))
      throw notFound("the card has no review of this date");
    await reschedule(db, row, at, { replay, retention });
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
 * @returns when the card is due; null if it was never reviewed.
 */
async function reschedule(
  db: Db,
  row: CardRow,
  at: number,
  { replay, retention }: { replay: typeof import("../../schedule/index.ts").replay; retention: number },
): Promise<number | null> {
  const history = await reviewsOfCard(db, row.account, row.id);
  const dues = replay(
    history.map(({ date, remembered }) => ({
      date: new Date(date).toISOString(),
      "remembered?": remembered === 1,
    })),
    { retention },
  ).map((review) => Date.parse(review.due));
  for (const [index, review] of history.entries()) {
    const due = dues[index] as number;
    if (review.date >= at && review.due !== due) await setReviewDue(db, review, due);
  }
  // Reviews before `at` keep the due that they were given, whatever retention was wanted then.
  const last = history.at(-1);
  const due = last === undefined ? null : last.date >= at ? (dues.at(-1) as number) : last.due;
  await setDue(db, row, due);
  return due;
}

async function found(db: Db, account: string, params: Readonly<Record<string, string>>): Promise<CardRow> {
  const row = await cardById(db, account, params["card-id"] ?? "");
  if (row === undefined) throw notFound("there is no such card");
  return row;
}
