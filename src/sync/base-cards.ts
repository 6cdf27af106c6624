import { AgreedCard, type CardEntry, type CardLine, isSettled } from "./base-card.ts";
import { docHashLength } from "./doc.ts";
import type { Stat } from "./scan-files.ts";
import { longer, TextIndex } from "./text-index.ts";

/** The columns of the table, in numbers: where the line begins, and what the file was like. */
const [line, mtime, size, deck, columns] = [0, 1, 2, 3, 4];
/** In place of where its line begins. */
const [gone, notOnDisk] = [-1, -2];

/**
 * The cards of a base. There may be many, most of them unchanged: in memory is where the line of each begins, and numbers
 * that show whether a side has changed, about 100 bytes a card. The rest is read from the disk when it is needed. A card
 * has a number, from 0 on, that stays the same.
 */
export class BaseCards {
  readonly #ids = new TextIndex();
  readonly #paths = new TextIndex();
  #table = new Float64Array(columns);
  /** The hash of each document. */
  #docs = Buffer.alloc(0);
  #count = 0;
  #gone = 0;
  /** Decks by their numbers in the table. */
  readonly #decks = new Map<string | null, number>();
  readonly #held = new Map<number, CardLine>();
  readonly #read: (offset: number) => CardLine;

  /** @param read reads the line that begins so many bytes into the file */
  constructor(read: (offset: number) => CardLine) {
    this.#read = read;
  }

  get size(): number {
    return this.#count - this.#gone;
  }

  has(id: string): boolean {
    return this.numberOf(id) !== undefined;
  }

  get(id: string): AgreedCard | undefined {
    const number = this.numberOf(id);
    return number === undefined ? undefined : this.#card(number);
  }

  /** The card whose file was last at a path; of several, the one that was first recorded last. */
  at(path: string, isMeant: (number: number) => boolean = () => true): AgreedCard | undefined {
    let last = -1;
    for (const number of this.#paths.find(path))
      if (this.#isThere(number) && isMeant(number)) last = Math.max(last, number);
    return last < 0 ? undefined : this.#card(last);
  }

  /** In the order in which they were first recorded. @param isMeant chooses them by their numbers */
  *values(isMeant: (number: number) => boolean = () => true): Generator<AgreedCard> {
    for (let number = 0; number < this.#count; number++)
      if (this.#isThere(number) && isMeant(number)) yield this.#card(number);
  }

  numberOf(id: string): number | undefined {
    const number = this.#knownNumber(id);
    return number !== undefined && this.#isThere(number) ? number : undefined;
  }

  /** Where the line of a card begins, in bytes; undefined if there is none. */
  lineOf(id: string): number | undefined {
    const number = this.numberOf(id);
    return number === undefined ? undefined : this.#value(number, line);
  }

  /** The number of a card whose document has this hash; undefined if it had another one at the last sync. */
  ifAgreed(id: string, docHash: string): number | undefined {
    const number = this.numberOf(id);
    if (number === undefined) return undefined;
    const start = docHashLength * number;
    return this.#docs.toString("latin1", start, start + docHashLength) === docHash ? number : undefined;
  }

  /** The number of the card whose file is at a path and has not changed since the last sync, as its size and times show. */
  ifUnchanged(path: string, stat: Stat, deckKey: string | null): number | undefined {
    const inDeck = this.#decks.get(deckKey);
    for (const number of this.#paths.find(path)) {
      const isSame = this.#value(number, mtime) === stat.mtime && this.#value(number, size) === stat.size;
      if (isSame && this.#value(number, deck) === inDeck && this.#isThere(number)) return number;
    }
    return undefined;
  }

  /** Whether a card has a file that was recorded with this time. */
  hasTime(time: number): boolean {
    for (let number = 0; number < this.#count; number++)
      if (this.#isThere(number) && this.#value(number, mtime) === time) return true;
    return false;
  }

  /** @param place where the line begins; the line itself if it is not on the disk */
  set(card: CardEntry, docHash: string, place: number | CardLine): void {
    let number = this.#knownNumber(card.id);
    if (number === undefined) {
      number = this.#count++;
      this.#table = longer(this.#table, columns * this.#count);
      const length = docHashLength * this.#count;
      if (length > this.#docs.length) this.#docs = Buffer.concat([this.#docs], 2 * length);
      this.#ids.set(number, card.id);
    } else if (!this.#isThere(number)) this.#gone--;
    if (typeof place === "number") this.#held.delete(number);
    else this.#held.set(number, place);
    this.#paths.set(number, card.path);
    if (!this.#decks.has(card.deck)) this.#decks.set(card.deck, this.#decks.size);
    const values = [
      typeof place === "number" ? place : notOnDisk,
      isSettled(card) ? card.mtime : Number.NaN,
      card.size,
      this.#decks.get(card.deck) ?? Number.NaN,
    ];
    this.#table.set(values, columns * number);
    this.#docs.write(docHash, docHashLength * number, "latin1");
  }

  delete(id: string): void {
    const number = this.numberOf(id);
    if (number === undefined) return;
    this.#table[columns * number + line] = gone;
    this.#held.delete(number);
    this.#gone++;
  }

  /** Also of a card that is gone. */
  #knownNumber(id: string): number | undefined {
    for (const number of this.#ids.find(id)) return number;
    return undefined;
  }

  #isThere(number: number): boolean {
    return this.#value(number, line) !== gone;
  }

  #value(number: number, column: number): number | undefined {
    return this.#table[columns * number + column];
  }

  #card(number: number): AgreedCard {
    const place = this.#held.get(number) ?? this.#value(number, line) ?? 0;
    return new AgreedCard(number, place, this.#read);
  }
}
