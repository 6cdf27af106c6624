import type { Fetched } from "../ports.ts";

interface LoaderSettings<C> {
  load(cardId: string): Promise<Fetched<C>>;
  /** Ids of the cards wanted now, the most urgent first. */
  wanted(): readonly string[];
  loaded(cardId: string, loaded: Fetched<C>): void;
  /** Milliseconds to wait for an answer before the card is treated as unavailable for now. */
  readonly patience?: number;
  /** The same while the service does not answer: a session does not wait so long for each of its cards. */
  readonly haste?: number;
  readonly pause?: number;
}

type Timer = ReturnType<typeof setTimeout>;

/** Fetches the cards that come up next, one after the other, so that the user waits for none. */
export class Loader<C> {
  readonly #settings: LoaderSettings<C>;
  readonly #done = new Set<string>();
  /** Cards that could not be fetched, until they are asked for again. */
  readonly #resting = new Map<string, Timer>();
  /** Whether the last card that was asked for did not come. */
  #away = false;
  #busy = false;
  #closed = false;

  constructor(settings: LoaderSettings<C>) {
    this.#settings = settings;
  }

  /** To be called whenever the wanted cards may have changed. */
  poke(): void {
    if (this.#busy || this.#closed) return;
    const next = this.#settings.wanted().find((id) => !this.#done.has(id) && !this.#resting.has(id));
    if (next === undefined) return;
    this.#busy = true;
    void this.#fetch(next).then(() => {
      this.#busy = false;
      this.poke();
    });
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#resting.values()) clearTimeout(timer);
  }

  /** What comes late is taken all the same. */
  async #fetch(cardId: string): Promise<void> {
    const { load, patience = 10_000, haste = 2000 } = this.#settings;
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#away ? haste : patience);
    });
    await Promise.race([late, load(cardId).then((outcome) => this.#finish(cardId, outcome))]);
    clearTimeout(timer);
    this.#finish(cardId, { kind: "later", reason: "no answer yet" });
  }

  #finish(cardId: string, outcome: Fetched<C>): void {
    const isLater = outcome.kind === "later";
    if (this.#closed || this.#done.has(cardId) || (isLater && this.#resting.has(cardId))) return;
    this.#away = isLater;
    clearTimeout(this.#resting.get(cardId));
    this.#resting.delete(cardId);
    if (isLater) this.#rest(cardId);
    else this.#done.add(cardId);
    this.#settings.loaded(cardId, outcome);
    this.poke();
  }

  #rest(cardId: string): void {
    const wake = setTimeout(() => {
      this.#resting.delete(cardId);
      this.poke();
    }, this.#settings.pause ?? 3000);
    this.#resting.set(cardId, wake);
  }
}
