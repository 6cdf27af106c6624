import { SqliteAdapter, sql } from "kysely";
import { memorySql } from "./dialects/schema.ts";
import { prepared, smallDocument } from "./documents.ts";
import { inLiveDeck, readyCards } from "./due.ts";
import { type CardFacts, type Db, type DeckDocument, same } from "./tables.ts";

/** What a plan of the day is made of. Every query walks an index; none of them reads documents of cards. */

/** A reviewed card that is due. */
export interface DueRow {
  readonly id: string;
  readonly deck: string;
  /** When it was due, in epoch milliseconds. */
  readonly at: number;
  /** Null where it is not known: the last review was recorded by an earlier version. */
  readonly memory: CardFacts["memory"] | null;
  readonly new: false;
}

/** The reviewed cards of live decks that are due before an instant, the longest overdue first. */
export async function dueBefore(db: Db, account: string, before: number): Promise<readonly DueRow[]> {
  const memory = sql.raw(
    memorySql[db.getExecutor().adapter instanceof SqliteAdapter ? "sqlite" : "postgres"],
  );
  // As one text: SQLite takes several times as long to make a row of each. Ids have letters and digits only.
  const { rows } = await sql<{ all: string | null }>`
    select string_agg(
      '{"id":"' || id || '","deck":"' || deck_id || '","at":' || due_at || ',"new":false,"memory":'
        || coalesce(${memory}, 'null') || '}', ','
    ) as "all" from card where ${readyCards(account)} and due_at < ${before} and ${inLiveDeck}`.execute(db);
  const due = JSON.parse(`[${rows[0]?.all ?? ""}]`) as DueRow[];
  return due.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

/** How many of live decks are due from one instant on and before another. */
export async function countDue(db: Db, account: string, from: number, before: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from card
    where ${readyCards(account)} and due_at >= ${from} and due_at < ${before} and ${inLiveDeck}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

const loads = prepared(
  (span: { readonly account: string; readonly from: number; readonly before: number }) =>
    sql<{ due: number; count: number }>`
    select due_at as due, count(*) as count from card
    where ${readyCards(span.account)} and due_at >= ${span.from} and due_at < ${span.before} group by due_at`,
);

/** How many cards are due at each instant from one on and before another. */
export async function loadsBetween(
  db: Db,
  account: string,
  from: number,
  before: number,
): Promise<{ readonly due: number; readonly count: number }[]> {
  const rows = await loads(db, { account, from, before });
  return rows.map(({ due, count }) => ({ due: Number(due), count: Number(count) }));
}

interface NewCard {
  readonly id: string;
  readonly deck: string;
}

/** The first new cards of live decks, in the order of decks. @param each how many of a deck at most @param decks all if absent */
export async function newCardsOfDecks(
  db: Db,
  account: string,
  each: number,
  decks: readonly string[] | undefined,
): Promise<readonly NewCard[]> {
  if (each === 0 || decks?.length === 0) return [];
  const among = decks === undefined ? sql`` : sql`and deck_id in (${sql.join(decks)})`;
  const { rows } = await sql<NewCard>`
    select fresh.id, fresh.deck_id as deck from (
      select id, deck_id, row_number() over (partition by deck_id order by pos, id) as place from card
      where ${readyCards(account)} and due_at is null ${among}
    ) as fresh join deck on deck.account = ${account} and deck.id = fresh.deck_id and deck.live = 1
    where place <= ${each} order by deck.sort, deck.id, place`.execute(db);
  return rows;
}

/** How many cards each deck has that a review may ask, or how many new ones. */
export async function countReady(db: Db, account: string, only?: "new"): Promise<Map<string, number>> {
  const { rows } = await sql<{ deck_id: string; count: number }>`
    select deck_id, count(*) as count from card
    where ${readyCards(account)} ${only === "new" ? sql`and due_at is null` : sql``} group by deck_id`.execute(
    db,
  );
  return new Map(rows.map(({ deck_id, count }) => [deck_id, Number(count)]));
}

export interface DeckOfDay {
  readonly id: string;
  readonly parent: string | undefined;
  readonly live: boolean;
  readonly settings: DeckDocument;
}

/** All decks in the order of lists. */
export async function decksOfDay(db: Db, account: string): Promise<DeckOfDay[]> {
  const rows = await db
    .selectFrom("deck")
    .select(["id", "parent_id", "live", "document"])
    .where(same({ account }))
    .orderBy("sort")
    .orderBy("id")
    .execute();
  return rows.map(({ id, parent_id, live, document }) => ({
    id,
    parent: parent_id ?? undefined,
    live: live === 1,
    settings: JSON.parse(document) as DeckDocument,
  }));
}

/** The cards reviewed since an instant, with their decks, and whether they were new before it. */
export async function reviewedSince(
  db: Db,
  account: string,
  since: number,
): Promise<{ readonly deck: string; readonly new: boolean }[]> {
  const { rows } = await sql<{ deck_id: string; fresh: number }>`
    select card.deck_id, case when exists (
      select 1 from review before
      where before.account = ${account} and before.card_id = card.id and before.date < ${since}
    ) then 0 else 1 end as fresh
    from (select distinct card_id from review where account = ${account} and date >= ${since}) as done
    join card on card.account = ${account} and card.id = done.card_id`.execute(db);
  return rows.map(({ deck_id, fresh }) => ({ deck: deck_id, new: Number(fresh) === 1 }));
}

const dayLength = 86_400_000;
const longestAnswer = 60;

export interface DayHistory {
  /** How many answers were given on each of the days that have any, the latest first. */
  readonly answers: readonly number[];
  /** The mean of what they took; undefined where that is not known. */
  readonly seconds: number | undefined;
}

/** The days before today; each is taken as 24 hours, which is near enough for a mean. @param days how far back */
export async function daysBefore(
  db: Db,
  account: string,
  startOfToday: number,
  days: number,
): Promise<DayHistory> {
  const { rows } = await sql<{ day: number; count: number; timed: number; seconds: number | null }>`
    select (${sql.lit(startOfToday - 1)} - date) / ${sql.lit(dayLength)} as day, count(*) as count,
      count(duration) as timed,
      sum(case when duration > ${sql.lit(longestAnswer)} then ${sql.lit(longestAnswer)} else duration end) as seconds
    from review where account = ${account} and date < ${startOfToday}
      and date >= ${startOfToday - days * dayLength}
    group by 1 order by 1`.execute(db);
  const timed = rows.reduce((sum, row) => sum + Number(row.timed), 0);
  const seconds = rows.reduce((sum, row) => sum + Number(row.seconds ?? 0), 0);
  return {
    answers: rows.map(({ count }) => Number(count)),
    seconds: timed === 0 ? undefined : seconds / timed,
  };
}

/** When reviews were given between two instants: the first and the last of each 24 hours that have any. */
export async function reviewTimes(db: Db, account: string, since: number, until: number): Promise<number[]> {
  const { rows } = await sql<{ first: number; last: number }>`
    select min(date) as first, max(date) as last from review
    where account = ${account} and date >= ${since} and date <= ${until}
    group by (date - ${sql.lit(since)}) / ${sql.lit(dayLength)}`.execute(db);
  return rows.flatMap(({ first, last }) => [Number(first), Number(last)]);
}

/** What was said of a card for one day. */
export interface TodayMark {
  readonly cardId: string;
  readonly putOff: boolean;
  readonly again: boolean;
}

/** The marks of a day, in the order in which they were set. In a cross join SQLite begins with the first table. */
export async function marksOfDay(
  db: Db,
  account: string,
  day: number,
): Promise<(TodayMark & { deck: string })[]> {
  const { rows } = await sql<{ card_id: string; put_off: number; again: number; deck_id: string }>`
    select card_id, put_off, again, deck_id from today_mark cross join card
    where today_mark.account = ${account} and day = ${day}
      and card.account = ${account} and card.id = card_id and ready = 1 and ${inLiveDeck}
    order by set_at`.execute(db);
  return rows.map(({ card_id, put_off, again, deck_id }) => ({
    cardId: card_id,
    putOff: put_off === 1,
    again: again === 1,
    deck: deck_id,
  }));
}

/** Sets what is given and keeps the rest; what was said for other days is removed. */
export async function markCard(
  db: Db,
  account: string,
  { cardId, day, now }: { readonly cardId: string; readonly day: number; readonly now: number },
  { putOff, again }: { readonly putOff?: boolean | undefined; readonly again?: boolean | undefined },
): Promise<void> {
  await db.deleteFrom("today_mark").where(same({ account })).where("day", "<>", day).execute();
  const flags = {
    ...(putOff === undefined ? {} : { put_off: putOff ? 1 : 0 }),
    ...(again === undefined ? {} : { again: again ? 1 : 0, set_at: now }),
  };
  await db
    .insertInto("today_mark")
    .values({ account, card_id: cardId, day, put_off: 0, again: 0, set_at: now, ...flags })
    .onConflict((conflict) => conflict.columns(["account", "day", "card_id"]).doUpdateSet(flags))
    .execute();
}

/** Takes back that a card is asked again. */
export async function unmarkAgain(db: Db, account: string, card_id: string, day: number): Promise<void> {
  const marked = db.updateTable("today_mark").where(same({ account, day, card_id }));
  await marked.set({ again: 0 }).execute();
}

/** Cards by their ids, in that order; those that were deleted are left out. */
export async function cardsNamed(
  db: Db,
  account: string,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly document: string | null }[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string; document: string | null }>`
    select id, ${smallDocument} from card
    where account = ${account} and id in (${sql.join(ids)})`.execute(db);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
