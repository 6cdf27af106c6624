/**
 * The ids of the cards to come, each once; it never changes. Undo keeps the queue of every answer: taking the first card
 * out copies nothing.
 */
export class CardQueue {
  readonly #ids: readonly string[];
  readonly #from: number;

  private constructor(ids: readonly string[], from = 0) {
    this.#ids = ids;
    this.#from = from;
  }

  static of(ids: Iterable<string>): CardQueue {
    return new CardQueue([...new Set(ids)]);
  }

  get length(): number {
    return this.#ids.length - this.#from;
  }

  /** From 0; undefined beyond the end. */
  at(index: number): string | undefined {
    return this.#ids[this.#from + index];
  }

  take(count: number): string[] {
    return this.#ids.slice(this.#from, this.#from + count);
  }

  *[Symbol.iterator](): Generator<string> {
    for (let index = this.#from; index < this.#ids.length; index++) yield this.#ids[index] ?? "";
  }

  includes(id: string): boolean {
    return this.#ids.indexOf(id, this.#from) >= 0;
  }

  without(id: string): CardQueue {
    if (this.at(0) === id) return new CardQueue(this.#ids, this.#from + 1);
    return this.includes(id) ? new CardQueue([...this].filter((each) => each !== id)) : this;
  }

  /** With an id behind so many others, wherever it was; behind all where there are fewer. */
  withLater(id: string, places = Number.POSITIVE_INFINITY): CardQueue {
    return new CardQueue([...this.without(id)].toSpliced(places, 0, id));
  }

  /** With ids that are not in it behind all others. */
  withMore(ids: readonly string[]): CardQueue {
    return new CardQueue([...this, ...ids]);
  }
}
