import type { Client } from "../../client/index.ts";
import type { Deck } from "../../schema/index.ts";
import { ifThere } from "../if-there.ts";
import type { SourceDeck } from "../model.ts";
import { broken, quoted } from "../place.ts";

/**
 * The decks that an earlier run used or made, and the one that the user named. They may have been deleted since, or put in
 * the trash, and what is new must not vanish there. Each is looked at when something new goes into it: those that are done
 * with hinder nothing.
 */
export class EarlierDecks {
  readonly #client: Client;
  readonly #journal: string;
  readonly #decks = new Map<string, SourceDeck | undefined>();
  readonly #there = new Set<string>();

  /** @param journal the path of that of the earlier run */
  constructor(client: Client, journal = "") {
    this.#client = client;
    this.#journal = journal;
  }

  /** @param deck undefined for one that the source does not know */
  add(id: string, deck: SourceDeck | undefined): void {
    this.#decks.set(id, deck);
  }

  /**
   * @param place of what is to go into the deck
   * @throws UsageError if it is one of these decks, and is not there any more or in the trash
   */
  async assertThere(id: string, place: string): Promise<void> {
    if (!this.#decks.has(id) || this.#there.has(id)) return;
    const deck = this.#decks.get(id);
    const line = await this.#lineage(id);
    const name = deck
      ? `the deck ${quoted(deck.body.name)} that an earlier run used`
      : `the deck ${quoted(line[0]?.name ?? id)}`;
    // Of one that the user named it is for the service to say that it is not there.
    if (line.length === 0 && deck !== undefined)
      throw broken(
        place,
        `${name} is not there any more`,
        `Name another deck for it, or import all of it once more: give another --journal or remove ${this.#journal}`,
      );
    // What the source itself puts in the trash belongs there.
    const trashed = line.find((each) => each["trashed?"] && !this.#decks.get(each.id)?.body["trashed?"]);
    if (trashed !== undefined)
      throw broken(
        place,
        `${name} is in the trash${trashed.id === id ? "" : ` with ${quoted(trashed.name ?? trashed.id)}`}`,
        `Restore it (deckhand decks restore ${trashed.id}) and run this again to continue.`,
      );
    this.#there.add(id);
    for (const each of line) this.#there.add(each.id);
  }

  /** The deck and those above it, with which it is in the trash; none if it is gone. */
  async #lineage(id: string): Promise<Deck[]> {
    const line = new Map<string, Deck>();
    for (let at: string | null | undefined = id; at != null && !line.has(at) && !this.#there.has(at); ) {
      const deck: Deck | undefined = await ifThere(this.#client.decks.get(at));
      if (deck === undefined) break;
      line.set(at, deck);
      at = deck["parent-id"];
    }
    return [...line.values()];
  }
}
