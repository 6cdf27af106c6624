import { parseInstant } from "../../schema/index.ts";
import { forbidden, notFound, preconditionFailed } from "../errors.ts";
import { type Problems, type Service, writing } from "../route.ts";
import { updateCard } from "../store/cards.ts";
import { deleteReview, insertReview, reviewsOf, setReviewDues } from "../store/reviews.ts";
import type { CardRow, Db, ReviewRow } from "../store/tables.ts";
import { knownCard, reviewedCard, rowOf } from "./card-documents.ts";
import { cardNamed } from "./cards.ts";
import { schedulerOf } from "./schedule.ts";

const create = writing<"reviews.create", CardRow>({
  find: ({ account, params }, db) => cardNamed(db, account, params["card-id"]),
  problems: async ({ body }) => ({ ...dateProblem("date", body.date), ...dateProblem("due", body.due) }),
  async handle({ account, body }, db, row, service) {
    const at = body.date === undefined ? service.now() : parseInstant(body.date);
    const before = await reviewsOf(db, account, row.id);
    if (before.some((review) => review.date === at)) return { json: row.document };
    refuseNewer(before, body.after);
    if (before.length >= mostReviews) throw forbidden(`a card may have at most ${mostReviews} reviews`);
    await insertReview(db, {
      account,
      card_id: row.id,
      date: at,
      due: body.due === undefined ? at : parseInstant(body.due),
      due_given: body.due === undefined ? 0 : 1,
      remembered: body["remembered?"] ? 1 : 0,
      duration: body.duration ?? null,
    });
    return { json: await reschedule(db, row, at, service) };
  },
});

const remove = writing<"reviews.delete", CardRow>({
  find: ({ account, params }, db) => cardNamed(db, account, params["card-id"]),
  async handle({ account, params }, db, row, service) {
    const at = parseInstant(params.date);
    if (Number.isNaN(at) || !(await deleteReview(db, account, row.id, at)))
      throw notFound("the card has no review of this date");
    await reschedule(db, row, at, service);
    return undefined;
  },
});

// One a day for 13 years. Each review computes again what follows from it, and holds up others for so long.
const mostReviews = 5_000;

export const reviews = { create, delete: remove };

// The years 0000 to 9999: other instants have another text form, and what is due after them could not be written.
const [firstDate, lastDate] = [-62_167_219_200_000, 253_402_300_799_999];

function dateProblem(name: string, date: string | undefined): Problems {
  if (date === undefined) return {};
  const at = parseInstant(date);
  if (at > lastDate) return { [name]: "is too far in the future" };
  return at < firstDate ? { [name]: "is too far in the past" } : {};
}

/** @throws Problem 412 if there is a review after the last one that the client knows of (two sessions at once). */
function refuseNewer(reviews: readonly ReviewRow[], after: string | null | undefined): void {
  const last = reviews.at(-1);
  if (after === undefined || last === undefined) return;
  if (after === null || last.date > parseInstant(after))
    throw preconditionFailed("the card has a newer review: retrieve it again");
}

/**
 * Computes again when the card was due after each review since `at`, and when it is due now. So the order in which
 * reviews arrive does not matter: each `due` follows from the reviews up to it, unless it came with the review.
 *
 * @returns the new document of the card
 */
async function reschedule(db: Db, row: CardRow, at: number, service: Service): Promise<string> {
  const scheduler = await schedulerOf(db, row.account, service);
  const history = await reviewsOf(db, row.account, row.id);
  const past = history.map(({ date, remembered }) => ({
    date: new Date(date).toISOString(),
    "remembered?": remembered === 1,
  }));
  const dues = scheduler.replay(past).map((review) => Date.parse(review.due));
  // Reviews before `at` keep the due that they got, whatever retention was set then.
  const rescheduled = history.map((review, index) =>
    review.date < at || review.due_given === 1 ? review : { ...review, due: dues[index] ?? review.due },
  );
  await setReviewDues(
    db,
    rescheduled.filter((review, index) => review.due !== history[index]?.due),
  );
  const changed = rowOf(row.account, reviewedCard(knownCard(row), rescheduled));
  await updateCard(db, changed);
  return changed.document;
}
