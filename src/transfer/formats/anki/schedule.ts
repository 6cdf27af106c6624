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
}

interface ReviewRow {
  readonly id: number;
  readonly ease: number;
  readonly interval: number;
  readonly time: number;
}

const isSuspended = ({ queue }: CardState) => queue === -1;

/** Reads the due dates of cards, and their reviews if the package contains reviews. */
export class Schedules {
  readonly #firstDay: number;
  readonly #reviews: ((card: string) => ReviewRow[]) | undefined;

  /** @param firstDay midnight UTC of the date from which days are counted, in ms */
  constructor(database: SqliteDatabase, hasReviews: boolean, firstDay: number) {
    this.#firstDay = firstDay;
    if (!hasReviews) return;
    const statement = database.prepare(
      "select id, ease, ivl as interval, time from revlog where cid = cast(? as integer) order by id",
    );
    this.#reviews = (card) => statement.all(card) as ReviewRow[];
  }

  /**
   * The schedule of what becomes one card: all reviews of its Anki cards, and the earliest due date of those that are not
   * suspended.
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
    return { reviews: historyOf(given, earliest), archived: active.length === 0 };
  }

  #reviewsOf(state: CardState, place: string, skip: Skip): GivenReview[] {
    const rows = this.#reviews?.(state.card) ?? [];
    const reviews: GivenReview[] = [];
    for (const { id, ease, interval, time } of rows) {
      const date = new Date(Number(id));
      // Others change a schedule without an answer.
      if (!(ease >= 1 && ease <= 4) || Number.isNaN(date.getTime())) continue;
      reviews.push({
        date: date.toISOString(),
        "remembered?": ease > 1,
        // 0 is written for a review without a duration.
        ...(time > 0 ? { duration: time / 1000 } : {}),
        ...(interval > 0 && interval < 36_525 ? { interval } : {}),
      });
    }
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
