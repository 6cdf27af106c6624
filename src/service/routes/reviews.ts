import { type PastReview, parseInstant } from "../../schema/index.ts";
import { forbidden, notFound, preconditionFailed } from "../errors.ts";
import { type Problems, type Service, writing } from "../route.ts";
import { accountSchedule } from "../store/accounts.ts";
import { updateRow } from "../store/documents.ts";
import { deleteReview, pastOf, putReviews, reviewsOf } from "../store/reviews.ts";
import type { CardRow, Db, ReviewRow } from "../store/tables.ts";
import { markCard, unmarkAgain } from "../store/today.ts";
import { cardOf, knownCard, reviewedCard, reviewRow, rowOf } from "./card-documents.ts";
import { cardNamed } from "./cards.ts";
import { chosenDue, schedulerOf } from "./schedule.ts";

const create = writing<"reviews.create", CardRow>({
  find: ({ account, params }, db) => cardNamed(db, account, params["card-id"]),
  problems: async ({ body }) => ({ ...dateProblem("date", body.date), ...dateProblem("due", body.due) }),
  async handle({ account, body }, db, row, service) {
    const at = body.date === undefined ? service.now() : parseInstant(body.date);
    const before = await reviewsOf(db, account, row.id);
    if (before.some((review) => review.date === at)) return { json: row.document };
    refuseNewer(before, body.after);
    const json = await record(db, row, before, [reviewRow(row, at, body)], service);
    await askAgain(db, row, at, !body["remembered?"], service);
    return { json };
  },
});

const add = writing<"reviews.add", CardRow>({
  find: ({ account, params }, db) => cardNamed(db, account, params["card-id"]),
  problems: async ({ body }) => datesProblem(body.reviews ?? []),
  async handle({ account, body }, db, row, service) {
    const before = await reviewsOf(db, account, row.id);
    const there = new Set(before.map(({ date }) => date));
    const added: ReviewRow[] = [];
    for (const review of body.reviews) {
      const at = parseInstant(review.date);
      if (!there.has(at)) added.push(reviewRow(row, at, review));
      there.add(at);
    }
    if (added.length === 0) return { json: row.document };
    return { json: await record(db, row, before, added, service) };
  },
});

const remove = writing<"reviews.delete", CardRow>({
  find: ({ account, params }, db) => cardNamed(db, account, params["card-id"]),
  async handle({ account, params }, db, row, service) {
    const at = parseInstant(params.date);
    if (Number.isNaN(at) || !(await deleteReview(db, account, row.id, at)))
      throw notFound("the card has no review of this date");
    const left = await reviewsOf(db, account, row.id);
    await reschedule(db, row, { before: left, history: left, since: at }, service);
    await askAgain(db, row, at, false, service);
    return undefined;
  },
});

// One a day for 13 years. Adding one computes again what follows from it, and holds up others for so long.
const mostReviews = 5_000;

/** The reviews stay; only the last one's due date changes. Without a date they go, and the card is new. */
const setDue = writing<"due.put", CardRow>({
  find: ({ account, params }, db) => cardNamed(db, account, params["card-id"]),
  async problems({ body: { due } }, _, row) {
    if (typeof due !== "string") return {};
    if (row.due_at === null) return { due: "cannot be set for a card that was never reviewed" };
    return dateProblem("due", due);
  },
  async handle({ account, body: { due } }, db, row, service) {
    const history = await reviewsOf(db, account, row.id);
    const last = history.at(-1);
    if (due === undefined || last === undefined) return { json: row.document };
    for (const { date } of due === null ? history : []) await deleteReview(db, account, row.id, date);
    const moved = due === null ? [] : [{ ...last, due: parseInstant(due), due_given: 1 }];
    await putReviews(db, moved);
    const reviews = due === null ? [] : [...history.slice(0, -1), ...moved];
    const { card, facts } = reviewedCard(knownCard(row), reviews);
    await updateRow(db, "card", rowOf(account, { card, facts }));
    // It is not asked again today because it was forgotten before.
    await askAgain(db, row, service.now(), false, service);
    const before = cardOf(row.document).reviews;
    const undo = due === null ? { reviews: before } : { due: before.at(-1)?.due };
    return { document: { ...card, undo } };
  },
});

