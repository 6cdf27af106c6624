import { type CompiledQuery, type DialectAdapter, type RawBuilder, sql } from "kysely";
import { checksumOf } from "./checksums.ts";
import { positionBytes, positionText } from "./positions.ts";
import {
  type CardRow,
  type Db,
  type DeckRow,
  type DocumentTable,
  type Place,
  same,
  type TemplateRow,
} from "./tables.ts";

// In bytes: a page of these can be held in memory.
const largestInList = 64 * 1024;

export interface Rows {
  readonly card: CardRow;
  readonly deck: DeckRow;
  readonly template: TemplateRow;
}

/** Where a value comes in a query that is kept. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A query that runs often. Building it takes longer than SQLite takes to run it, so it is built once for each database.
 *
 * @param build must give the same query for all values; it is called with stand-ins for them
 */
export function prepared<Values extends object, Row>(
  build: (values: Values, db: Db) => { compile(db: Db): CompiledQuery<Row> },
): (db: Db, values: Values) => Promise<readonly Row[]> {
  const built = new WeakMap<DialectAdapter, CompiledQuery<Row>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    let query = built.get(adapter);
    if (query === undefined) {
      const slots = Object.fromEntries(Object.keys(values).map((name) => [name, new Slot(name)]));
      query = build(slots as Values, db).compile(db);
      built.set(adapter, query);
    }
    const of = values as Readonly<Record<string, unknown>>;
    const parameters = query.parameters.map((each) => (each instanceof Slot ? of[each.name] : each));
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

/** One of each kind: prepared queries are of one table. */
const forEachTable = <T>(make: (table: DocumentTable) => T): Readonly<Record<DocumentTable, T>> => ({
  card: make("card"),
  deck: make("deck"),
  template: make("template"),
});

const withId = (db: Db, table: DocumentTable, account: string, id: string) =>
  db.selectFrom(table).where(same({ account, id }));

export async function rowById<T extends DocumentTable>(
  db: Db,
  table: T,
  account: string,
  id: string,
): Promise<Rows[T] | undefined> {
  const row = await withId(db, table, account, id).selectAll().executeTakeFirst();
  return row as unknown as Rows[T] | undefined;
}

const existing = forEachTable((table) =>
  prepared(({ account, id }: Key, db) => withId(db, table, account, id).select("id")),
);

export async function exists(db: Db, table: DocumentTable, account: string, id: string): Promise<boolean> {
  return (await existing[table](db, { account, id })).length > 0;
}

/** The document of one row; undefined if it was deleted. */
export async function documentOf(
  db: Db,
  table: DocumentTable,
  account: string,
  id: string,
): Promise<string | undefined> {
  return (await withId(db, table, account, id).select("document").executeTakeFirst())?.document;
}

const insert = forEachTable((table) =>
  prepared((row: object, db) => db.insertInto(table).values(row as never)),
);

export async function insertRow<T extends DocumentTable>(db: Db, table: T, row: Rows[T]): Promise<void> {
  await insert[table](db, { ...row, checksum: checksumOf(table, row) });
}

export async function updateRow<T extends DocumentTable>(
  db: Db,
  table: T,
  row: Omit<Rows[T], "live">,
): Promise<void> {
  // Without the key: databases that are spread over machines by the account refuse to set it.
  const { account, id, ...values } = row as unknown as CardRow;
  await db
    .updateTable(table as "card")
    .set({ ...values, checksum: checksumOf(table, row) })
    .where(same({ account, id }))
    .execute();
}

/** Deletes a row; the reviews and attachment rows of a card go with it. */
export async function deleteRow(db: Db, table: DocumentTable, account: string, id: string): Promise<void> {
  await db.deleteFrom(table).where(same({ account, id })).execute();
}

const last = forEachTable((table) =>
  prepared(({ account, deckId }: { readonly account: string; readonly deckId: string }, db) => {
    const siblings = same(table === "card" ? { account, deck_id: deckId } : { account });
    return db
      .selectFrom(table as "card")
      .select("pos")
      .where(siblings)
      .orderBy("pos", "desc")
      .limit(1);
  }),
);

/** The highest position of a template, or of a card in a deck; undefined if there is none. */
export async function lastPosition(
  db: Db,
  table: "card" | "template",
  account: string,
  deckId = "",
): Promise<string | undefined> {
  const [row] = await last[table](db, { account, deckId });
  return row && positionText(row.pos);
}

/** The document of a row in a list, or null if it is too large to be read with others. */
export const smallDocument = sql`
  case when octet_length(document) <= ${sql.lit(largestInList)} then document end as document`;

/** The condition that a list continues after a place. @param columns by which it is sorted, `pos` as its bytes */
export const beyond = (columns: readonly string[], values: readonly unknown[]) =>
  sql<boolean>`(${refs(columns)}) > (${sql.join(values)})`;

const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

/** A row of a list. Its document is null if it is large: then it is read by itself, when its turn comes. */
export interface Listed {
  readonly id: string;
  readonly document: string | null;
  readonly place: Place;
}

type ListedRow<T extends DocumentTable> = Listed &
  Pick<Rows[T], keyof Rows[T] & ("pos" | "sort" | "parent_id")>;

/** By which columns lists are sorted, and what else is read. */
const lists: Readonly<Record<DocumentTable, { readonly order: string[]; readonly more: string[] }>> = {
  card: { order: ["deck_id", "pos", "id"], more: [] },
  deck: { order: ["sort", "id"], more: ["parent_id"] },
  template: { order: ["pos", "id"], more: [] },
};

export interface ListQuestion {
  /** Only the cards of this deck. */
  readonly deckId?: string | undefined;
  /** Undefined for the start. */
  readonly after: Place | undefined;
  readonly limit: number;
}

/** The rows after a place in the order of lists; a place among the cards of a deck does not name it. */
export function listedAfter<T extends DocumentTable>(
  db: Db,
  table: T,
  account: string,
  { deckId, after, limit }: ListQuestion,
): Promise<ListedRow<T>[]> {
  const { order, more } = lists[table];
  const where = same(deckId === undefined ? { account } : { account, deck_id: deckId });
  return listed<ListedRow<T>>(db, table, {
    where,
    order: deckId === undefined ? order : order.slice(1),
    more,
    after,
    limit,
  });
}

interface Listing {
  readonly where: RawBuilder<unknown>;
  /** The columns by which the rows are sorted: the last one is `id`. */
  readonly order: readonly string[];
  /** What else is read. */
  readonly more?: readonly string[];
  /** A value for each column of the order; undefined for the start. */
  readonly after: Place | undefined;
  readonly limit: number;
}

/** Rows of a list. Their documents are read where they are small. */
export async function listed<Row extends Listed>(
  db: Db,
  table: DocumentTable,
  { where, order, more = [], after, limit }: Listing,
): Promise<Row[]> {
  const values = after?.map((value, at) => (order[at] === "pos" ? positionBytes(String(value)) : value));
  const further = values === undefined ? sql`` : sql`and ${beyond(order, values)}`;
  const { rows } = await sql<Readonly<Record<string, unknown>>>`
    select ${refs([...order, ...more])}, ${smallDocument} from ${sql.table(table)}
    where ${where} ${further} order by ${refs(order)} limit ${limit}`.execute(db);
  return rows.map((row) => {
    const place = order.map((column) => {
      const value = row[column];
      return value instanceof Uint8Array ? positionText(value) : (value as string | number);
    });
    return { ...row, place } as unknown as Row;
  });
}

interface Key {
  readonly account: string;
  readonly id: string;
}

const standing = forEachTable((table) =>
  prepared(({ account, id }: Key, db) =>
    db.selectNoFrom((eb) => [
      eb.selectFrom("creation").select("hash").where(same({ account, id })).as("hash"),
      eb.selectFrom(table).select("id").where(same({ account, id })).as("taken"),
    ]),
  ),
);

/** The hash of the creation that carried an id, and whether a document of the table has the id. */
export async function standingOfId(
  db: Db,
  table: DocumentTable,
  account: string,
  id: string,
): Promise<{ readonly hash: string | undefined; readonly isTaken: boolean }> {
  const [row] = await standing[table](db, { account, id });
  return { hash: row?.hash ?? undefined, isTaken: row?.taken != null };
}

const insertKnown = prepared((row: Key & { readonly hash: string }, db) =>
  db.insertInto("creation").values(row),
);

export async function insertCreation(db: Db, account: string, id: string, hash: string): Promise<void> {
  await insertKnown(db, { account, id, hash });
}
