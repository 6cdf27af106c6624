import type { Skip, Skipped } from "./model.ts";

/** What is left out for one reason. */
export interface SkippedGroup {
  readonly what: string;
  readonly count: number;
  /** The first places in the source. */
  readonly places: readonly string[];
  /** How many further places there are. */
  readonly more: number;
  readonly why: string;
  /** Whether it was to be read, and could not be. */
  readonly failed: boolean;
}

const placesShown = 3;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Groups what is left out by what and why. */
export class SkippedGroups {
  readonly #groups = new Map<string, Mutable<SkippedGroup>>();

  readonly add: Skip = ({ what, why, place, count = 1, failed = false }: Skipped) => {
    const key = `${what}\n${why}`;
    const known = this.#groups.get(key);
    if (known === undefined) this.#groups.set(key, { what, why, count, places: [place], more: 0, failed });
    else {
      known.count += count;
      if (place !== "" && known.places.length < placesShown) known.places = [...known.places, place];
      else known.more += place === "" ? count : 1;
    }
  };

  get list(): readonly SkippedGroup[] {
    return [...this.#groups.values()];
  }
}
