/**
 * The ids of the cards to come, each once; it never changes. Undo keeps the queue of every answer: all of them share the
 * ids that the session began with, and those that were put behind them; what was put before them is their own.
 */
export class CardQueue {
  /** What comes before the base: a card that was put back a few places, and those before it. */
  readonly #head: readonly string[];
  readonly #base: readonly string[];
  /** Where the queue goes on in the base. */
  readonly #from: number;

  private constructor(head: readonly string[], base: readonly string[], from: number) {
    this.#head = head;
    this.#base = base;
    this.#from = from;
  }

  static of(ids: Iterable<string>): CardQueue {
    return new CardQueue([], [...new Set(ids)], 0);
  }

  get length(): number {
    return this.#head.length + this.#base.length - this.#from;
  }

  /** From 0; undefined beyond the end. */
  at(index: number): string | undefined {
    return index < this.#head.length ? this.#head[index] : this.#base[this.#from + index - this.#head.length];
  }

  /** The first ids, at most `count`. */
  take(count: number): string[] {
    return Array.from({ length: Math.min(count, this.length) }, (_, index) => this.at(index) ?? "");
  }

  *[Symbol.iterator](): Generator<string> {
    yield* this.#head;
    for (let index = this.#from; index < this.#base.length; index++) yield this.#base[index] ?? "";
  }

  includes(id: string): boolean {
    return this.#head.includes(id) || this.#base.indexOf(id, this.#from) >= 0;
  }

  without(id: string): CardQueue {
    if (this.at(0) === id) return this.#drop(1);
    const but = (ids: readonly string[]) => ids.filter((each) => each !== id);
    if (this.#head.includes(id)) return new CardQueue(but(this.#head), this.#base, this.#from);
    return this.includes(id) ? CardQueue.of(but([...this])) : this;
  }

  /** With an id behind all others, wherever it was. */
  withLast(id: string): CardQueue {
    return this.without(id).withMore([id]);
  }

  withFirst(id: string): CardQueue {
    const others = this.without(id);
    return new CardQueue([id, ...others.#head], others.#base, others.#from);
  }

  /** With an id behind so many others, wherever it was; behind all where there are fewer. */
  withLater(id: string, places: number): CardQueue {
    const others = this.without(id);
    if (others.length <= places) return others.withLast(id);
    const rest = others.#drop(places);
    return new CardQueue([...others.take(places), id, ...rest.#head], rest.#base, rest.#from);
  }

  /** With ids that are not in it behind all others. */
  withMore(ids: readonly string[]): CardQueue {
    return new CardQueue(this.#head, [...this.#base.slice(this.#from), ...ids], 0);
  }

  #drop(count: number): CardQueue {
    const from = this.#from + Math.max(0, count - this.#head.length);
    return new CardQueue(this.#head.slice(count), this.#base, Math.min(from, this.#base.length));
  }
}
