import { notFound } from "../errors.ts";
import { otherRequests } from "../pauses.ts";
import type { ListItem, ListReply, PageRequest, Service } from "../route.ts";
import { documentOf, type Listed, listedAfter, rowById } from "../store/documents.ts";
import type { Store } from "../store/index.ts";
import type { Db, DocumentTable, Place } from "../store/tables.ts";
import { leavingDamagedOut } from "./card-documents.ts";

type WithDocument<Row> = Row & { readonly document: string };

export interface Slices<Row extends Listed> {
  readonly store: Store;
  /** The place after which the list begins. */
  readonly after: Place | undefined;
  /** How many rows; Infinity for all. */
  readonly limit: number;
  /** Reads at most `count` rows after a place. */
  slice(db: Db, after: Place | undefined, count: number): Promise<readonly Row[]>;
  /** Where large documents are read. */
  readonly table: DocumentTable;
  readonly account: string;
  /** A row that is not is left out; without it all are. */
  isReadable?(row: WithDocument<Row>): boolean;
}

const sliceLength = 100;

/**
 * The rows of a list, a slice at a time, large ones by themselves. Other requests get their turn in between. A row that is
 * deleted meanwhile, or is damaged, is replaced by the next one: a list ends before its limit only where nothing follows.
 */
async function* inSlices<Row extends Listed>(
  list: Slices<Row>,
): AsyncGenerator<readonly WithDocument<Row>[], void> {
  const { isReadable = () => true } = list;
  let place = list.after;
  for (let given = 0; given < list.limit; ) {
    const count = Math.min(list.limit - given, sliceLength);
    const rows = await list.store.read((db) => list.slice(db, place, count));
    for await (const batch of batches(list, rows)) {
      const readable = batch.filter(isReadable);
      given += readable.length;
      const last = batch.at(-1);
      if (last !== undefined) place = last.place;
      if (readable.length > 0) yield readable;
    }
    if (rows.length < count) return;
    await otherRequests();
  }
}

/** Small rows together, each large one by itself. */
async function* batches<Row extends Listed>(
  { store, table, account }: Slices<Row>,
  rows: readonly Row[],
): AsyncGenerator<readonly WithDocument<Row>[], void> {
  let small: WithDocument<Row>[] = [];
  for (const row of rows) {
    if (row.document !== null) {
      small.push(row as WithDocument<Row>);
      continue;
    }
    if (small.length > 0) yield small;
    small = [];
    await otherRequests();
    const document = await store.read((db) => documentOf(db, table, account, row.id));
    if (document !== undefined) yield [{ ...row, document }];
  }
  if (small.length > 0) yield small;
}

/**
 * The answer of a list.
 *
 * @param itemOf the item of the answer for a row
 * @param bookmark its bookmark, from the place of the last item
 */
export function listReply<Row extends Listed>(
  key: ListReply["key"],
  list: Slices<Row>,
  itemOf: (row: WithDocument<Row>) => ListItem | Promise<ListItem>,
  bookmark: (last: Place | undefined) => string | undefined,
): ListReply {
  let place: Place | undefined;
  async function* items() {
    for await (const batch of inSlices(list)) {
      const last = batch.at(-1);
      if (last !== undefined) place = last.place;
      yield await Promise.all(batch.map(itemOf));
    }
  }
  return { key, items: items(), bookmark: () => bookmark(place) };
}

type ListedRow<T extends DocumentTable> = Awaited<ReturnType<typeof listedAfter<T>>>[number];

/** The answer of a list of all rows of a table, or of the cards of a deck. @param of.limit 100 if absent */
export async function documentList<T extends DocumentTable>(
  table: T,
  of: { readonly account: string; readonly deckId?: string | undefined; readonly limit?: number },
  { after, bookmark }: PageRequest,
  { store, onDamaged }: Service,
  itemOf: (row: WithDocument<ListedRow<T>>) => ListItem | Promise<ListItem>,
): Promise<ListReply> {
  const { account, deckId, limit = 100 } = of;
  const slices: Slices<ListedRow<T>> = {
    store,
    table,
    account,
    after,
    limit,
    slice: (db, place, count) => listedAfter(db, table, account, { deckId, after: place, limit: count }),
    ...(table === "card" ? { isReadable: leavingDamagedOut({ onDamaged }) } : {}),
  };
  return listReply("docs", slices, itemOf, bookmark);
}

/** @throws Problem 404 */
export async function rowNamed<T extends DocumentTable>(db: Db, table: T, account: string, id: string) {
  const row = await rowById(db, table, account, id);
  if (row === undefined) throw notFound(`there is no such ${table}`);
  return row;
}
