import type { BaseCards } from "./base-cards.ts";
import type { ServiceCard } from "./types.ts";

/**
 * The cards of the service as they were listed. Of those that are as at the last sync only the numbers are held: what they
 * are comes from the base, so that this serves to plan, before the base changes.
 */
export class ServiceCards {
  /** Those that are new, changed or in the trash. */
  readonly others = new Map<string, ServiceCard>();
  readonly #base: BaseCards;
  readonly #unchanged = new Set<number>();

  constructor(base: BaseCards) {
    this.#base = base;
  }

  get size(): number {
    return this.#unchanged.size + this.others.size;
  }

  /** How many are not in the trash. */
  get live(): number {
    let live = this.#unchanged.size;
    for (const { trashed } of this.others.values()) if (!trashed) live++;
    return live;
  }

  add(card: ServiceCard): void {
    const number = card.trashed ? undefined : this.#base.agreedNumber(card.id, card.doc.hash);
    if (number === undefined) this.others.set(card.id, card);
    else this.#unchanged.add(number);
  }

  has(id: string): boolean {
    return this.others.has(id) || this.isUnchanged(this.#base.numberOf(id));
  }

  get(id: string): ServiceCard | undefined {
    const other = this.others.get(id);
    if (other !== undefined) return other;
    return this.isUnchanged(this.#base.numberOf(id)) ? this.#base.get(id) : undefined;
  }

  /** Whether a card is listed and not in the trash. */
  isLive(id: string): boolean {
    const other = this.others.get(id);
    return other === undefined ? this.isUnchanged(this.#base.numberOf(id)) : !other.trashed;
  }

  /** Whether the card of the base with this number is listed, and as at the last sync. */
  isUnchanged(number: number | undefined): boolean {
    return number !== undefined && this.#unchanged.has(number);
  }
}
