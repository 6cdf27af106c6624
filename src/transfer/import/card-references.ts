import type { DeckhandError } from "../../errors.ts";
import type { CardUpdate } from "../../schema/index.ts";
import { ifThere } from "../if-there.ts";
import type { SourceCard } from "../model.ts";
import { noteCard } from "./known.ts";
import { hashOf } from "./ledger.ts";
import { changedText, type NewIds, refers, type Text, textOf, withNewIds } from "./references.ts";
import type { ScratchMap } from "./scratch.ts";
import type { ImportTarget } from "./target.ts";
import { hashAfter } from "./update.ts";

/** A card that names others. */
interface Referring {
  readonly number: number;
  readonly id: string;
  readonly key: string | undefined;
  readonly place: string;
  /** As the source has it. */
  readonly body: Text;
  /** As the service has it since this run, with the references that were known then; undefined if an earlier run sent it. */
  readonly sent: Text | undefined;
  readonly created: boolean;
}

/** The references of the cards of a source to each other, which get the ids that the cards have in the account. */
export class CardReferences {
  readonly #target: ImportTarget;
  /** False where no card of the source names another. */
  readonly #any: boolean;
  readonly #fail: (error: DeckhandError, place: string) => void;
  /** The ids of the cards that are there so far, by their keys. */
  readonly #cards: ScratchMap<string>;
  /** Cards that refer to others, until all have their ids; by their numbers. */
  readonly #referring: ScratchMap<Referring>;

  constructor(target: ImportTarget, any: boolean, fail: (error: DeckhandError, place: string) => void) {
    this.#target = target;
    this.#any = any;
    this.#fail = fail;
    this.#cards = target.scratch.map();
    this.#referring = target.scratch.map();
  }

  /** @param key of the card in the source */
  know(key: string | undefined, id: string): void {
    if (this.#any && key !== undefined) this.#cards.set(key, id);
  }

  /** A card with the ids of the cards that are there so far. */
  rewritten<T extends Text>(card: T, known: NewIds = this.#cards): T {
    return this.#any ? withNewIds(card, known) : card;
  }

  /** Gives cards of the account as the source has them. */
  asRead(): <T extends Text>(card: T) => T {
    const keys = new Map(Array.from(this.#cards.entries(), ([key, id]) => [id, key]));
    return (card) => this.rewritten(card, keys);
  }

  /** Keeps a card that names others for `complete`. */
  add(card: SourceCard, number: number, how: Pick<Referring, "id" | "sent" | "created">): void {
    if (!this.#any || !refers(card.body)) return;
    const { key, place, body } = card;
    this.#referring.set(String(number), { ...how, number, key, place, body: textOf(body) });
  }

  /** Puts the references right that were sent before the cards that they name were there. */
  async complete(): Promise<void> {
    for (const [, each] of this.#referring.entries()) await this.#refer(each);
  }

  async #refer({ number, id, key, place, body, sent, created }: Referring): Promise<void> {
    const { client, ledger, known } = this.#target;
    const now = this.rewritten(body);
    if (isEmpty(changedText((created ? undefined : sent) ?? body, now))) return;
    const result = await ledger.perform({
      // A card that it names may have failed in an earlier run, and be there now: then there is more to put right.
      item: `card ${number} references ${hashOf([now.content, now.fields ?? null])}`,
      sent: [body.content, body.fields ?? null],
      send: async () => {
        // It may have been edited since it was made, also while this import runs: only the ids in it are changed.
        const there = await ifThere(client.cards.get(id));
        const text = there === undefined ? {} : changedText(there, withNewIds(there, this.#cards));
        if (there === undefined || isEmpty(text)) return {};
        if (!created) ledger.journal?.keep({ was: there, to: await hashAfter(there, text as CardUpdate) });
        const changed = await client.cards.update(id, text as CardUpdate).send();
        return { of: id, card: noteCard(known, key, changed) };
      },
    });
    if (result.state === "failed") this.#fail(result.error, place);
  }
}

const isEmpty = (body: object) => Object.keys(body).length === 0;
