import { cardById } from "../store/cards.ts";
import type { Store } from "../store/index.ts";
import type { Place } from "../store/tables.ts";

interface Found {
  readonly id: string;
  /** Null if it is large. */
  readonly document: string | null;
  readonly place: Place;
}

export interface Slices {
  readonly store: Store;
  readonly account: string;
  /** The place after which the list begins. */
  readonly after: Place | undefined;
  /** How many cards; Infinity for all. */
  readonly limit: number;
  /** Reads at most `count` cards after a place. */
  slice(after: Place | undefined, count: number): Promise<readonly Found[]>;
}

export interface SlicedCard {
  readonly document: string;
  readonly place: Place;
}

const sliceLength = 100;

/**
 * The cards of a list, read a slice at a time, large documents one by one. Other requests get their turn in between. A
 * card that is deleted meanwhile is replaced by the next one: a list ends before its limit only where nothing follows.
 */
export async function* cardsInSlices(list: Slices): AsyncGenerator<SlicedCard, void> {
  const { store, account, limit } = list;
  let place = list.after;
  for (let given = 0; given < limit; ) {
    const count = Math.min(limit - given, sliceLength);
    const found = await list.slice(place, count);
    for (const { id, document, place: its } of found) {
      place = its;
      if (document === null) await otherRequests();
      const text = document ?? (await store.read((db) => cardById(db, account, id)))?.document;
      if (text === undefined) continue;
      given++;
      yield { document: text, place: its };
    }
    if (found.length < count) return;
    await otherRequests();
  }
}

export async function* mapped<From, To>(
  items: AsyncIterable<From>,
  change: (item: From) => To,
): AsyncGenerator<To, void> {
  for await (const item of items) yield change(item);
}

/** Lets the event loop take up other work. */
const otherRequests = () => new Promise((resolve) => setImmediate(resolve));
