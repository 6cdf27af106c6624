import { cardById } from "../store/cards.ts";
import type { Store } from "../store/index.ts";
import type { Place } from "../store/tables.ts";

interface ListedCard {
  readonly id: string;
  /** Null if it is large. */
  readonly document: string | null;
}

export type WithDocument<Row> = Row & { readonly document: string };

export interface Slices<Row extends ListedCard> {
  readonly store: Store;
  readonly account: string;
  /** The place after which the list begins. */
  readonly after: Place | undefined;
  /** How many cards; Infinity for all. */
  readonly limit: number;
  /** Reads at most `count` cards after a place. */
  slice(after: Place | undefined, count: number): Promise<readonly Row[]>;
  placeOf(row: WithDocument<Row>): Place;
}

const sliceLength = 100;

/**
 * The cards of a list, a slice at a time, large ones by themselves. Other requests get their turn in between. A card that
 * is deleted meanwhile is replaced by the next one: a list ends before its limit only where nothing follows.
 */
export async function* cardsInSlices<Row extends ListedCard>(
  list: Slices<Row>,
): AsyncGenerator<readonly WithDocument<Row>[], void> {
  let place = list.after;
  for (let given = 0; given < list.limit; ) {
    const count = Math.min(list.limit - given, sliceLength);
    const rows = await list.slice(place, count);
    for await (const batch of batches(list, rows)) {
      given += batch.length;
      const last = batch.at(-1);
      if (last !== undefined) place = list.placeOf(last);
      yield batch;
    }
    if (rows.length < count) return;
    await otherRequests();
  }
}

/** Small cards together, each large one by itself. */
async function* batches<Row extends ListedCard>(
  { store, account }: Slices<Row>,
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
    const document = (await store.read((db) => cardById(db, account, row.id)))?.document;
    if (document !== undefined) yield [{ ...row, document }];
  }
  if (small.length > 0) yield small;
}

/** Lets the event loop take up other work. */
const otherRequests = () => new Promise((resolve) => setImmediate(resolve));
