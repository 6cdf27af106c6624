import type { Client } from "../../client/index.ts";
import { DeckhandError } from "../../errors.ts";
import { cardHash } from "../card-hash.ts";
import { frontHash, hashesOf, type PartHashes, partsOfCard } from "./parts.ts";
import type { Scratch, ScratchMap } from "./scratch.ts";

/** A card of the account, without its text. */
export interface CardThere {
  readonly id: string;
  readonly deck: string;
  readonly parts: PartHashes;
  /** `cardHash` of the card. */
  readonly hash: string;
  readonly updated: string | undefined;
  /** The instants of its reviews. */
  readonly reviews: readonly string[];
  /** When the last of them makes it due. */
  readonly due: string | undefined;
}

/** The cards that an account has, by id and by what they ask. */
export class Inventory {
  readonly #cards: ScratchMap<CardThere>;
  /** The cards of a deck that ask the same, and those of them that have the same content. */
  readonly #byFront: IdLists;
  readonly #byContent: IdLists;
  #size = 0;

  private constructor(scratch: Scratch) {
    this.#cards = scratch.map();
    this.#byFront = new IdLists(scratch);
    this.#byContent = new IdLists(scratch);
  }

  /** @param decks whose cards are read; undefined for the whole account */
  static async read(
    client: Client,
    decks: ReadonlySet<string> | undefined,
    scratch: Scratch,
    progress: (cards: number) => void,
  ): Promise<Inventory> {
    const inventory = new Inventory(scratch);
    for (const deckId of decks ?? [undefined]) await inventory.#read(client, deckId, progress);
    return inventory;
  }

  find(id: string): CardThere | undefined {
    return this.#cards.get(id);
  }

  /**
   * The ids of the cards of a deck that ask the same; those in the trash are not among them.
   *
   * @param content the hash of the content that they have, too; any if not given
   * @param isOut whether a card is left out, from now on
   */
  withFront(
    deck: string,
    front: string,
    content: string | undefined,
    isOut: (id: string) => boolean,
  ): Iterable<string> {
    return content === undefined
      ? this.#byFront.ids(`${deck} ${front}`, isOut)
      : this.#byContent.ids(`${deck} ${front} ${content}`, isOut);
  }

  async #read(client: Client, deckId: string | undefined, progress: (cards: number) => void): Promise<void> {
    try {
      for await (const { docs } of client.cards.pages({ deckId })) {
        for (const card of docs) {
          const parts = await partsOfCard(card);
          const there: CardThere = {
            id: card.id,
            deck: card["deck-id"] ?? "",
            parts: hashesOf(parts),
            hash: cardHash(card),
            updated: card["updated-at"] ?? undefined,
            reviews: (card.reviews ?? []).flatMap((review) => review.date ?? []),
            due: card.reviews?.at(-1)?.due ?? undefined,
          };
          this.#add(there, card["trashed?"] == null ? frontHash(parts) : undefined);
        }
        progress(this.#size);
      }
    } catch (error) {
      // A deck that the service does not know has no cards; creating one there will say so.
      if (!(error instanceof DeckhandError && error.code === "not-found")) throw error;
    }
  }

  #add(card: CardThere, front: string | undefined): void {
    if (this.#cards.get(card.id) !== undefined) return;
    this.#cards.set(card.id, card);
    this.#size++;
    if (front === undefined) return;
    this.#byFront.add(`${card.deck} ${front}`, card.id);
    this.#byContent.add(`${card.deck} ${front} ${card.parts.content}`, card.id);
  }
}

/** Lists of ids by keys. */
export class IdLists {
  /** How many ids have a key, and how many at the beginning are out; the ids by their numbers among them. */
  readonly #lists: ScratchMap<{ readonly size: number; readonly out: number }>;
  readonly #ids: ScratchMap<string>;

  constructor(scratch: Scratch) {
    this.#lists = scratch.map();
    this.#ids = scratch.map();
  }

  add(key: string, id: string): void {
    const { size, out } = this.#lists.get(key) ?? { size: 0, out: 0 };
    this.#lists.set(key, { size: size + 1, out });
    this.#ids.set(`${key} ${size}`, id);
  }

  /** @param isOut whether an id is passed over; those at the beginning are asked for once, as all may have the same key */
  *ids(key: string, isOut: (id: string) => boolean): Generator<string> {
    const { size, out } = this.#lists.get(key) ?? { size: 0, out: 0 };
    let first = out;
    for (let number = out; number < size; number++) {
      const id = this.#ids.get(`${key} ${number}`) ?? "";
      if (!isOut(id)) yield id;
      else if (number === first) this.#lists.set(key, { size, out: ++first });
    }
  }
}
