import type { Days } from "../schedule/days.ts";
import type { Db } from "./store/tables.ts";
import { loadsBetween } from "./store/today.ts";

/** How long counts are used, in milliseconds. */
const lasts = 60_000;
const mostAccounts = 1_000;

/**
 * How many cards are due on the days of accounts: counted once a minute, since a review would otherwise count thousands of
 * cards. It only decides which of several days gets a card, so that what others write meanwhile may be missing.
 */
export class Loads {
  readonly #accounts = new Map<string, { readonly counted: number; readonly days: Map<number, number> }>();

  /** Of the days from the first to the last. @param now epoch milliseconds */
  async between(
    db: Db,
    account: string,
    days: Days,
    { first, last, now }: { readonly first: number; readonly last: number; readonly now: number },
  ): Promise<ReadonlyMap<number, number>> {
    let known = this.#accounts.get(account);
    if (known === undefined || Math.abs(now - known.counted) > lasts) {
      if (this.#accounts.size >= mostAccounts) this.#accounts.clear();
      known = { counted: now, days: new Map() };
      this.#accounts.set(account, known);
    }
    const range = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    if (range.every((day) => known.days.has(day))) return known.days;
    for (const day of range) known.days.set(day, 0);
    const loads = await loadsBetween(db, account, days.startOf(first), days.endOf(last));
    for (const { due, count } of loads) add(known.days, days.dayOf(due), count);
    return known.days;
  }

  /** Counts a card that becomes due on a day. */
  add(account: string, day: number): void {
    const known = this.#accounts.get(account);
    if (known?.days.has(day)) add(known.days, day, 1);
  }
}

const add = (days: Map<number, number>, day: number, count: number) =>
  days.set(day, (days.get(day) ?? 0) + count);
