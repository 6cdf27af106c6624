import type { Bin } from "./figures.ts";

/** What the collector adds up. */

/** Of a day, or of a month. */
export class PeriodSum {
  reviews = 0;
  remembered = 0;
  new = 0;
  /** The sum of the predicted chances. */
  predicted = 0;
  seconds: number | undefined;
}

/** Counts values into bins; values below the first bound count in the first bin. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #end: number | null;
  readonly #counts: number[];

  constructor(bounds: readonly number[], end: number | null) {
    this.#bounds = bounds;
    this.#end = end;
    this.#counts = bounds.map(() => 0);
  }

  add(value: number): void {
    let bin = this.#bounds.length - 1;
    while (bin > 0 && value < (this.#bounds[bin] ?? 0)) bin -= 1;
    this.#counts[bin] = (this.#counts[bin] ?? 0) + 1;
  }

  bins(): Bin[] {
    return this.#bounds.map((from, index) => ({
      from,
      to: this.#bounds[index + 1] ?? this.#end,
      cards: this.#counts[index] ?? 0,
    }));
  }
}

export function sumOf<K>(sums: Map<K, PeriodSum>, key: K): PeriodSum {
  const sum = sums.get(key) ?? new PeriodSum();
  sums.set(key, sum);
  return sum;
}
