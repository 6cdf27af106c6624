import type { SqliteDatabase } from "../../../sqlite.ts";
import { type GivenReview, type GivenSchedule, historyOf } from "../../history.ts";
import type { Skip, SourceReview } from "../../model.ts";

/** The state of a card in Anki. Numbers are Anki's own; ids are texts. */
export interface CardState {
  readonly card: string;
  /** 0 new, 1 learning, 2 review, 3 relearning. */
  readonly type: number;
  /** -1 suspended, -2 and -3 buried, 1 due at an instant, others due on a day. */
  readonly queue: number;
  /** A day of the collection, or seconds since 1970 in the queue 1, or the place among the new cards. */
  readonly due: number;
  /** What `due` was before a filtered deck took the card. */
  readonly oldDue: number;
  readonly filtered: number;
  /** Days if positive. */
  readonly interval: number;
  /** The ease in thousandths; 0 if there is none. */
  readonly factor: number;
  /** JSON; `s` is FSRS' stability. */
  readonly data: string;
}

interface ReviewRow {
  readonly id: number;
  readonly ease: number;
  readonly interval: number;
  readonly time: number;
}

const isSuspended = ({ queue }: CardState) => queue === -1;
const isBuried = ({ queue }: CardState) => queue < -1;

/** Reads the due dates of cards, and their reviews if the package contains reviews. */
export class Schedules {
  readonly #firstDay: number;
  readonly #reviews: ((card: string) => ReviewRow[]) | undefined;
  /** How many reviews are of cards that are not in the package. */
  readonly #withoutCard: () => number;

  /** @param firstDay midnight UTC of the date from which days are counted, in ms */
  constructor(database: SqliteDatabase, hasReviews: boolean, firstDay: number) {
    this.#firstDay = firstDay;
    this.#withoutCard = () => (hasReviews ? countWithoutCard(database) : 0);
    if (!hasReviews) return;
    const statement = database.prepare(
      "select id, ease, ivl as interval, time from revlog where cid = cast(? as integer) order by id",
    );
    this.#reviews = (card) => statement.all(card) as ReviewRow[];
  }

  /**
   * The schedule of what becomes one card: all reviews of its Anki cards, and the earliest due date of those that are not
   * suspended. What has no counterpart is reported.
   */
  of(
    states: readonly CardState[],
    place: string,
    skip: Skip,
  ): { reviews: SourceReview[]; archived: boolean } {
    const active = states.filter((state) => !isSuspended(state));
    const asked = active.length > 0 ? active : states;
    const schedules = asked.flatMap((state): GivenSchedule[] => {
      const due = this.#due(state);
      return due === undefined ? [] : [{ due, interval: state.interval > 0 ? state.interval : undefined }];
    });
    const [earliest] = schedules.sort((a, b) => ((a.due ?? "") < (b.due ?? "") ? -1 : 1));
    const given = states.flatMap((state) => this.#reviewsOf(state, place, skip));
    report(states, place, skip);
    const further = schedules.filter(({ due }) => due !== earliest?.due).length;
    if (further > 0)
      skip({
        place,
        what: "due dates of further cards of a note",
        why: "the note is one card here, due when the first of its cards is",
        count: further,
      });
    return { reviews: historyOf(given, earliest), archived: active.length === 0 };
  }

  /** Reports the reviews of cards that were deleted: Anki keeps them. @param place the package */
  reportWithoutCard(place: string, skip: Skip): void {
    const count = this.#withoutCard();
    if (count > 0)
      skip({ place, what: "reviews", why: "their cards are no longer in the collection", count });
  }

  #reviewsOf(state: CardState, place: string, skip: Skip): GivenReview[] {
    const rows = this.#reviews?.(state.card) ?? [];
    const reviews: GivenReview[] = [];
    let changes = 0;
    for (const { id, ease, interval, time } of rows) {
      const date = new Date(Number(id));
      if (!(ease >= 1 && ease <= 4) || Number.isNaN(date.getTime())) {
        changes++;
        continue;
      }
      reviews.push({
        date: date.toISOString(),
        "remembered?": ease > 1,
        // 0 is written for a review without a duration.
        ...(time > 0 ? { duration: time / 1000 } : {}),
        ...(interval > 0 && interval < 36_525 ? { interval } : {}),
      });
    }
    if (changes > 0)
      skip({
        place,
        what: "entries of the review log",
        why: "they change a schedule without an answer",
        count: changes,
      });
    if (state.type !== 0 || reviews.length === 0) return reviews;
    skip({ place, what: "reviews", why: "their cards were reset to new", count: reviews.length });
    return [];
  }

  /** ISO 8601; noon of the local day where Anki knows only the day. */
  #due({ type, queue, due, oldDue, filtered }: CardState): string | undefined {
    if (type === 0) return undefined;
    const value = filtered !== 0 && oldDue > 0 ? oldDue : due;
    if (value > 1e9) return value < 1e11 ? new Date(value * 1000).toISOString() : undefined;
    if (queue === 1 || Math.abs(value) > 36_525) return undefined;
    const day = new Date(this.#firstDay + value * 86_400_000);
    return new Date(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), 12).toISOString();
  }
}

function countWithoutCard(database: SqliteDatabase): number {
  const [row] = database
    .prepare(
      "select count(*) as number from revlog where ease between 1 and 4 and cid not in (select id from cards)",
    )
    .all() as { number: number }[];
  return Number(row?.number ?? 0);
}

/** The ease of a card that was never hard or easy, in thousandths. */
const firstEase = 2500;

function report(states: readonly CardState[], place: string, skip: Skip): void {
  const reviewed = states.filter(({ type }) => type > 0);
  if (states.some(isBuried))
    skip({ place, what: "cards buried until the next day", why: "they are due as if they were not buried" });
  if (states.length > 1 && states.some(isSuspended) && !states.every(isSuspended))
    skip({ place, what: "suspensions of single cards of a note", why: "the note is one card here" });
  // Every card begins with the same ease: only another one says something. FSRS does not use it.
  const why = "due dates and reviews are kept; later intervals are computed from the reviews";
  const fsrs = reviewed.filter(({ data }) => /"s":/.test(data)).length;
  const eased = reviewed.filter(
    ({ factor, data }) => factor > 0 && factor !== firstEase && !/"s":/.test(data),
  );
  if (eased.length > 0) skip({ place, what: "ease ratings of cards", why, count: eased.length });
  if (fsrs > 0) skip({ place, what: "memory states of FSRS", why, count: fsrs });
}
