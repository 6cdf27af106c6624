/**
 * The ids of the cards to come, each once; it never changes. Undo keeps the queue of every answer: all of them share the
 * ids that the session began with, and have of their own only what was put at the end.
 */
export class CardQueue {
  readonly #base: readonly string[];
  /** Where the queue begins in the base. */
  readonly #from: number;
  readonly #tail: readonly string[];

  private constructor(base: readonly string[], from: number, tail: readonly string[]) {
    this.#base = base;
    this.#from = from;
    this.#tail = tail;
  }

  static of(ids: Iterable<string>): CardQueue {
    return new CardQueue([...new Set(ids)], 0, []);
  }

  get length(): number {
    return this.#base.length - this.#from + this.#tail.length;
  }

  /** From 0; undefined beyond the end. */
  at(index: number): string | undefined {
    const place = this.#from + index;
    return place < this.#base.length ? this.#base[place] : this.#tail[place - this.#base.length];
  }

  /** The first ids, at most `count`. */
  take(count: number): string[] {
    return Array.from({ length: Math.min(count, this.length) }, (_, index) => this.at(index) ?? "");
  }

  *[Symbol.iterator](): Generator<string> {
    for (let index = this.#from; index < this.#base.length; index++) yield this.#base[index] ?? "";
    yield* this.#tail;
  }

  includes(id: string): boolean {
    return this.#tail.includes(id) || this.#base.indexOf(id, this.#from) >= 0;
  }

  without(id: string): CardQueue {
    if (this.at(0) === id) return this.#rest();
    if (this.#tail.includes(id))
      return new CardQueue(
        this.#base,
        this.#from,
        this.#tail.filter((each) => each !== id),
      );
    return this.includes(id) ? CardQueue.of([...this].filter((each) => each !== id)) : this;
  }

  /** With an id behind all others, wherever it was. */
  withLast(id: string): CardQueue {
    const others = this.without(id);
    return new CardQueue(others.#base, others.#from, [...others.#tail, id]);
  }

  /** With ids behind those of the session's beginning, before what was put at the end. */
  withMore(ids: readonly string[]): CardQueue {
    return new CardQueue([...this.#base.slice(this.#from), ...ids], 0, this.#tail);
  }

  #rest(): CardQueue {
    return this.#from < this.#base.length
      ? new CardQueue(this.#base, this.#from + 1, this.#tail)
      : new CardQueue([], 0, this.#tail.slice(1));
  }
}
