import { hash } from "node:crypto";

const firstLength = 64;

/**
 * Finds numbers by texts without holding the texts: it has 64 bits of a hash of each. Of a million texts, two have the same
 * ones with a probability of 3 in 100 million. A number takes 16 to 48 bytes.
 */
export class TextIndex {
  /** Two for each number. */
  #prints = new Uint32Array(2 * firstLength);
  /** A hash table with open addressing: numbers plus one, 0 where there is none. An earlier text of a number may stay. */
  #slots = new Uint32Array(4 * firstLength);
  #used = 0;
  #count = 0;

  /** Gives a number, the next free one or an earlier one, a text instead of the one that it had. */
  set(number: number, text: string): void {
    const [low, high] = fingerprint(text);
    const isKnown = number < this.#count;
    if (isKnown && this.#prints[2 * number] === low && this.#prints[2 * number + 1] === high) return;
    this.#prints = withRoomFor(this.#prints, 2 * (number + 1));
    this.#prints.set([low, high], 2 * number);
    this.#count = Math.max(this.#count, number + 1);
    if (2 * (this.#used + 1) > this.#slots.length) this.#rebuild();
    else this.#insert(number);
  }

  /** The numbers with a text, perhaps more than once. */
  *find(text: string): Generator<number> {
    const [low, high] = fingerprint(text);
    for (let slot = low; ; slot++) {
      const number = (this.#slots[slot & (this.#slots.length - 1)] ?? 0) - 1;
      if (number < 0) return;
      if (this.#prints[2 * number] === low && this.#prints[2 * number + 1] === high) yield number;
    }
  }

  #rebuild(): void {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(4 * this.#count)));
    this.#used = 0;
    for (let number = 0; number < this.#count; number++) this.#insert(number);
  }

  #insert(number: number): void {
    let slot = this.#prints[2 * number] ?? 0;
    while (this.#slots[slot & (this.#slots.length - 1)] !== 0) slot++;
    this.#slots[slot & (this.#slots.length - 1)] = number + 1;
    this.#used++;
  }
}

/** An array with room for so many elements: the same one if it has it. */
export function withRoomFor<T extends Float64Array | Uint32Array>(array: T, length: number): T {
  if (length <= array.length) return array;
  const next = new (array.constructor as new (length: number) => T)(Math.max(length, 2 * array.length));
  next.set(array);
  return next;
}

/** The first 64 bits of the SHA-256 of a text, as two numbers of 32 bits. */
function fingerprint(text: string): readonly [number, number] {
  // The fastest form of a result: a character is a byte.
  const bytes = hash("sha256", text, "binary");
  const word = (at: number) =>
    bytes.charCodeAt(at) |
    (bytes.charCodeAt(at + 1) << 8) |
    (bytes.charCodeAt(at + 2) << 16) |
    (bytes.charCodeAt(at + 3) << 24);
  return [word(0) >>> 0, word(4) >>> 0];
}
