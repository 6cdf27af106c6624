import type { Client } from "../../client/index.ts";
import { DeckhandError } from "../../errors.ts";
import { cardHash } from "../card-hash.ts";
import { frontHash, hashesOf, type PartHashes, partsOfCard } from "./parts.ts";

/** A card of the account, without its text. */
export interface CardThere {
  readonly id: string;
  readonly deck: string;
  readonly parts: PartHashes;
  /** `cardHash` of the card. */
  readonly hash: string;
  readonly updated: string | undefined;
  /** Whether it was never reviewed. */
  readonly isNew: boolean;
}

/** The cards that an account has, by id and by what they ask: hashes, so that memory does not grow with their text. */
export class Inventory {
  readonly #cards = new Map<string, CardThere>();
  readonly #fronts = new Map<string, CardThere[]>();

  /** @param decks whose cards are read; undefined for the whole account */
  static async read(
    client: Client,
    decks: ReadonlySet<string> | undefined,
    progress: (cards: number) => void,
  ): Promise<Inventory> {
    const inventory = new Inventory();
    for (const deckId of decks ?? [undefined]) await inventory.#read(client, deckId, progress);
    return inventory;
  }

  find(id: string): CardThere | undefined {
    return this.#cards.get(id);
  }

  /** The cards of a deck that ask the same; those in the trash are not among them. */
  withFront(deck: string, front: string): readonly CardThere[] {
    return this.#fronts.get(`${deck} ${front}`) ?? [];
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
            isNew: (card.reviews ?? []).length === 0,
          };
          this.#add(there, card["trashed?"] == null ? frontHash(parts) : undefined);
        }
        progress(this.#cards.size);
      }
    } catch (error) {
      // A deck that the service does not know has no cards; creating one there will say so.
      if (!(error instanceof DeckhandError && error.code === "not-found")) throw error;
    }
  }

  #add(card: CardThere, front: string | undefined): void {
    if (this.#cards.has(card.id)) return;
    this.#cards.set(card.id, card);
    if (front === undefined) return;
    const key = `${card.deck} ${front}`;
    const known = this.#fronts.get(key);
    if (known === undefined) this.#fronts.set(key, [card]);
    else known.push(card);
  }
}
