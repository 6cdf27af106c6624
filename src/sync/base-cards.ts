import { AgreedCard, type CardEntry, type CardLine, isSettled } from "./base-card.ts";
import { docHashLength } from "./doc.ts";
import { neverUnchanged, type Stat } from "./scan-files.ts";
import { TextIndex, withRoomFor } from "./text-index.ts";

/** The columns of the table: where the line begins, in bytes, and what the file was like. */
const column = { offset: 0, mtime: 1, size: 2, deck: 3 };
const columns = 4;
/** Offsets of a card that was forgotten, and of one whose line is not on the disk. */
const [forgotten, notOnDisk] = [-1, -2];

/**
 * The cards of a base. There may be many, most of them unchanged: in memory is where the line of each begins, and numbers
 * that show whether a side has changed, about 100 bytes a card. The rest is read from the disk when it is needed. A card
 * has a number, from 0 on, that stays the same, also when it is forgotten and recorded again.
 */
export class BaseCards {
  readonly #ids = new TextIndex();
  readonly #paths = new TextIndex();
  #table = new Float64Array(columns);
  /** The hash of each document. */
  #docs = Buffer.alloc(0);
  #count = 0;
  #forgotten = 0;
  /** Decks by their numbers in the table. */
  readonly #decks = new Map<string | null, number>();
  readonly #held = new Map<number, CardLine>();
  readonly #read: (offset: number) => CardLine;

  /** @param read reads the line that begins so many bytes into the file */
  constructor(read: (offset: number) => CardLine) {
    this.#read = read;
  }

  get size(): number {
    return this.#count - this.#forgotten;
  }

  has(id: string): boolean {
    return this.numberOf(id) !== undefined;
  }

  get(id: string): AgreedCard | undefined {
    const number = this.numberOf(id);
    return number === undefined ? undefined : this.#card(number);
  }

  /** The card whose file was last at a path; of several that `accepts` allows, the one with the highest number. */
  at(path: string, accepts: (number: number) => boolean = () => true): AgreedCard | undefined {
    let last = -1;
    for (const number of this.#paths.find(path))
      if (this.#isLive(number) && accepts(number)) last = Math.max(last, number);
    return last < 0 ? undefined : this.#card(last);
  }

  /** In the order of their numbers. @param accepts chooses them by these */
  *values(accepts: (number: number) => boolean = () => true): Generator<AgreedCard> {
    for (let number = 0; number < this.#count; number++)
      if (this.#isLive(number) && accepts(number)) yield this.#card(number);
  }

  numberOf(id: string): number | undefined {
    const number = this.#knownNumber(id);
    return number !== undefined && this.#isLive(number) ? number : undefined;
  }

  /** Where the line of a card begins, in bytes; -2 for one that is not on the disk, undefined if there is no card. */
  offsetOf(id: string): number | undefined {
    const number = this.numberOf(id);
    return number === undefined ? undefined : this.#value(number, column.offset);
  }

  /** The number of a card whose document has this hash; undefined if it had another one at the last sync. */
  agreedNumber(id: string, docHash: string): number | undefined {
    const number = this.numberOf(id);
    if (number === undefined) return undefined;
    const start = docHashLength * number;
    return this.#docs.toString("latin1", start, start + docHashLength) === docHash ? number : undefined;
  }

  /**
   * The number of the card whose file is at a path and has not changed since the last sync, as its size and times show.
   * Undefined also where the files of several cards were last there: which one it is shows its id.
   */
  unchangedNumber(path: string, { mtime, size }: Stat, deck: string | null): number | undefined {
    let found: number | undefined;
    for (const number of this.#paths.find(path)) {
      if (number === found || !this.#isLive(number)) continue;
      if (found !== undefined) return undefined;
      found = number;
    }
    if (found === undefined) return undefined;
    const isSame =
      this.#value(found, column.mtime) === mtime &&
      this.#value(found, column.size) === size &&
      this.#value(found, column.deck) === this.#decks.get(deck);
    return isSame ? found : undefined;
  }

  /** Whether there is a card whose file has to be read by the next sync. */
  get hasUnwritten(): boolean {
    for (let number = 0; number < this.#count; number++)
      if (this.#isLive(number) && this.#value(number, column.size) === neverUnchanged.size) return true;
    return false;
  }

  /** @param place where the line begins; the line itself if it is not on the disk */
  set(card: CardEntry, docHash: string, place: number | CardLine): void {
    let number = this.#knownNumber(card.id);
    if (number === undefined) {
      number = this.#count++;
      this.#table = withRoomFor(this.#table, columns * this.#count);
      const length = docHashLength * this.#count;
      if (length > this.#docs.length) this.#docs = Buffer.concat([this.#docs], 2 * length);
      this.#ids.set(number, card.id);
    } else if (!this.#isLive(number)) this.#forgotten--;
    if (typeof place === "number") this.#held.delete(number);
    else this.#held.set(number, place);
    this.#paths.set(number, card.path);
    // No time equals NaN, so that the file is read.
    const mtime = isSettled(card) ? card.mtime : Number.NaN;
    const offset = typeof place === "number" ? place : notOnDisk;
    this.#table.set([offset, mtime, card.size, this.#deckNumber(card.deck)], columns * number);
    this.#docs.write(docHash, docHashLength * number, docHashLength, "latin1");
  }

  delete(id: string): void {
    const number = this.numberOf(id);
    if (number === undefined) return;
    this.#table[columns * number + column.offset] = forgotten;
    this.#held.delete(number);
    this.#forgotten++;
  }

  /** Also of a card that was forgotten. */
  #knownNumber(id: string): number | undefined {
    for (const number of this.#ids.find(id)) return number;
    return undefined;
  }

  #isLive(number: number): boolean {
    return this.#value(number, column.offset) !== forgotten;
  }

  #deckNumber(deck: string | null): number {
    const known = this.#decks.get(deck) ?? this.#decks.size;
    this.#decks.set(deck, known);
    return known;
  }

  #value(number: number, at: number): number | undefined {
    return this.#table[columns * number + at];
  }

  #card(number: number): AgreedCard {
    const place = this.#held.get(number) ?? this.#value(number, column.offset) ?? 0;
    return new AgreedCard(number, place, this.#read);
  }
}
