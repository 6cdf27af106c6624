import { notFound } from "../errors.ts";
import { otherRequests } from "../pauses.ts";
import type { ListItem, ListReply, PageRequest, Service } from "../route.ts";
import { documentOf, type Listed, listedAfter, rowById } from "../store/documents.ts";
import type { Db, DocumentTable, Place } from "../store/tables.ts";
import { leavingDamagedOut } from "./card-documents.ts";

type WithDocument<Row> = Row & { readonly document: string };

export interface Slices<Row extends Listed> {
  readonly service: Service;
  /** Where large documents are read. Cards that are damaged are left out. */
  readonly table: DocumentTable;
  readonly account: string;
  /** Where the list begins, and its bookmark, from the place of its last item. */
  readonly page: Pick<PageRequest, "after"> & { bookmark(last: Place | undefined): string | undefined };
  /** How many rows; Infinity for all. */
  readonly limit: number;
  /** Reads at most `count` rows after a place. */
  slice(db: Db, after: Place | undefined, count: number): Promise<readonly Row[]>;
}

const sliceLength = 100;

/**
 * The rows of a list, a slice at a time, large ones by themselves. Other requests get their turn in between. A row that is
 * deleted meanwhile, or is damaged, is replaced by the next one: a list ends before its limit only where nothing follows.
 */
async function* inSlices<Row extends Listed>(
  list: Slices<Row>,
): AsyncGenerator<readonly WithDocument<Row>[], void> {
  const { service, table } = list;
  let place = list.page.after;
  for (let given = 0; given < list.limit; ) {
    const count = Math.min(list.limit - given, sliceLength);
    const rows = await service.store.read((db) => list.slice(db, place, count));
    for await (const batch of batches(list, rows)) {
      const readable = table === "card" ? batch.filter(leavingDamagedOut(service)) : batch;
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
  { service: { store }, table, account }: Slices<Row>,
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
 */
export function listReply<Row extends Listed>(
  key: ListReply["key"],
  list: Slices<Row>,
  itemOf: (row: WithDocument<Row>) => ListItem,
): ListReply {
  let place: Place | undefined;
  async function* items() {
    for await (const batch of inSlices(list)) {
      place = batch.at(-1)?.place ?? place;
      yield batch.map(itemOf);
    }
  }
  return { key, items: items(), bookmark: () => list.page.bookmark(place) };
}

type ListedRow<T extends DocumentTable> = Awaited<ReturnType<typeof listedAfter<T>>>[number];

/** The answer of a list of all rows of a table, or of the cards of a deck. @param of.limit 100 if absent */
export async function documentList<T extends DocumentTable>(
  table: T,
  of: { readonly account: string; readonly deckId?: string | undefined; readonly limit?: number },
  page: PageRequest,
  service: Service,
  itemOf: (row: WithDocument<ListedRow<T>>) => ListItem,
): Promise<ListReply> {
  const { account, deckId, limit = 100 } = of;
  const slice = (db: Db, after: Place | undefined, count: number) =>
    listedAfter(db, table, account, { deckId, after, limit: count });
  return listReply("docs", { service, table, account, page, limit, slice }, itemOf);
}

/** @throws Problem 404 */
export async function rowNamed<T extends DocumentTable>(db: Db, table: T, account: string, id: string) {
  const row = await rowById(db, table, account, id);
  if (row === undefined) throw notFound(`there is no such ${table}`);
  return row;
}
