import { isDeepStrictEqual } from "node:util";
import { isMap } from "../../../schema/index.ts";
import { broken, quoted } from "../../place.ts";
import { Scratch } from "../../scratch.ts";

export type Document = Readonly<Record<string, unknown>>;

interface StoredCard {
  readonly document: Document;
  /** The number of the deck that lists it, from 0; undefined for a card at the top level. */
  readonly deck?: number | undefined;
  readonly place: string;
}

/** Where a card is listed in an archive. */
interface CardPlace {
  readonly deck: number | undefined;
  /** From 0. */
  readonly number: number;
}

/** The cards of an archive, in a temporary file: memory does not grow with their number. */
export class StoredCards {
  /** The decks that cards name, each with the place of the first card that does. */
  readonly decks = new Map<string, string>();
  readonly #archive: string;
  readonly #scratch = new Scratch();
  /** By their ids. */
  readonly #cards = this.#scratch.map<StoredCard>();

  /** @param archive its name, for messages */
  constructor(archive: string) {
    this.#archive = archive;
  }

  /**
   * Adds a card. One that is listed in its deck and at the top, as in some exports, is added once, in its deck.
   *
   * @throws UsageError for what is not a card, and for two different cards with one id
   */
  add(document: unknown, { deck, number }: CardPlace): void {
    const list = deck === undefined ? this.#archive : `${this.#archive}, deck ${deck + 1}`;
    const place = `${list}, card ${number + 1}`;
    if (!isMap(document)) throw broken(place, "the card is not a map");
    const [id, own] = [textOf(document["id"]), textOf(document["deck-id"])];
    if (own !== undefined && !this.decks.has(own)) this.decks.set(own, place);
    const key = JSON.stringify(id ?? [place]);
    const card = { document, deck, place };
    if (this.#cards.add(key, card)) return;
    const before = this.#cards.get(key);
    // What is stored went through JSON.
    if (!isDeepStrictEqual(before?.document, JSON.parse(JSON.stringify(document))))
      throw broken(place, `another card has the id ${quoted(id ?? "")}, too (${before?.place})`);
    if (before?.deck === undefined) this.#cards.set(key, card);
  }

  *all(): Generator<StoredCard> {
    for (const [, card] of this.#cards.entries()) yield card;
  }

  close(): void {
    this.#scratch.close();
  }
}

/** Undefined for what is blank, or is not text. */
export const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
