import type { Skip, Skipped } from "./model.ts";

/** Counts what is left out of many cards for the same reason, to report it in one line at the end. */
export class SkipCounts {
  readonly #counts = new Map<string, { readonly first: Skipped; count: number }>();

  readonly add: Skip = (skipped) => {
    const key = JSON.stringify([skipped.what, skipped.why]);
    const known = this.#counts.get(key);
    const { count = 1 } = skipped;
    if (known === undefined) this.#counts.set(key, { first: skipped, count });
    else known.count += count;
  };

  /** @param source the name of the source, which is the place of what was counted more than once */
  report(skip: Skip, source: string): void {
    for (const { first, count } of this.#counts.values())
      skip(count === 1 ? first : { ...first, place: source, count });
  }
}
