import type { SqliteDatabase } from "../../../sqlite.ts";
import type { SourceReview } from "../../model.ts";

/** The history of a card of Anki, by its id. */
export type AnkiReviews = (card: string) => SourceReview[];

/** Reads histories where the package has any. */
export function reviewsOf(database: SqliteDatabase): AnkiReviews {
  const there = database
    .prepare(
      "select 1 from sqlite_master where type = 'table' and name = 'revlog' and sql like 'create table%'",
    )
    .all();
  if (there.length === 0) return () => [];
  const statement = database.prepare(
    "select id, ease, time from revlog where cid = cast(? as integer) and ease between 1 and 4 order by id",
  );
  return (card) => readReviews(statement.all(card) as ReviewRow[]);
}

interface ReviewRow {
  readonly id: number;
  readonly ease: number;
  readonly time: number;
}

/** Again is forgotten, everything else remembered; times are milliseconds. */
function readReviews(rows: readonly ReviewRow[]): SourceReview[] {
  const reviews: SourceReview[] = [];
  for (const { id, ease, time } of rows) {
    const date = new Date(Number(id));
    if (Number.isNaN(date.getTime())) continue;
    const duration = Number(time) / 1000;
    reviews.push({
      date: date.toISOString(),
      "remembered?": Number(ease) > 1,
      ...(duration >= 0 ? { duration } : {}),
    });
  }
  return reviews;
}
