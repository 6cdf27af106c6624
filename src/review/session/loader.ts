import type { Fetched } from "../ports.ts";

interface LoaderSettings<C> {
  /** Gives up by itself where no answer comes. */
  load(cardId: string): Promise<Fetched<C>>;
  /** Ids of the cards wanted now, the most urgent first. */
  wanted(): readonly string[];
  loaded(cardId: string, loaded: Fetched<C>): void;
  readonly pause?: number;
}

/** Fetches the cards that come up next, one after the other, so that the user waits for none. */
export class Loader<C> {
  readonly #settings: LoaderSettings<C>;
  readonly #done = new Set<string>();
  /** Cards that could not be fetched, until they are asked for again. */
  readonly #resting = new Map<string, ReturnType<typeof setTimeout>>();
  #busy = false;
  #closed = false;

  constructor(settings: LoaderSettings<C>) {
    this.#settings = settings;
  }

  /** To be called whenever the wanted cards may have changed. */
  poke(): void {
    if (this.#busy || this.#closed) return;
    const { load, wanted, loaded, pause = 3000 } = this.#settings;
    const next = wanted().find((id) => !this.#done.has(id) && !this.#resting.has(id));
    if (next === undefined) return;
    this.#busy = true;
    void load(next).then((outcome) => {
      this.#busy = false;
      if (this.#closed) return;
      if (outcome.kind === "later")
        this.#resting.set(
          next,
          setTimeout(() => this.#again(next), pause),
        );
      else this.#done.add(next);
      loaded(next, outcome);
      this.poke();
    });
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#resting.values()) clearTimeout(timer);
  }

  #again(cardId: string): void {
    this.#resting.delete(cardId);
    this.poke();
  }
}
