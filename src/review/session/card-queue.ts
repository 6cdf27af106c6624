/**
 * The ids of the cards to come, each once; it never changes. Undo keeps the queue of every answer: all of them share the
 * ids that the session began with, and have of their own only what was put elsewhere.
 */
export class CardQueue {
  /** What comes before the base: a card that was put back a few places, and those before it. */
  readonly #head: readonly string[];
  readonly #base: readonly string[];
  /** Where the queue goes on in the base. */
  readonly #from: number;
  readonly #tail: readonly string[];

  private constructor(
    head: readonly string[],
    base: readonly string[],
    from: number,
    tail: readonly string[],
  ) {
    this.#head = head;
    this.#base = base;
    this.#from = from;
    this.#tail = tail;
  }

  static of(ids: Iterable<string>): CardQueue {
    return new CardQueue([], [...new Set(ids)], 0, []);
  }

  get length(): number {
    return this.#head.length + this.#base.length - this.#from + this.#tail.length;
  }

  /** From 0; undefined beyond the end. */
  at(index: number): string | undefined {
    if (index < this.#head.length) return this.#head[index];
    const place = this.#from + index - this.#head.length;
    return place < this.#base.length ? this.#base[place] : this.#tail[place - this.#base.length];
  }

  /** The first ids, at most `count`. */
  take(count: number): string[] {
    return Array.from({ length: Math.min(count, this.length) }, (_, index) => this.at(index) ?? "");
  }

  *[Symbol.iterator](): Generator<string> {
    yield* this.#head;
    for (let index = this.#from; index < this.#base.length; index++) yield this.#base[index] ?? "";
    yield* this.#tail;
  }

  includes(id: string): boolean {
    return this.#head.includes(id) || this.#tail.includes(id) || this.#base.indexOf(id, this.#from) >= 0;
  }

  without(id: string): CardQueue {
    if (this.at(0) === id) return this.#drop(1);
    const but = (ids: readonly string[]) => ids.filter((each) => each !== id);
    if (this.#head.includes(id) || this.#tail.includes(id))
      return new CardQueue(but(this.#head), this.#base, this.#from, but(this.#tail));
    return this.includes(id) ? CardQueue.of(but([...this])) : this;
  }

  /** With an id behind all others, wherever it was. */
  withLast(id: string): CardQueue {
    const others = this.without(id);
    return new CardQueue(others.#head, others.#base, others.#from, [...others.#tail, id]);
  }

  withFirst(id: string): CardQueue {
    const others = this.without(id);
    return new CardQueue([id, ...others.#head], others.#base, others.#from, others.#tail);
  }

  /** With an id behind so many others, wherever it was; behind all where there are fewer. */
  withLater(id: string, places: number): CardQueue {
    const others = this.without(id);
    if (others.length <= places) return others.withLast(id);
    const rest = others.#drop(places);
    return new CardQueue([...others.take(places), id, ...rest.#head], rest.#base, rest.#from, rest.#tail);
  }

  /** With ids behind those of the session's beginning, before what was put at the end. */
  withMore(ids: readonly string[]): CardQueue {
    return new CardQueue(this.#head, [...this.#base.slice(this.#from), ...ids], 0, this.#tail);
  }

  #drop(count: number): CardQueue {
    const head = this.#head.slice(count);
    const inBase = Math.min(this.#base.length - this.#from, Math.max(0, count - this.#head.length));
    const beyond = Math.max(0, count - this.#head.length - inBase);
    return new CardQueue(head, this.#base, this.#from + inBase, this.#tail.slice(beyond));
  }
}