export const reviews = { create, add, delete: remove, setDue };

// The years 0000 to 9999: other instants have another text form, and what is due after them could not be written.
const [firstDate, lastDate] = [-62_167_219_200_000, 253_402_300_799_999];

function dateProblem(name: string, date: string | undefined): Problems {
  if (date === undefined) return {};
  const at = parseInstant(date);
  if (at > lastDate) return { [name]: "is too far in the future" };
  return at < firstDate ? { [name]: "is too far in the past" } : {};
}

function datesProblem(reviews: readonly PastReview[]): Problems {
  for (const { date, due } of reviews) {
    const [problem] = Object.entries({ ...dateProblem("date", date), ...dateProblem("due", due) });
    if (problem !== undefined) return { reviews: `has an item that ${problem.join(" ")}` };
  }
  return {};
}

/** @throws Problem 412 if there is a review after the last one that the client knows of (two sessions at once). */
function refuseNewer(reviews: readonly ReviewRow[], after: string | null | undefined): void {
  const last = reviews.at(-1);
  if (after === undefined || last === undefined) return;
  if (after === null || last.date > parseInstant(after))
    throw preconditionFailed("the card has a newer review: retrieve it again");
}

/**
 * Adds reviews of other dates, each once.
 *
 * @param before those that are stored, oldest first
 * @returns the new document of the card
 */
function record(
  db: Db,
  row: CardRow,
  before: readonly ReviewRow[],
  added: readonly ReviewRow[],
  service: Service,
): Promise<string> {
  if (before.length + added.length > mostReviews)
    throw forbidden(`a card may have at most ${mostReviews} reviews`);
  const history = [...before, ...added].sort((a, b) => a.date - b.date);
  const since = Math.min(...added.map(({ date }) => date));
  return reschedule(db, row, { before, history, since }, service);
}

interface Reschedule {
  /** The reviews that are stored. */
  readonly before: readonly ReviewRow[];
  /** Those to store, oldest first. */
  readonly history: readonly ReviewRow[];
  /** The earliest date that is new or was removed. */
  readonly since: number;
}

/**
 * Computes again when the card was due after each review since then, and when it is due now. So the order in which
 * reviews arrive does not matter: each `due` follows from the reviews up to it, unless it came with the review.
 *
 * @returns the new document of the card
 */
async function reschedule(
  db: Db,
  row: CardRow,
  { before, history, since }: Reschedule,
  service: Service,
): Promise<string> {
  const set = await accountSchedule(db, row.account);
  const scheduler = await schedulerOf(db, row.account, row.deck_id, service, set);
  const past = pastOf(history);
  const replayed = scheduler.replay(past);
  const newest = replayed.at(-1);
  const chosen = newest && (await chosenDue(db, row, newest, past.at(-2)?.date, service, set));
  // Earlier reviews keep the due that they got, whatever retention was set then.
  const rescheduled = history.map((review, index) => {
    if (review.date < since || review.due_given === 1) return review;
    const due = index === history.length - 1 ? chosen : Date.parse(replayed[index]?.due ?? "");
    return { ...review, due: due ?? review.due };
  });
  const stored = new Map(before.map(({ date, due }) => [date, due]));
  await putReviews(
    db,
    rescheduled.filter(({ date, due }) => stored.get(date) !== due),
  );
  const memory = newest && { date: Date.parse(newest.date), stability: newest.stability };
  const changed = rowOf(row.account, reviewedCard(knownCard(row), rescheduled, memory));
  await updateRow(db, "card", changed);
  return changed.document;
}

/** A card that was forgotten today is asked again today, by whichever client asks for what is due. */
async function askAgain(
  db: Db,
  row: CardRow,
  at: number,
  again: boolean,
  { now, daysOf }: Service,
): Promise<void> {
  const days = await daysOf(db, row.account);
  const day = days.dayOf(now());
  if (days.dayOf(at) !== day) return;
  if (again) await markCard(db, row.account, { cardId: row.id, day, now: now() }, { again });
  else await unmarkAgain(db, row.account, row.id, day);
}
