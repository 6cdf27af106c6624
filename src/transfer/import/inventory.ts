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
}

/** The cards that an account has, by id and by what they ask. */
export class Inventory {
  readonly #cards: ScratchMap<CardThere>;
  /** How many cards of a deck have a front; the id of each by its number among them. */
  readonly #fronts: ScratchMap<number>;
  readonly #byFront: ScratchMap<string>;
  #size = 0;

  private constructor(scratch: Scratch) {
    this.#cards = scratch.map();
    this.#fronts = scratch.map();
    this.#byFront = scratch.map();
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

  /** The cards of a deck that ask the same; those in the trash are not among them. */
  withFront(deck: string, front: string): readonly CardThere[] {
    const key = `${deck} ${front}`;
    return Array.from({ length: this.#fronts.get(key) ?? 0 }, (_, number) =>
      this.find(this.#byFront.get(`${key} ${number}`) ?? ""),
    ).filter((card) => card !== undefined);
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
    const key = `${card.deck} ${front}`;
    const number = this.#fronts.get(key) ?? 0;
    this.#fronts.set(key, number + 1);
    this.#byFront.set(`${key} ${number}`, card.id);
  }
}
