import type { BaseCards } from "./base-cards.ts";
import type { BaseCard, FileCard } from "./types.ts";

/**
 * The files of cards as they were scanned. Of those that are as at the last sync only the numbers of their cards are held:
 * what they are comes from the base, so that this serves to plan, before the base changes.
 */
export class FolderCards {
  /** Those that are new or changed, or had to be read. */
  readonly others: FileCard[] = [];
  readonly #base: BaseCards;
  readonly #unchanged = new Set<number>();

  constructor(base: BaseCards) {
    this.#base = base;
  }

  get size(): number {
    return this.#unchanged.size + this.others.length;
  }

  /** @param number that of the card of the base whose file it is */
  addUnchanged(number: number): void {
    this.#unchanged.add(number);
  }

  /** Whether the card of the base with this number has its file, as at the last sync. */
  isUnchanged(number: number | undefined): boolean {
    return number !== undefined && this.#unchanged.has(number);
  }

  /** The unchanged file of a card. */
  unchanged(id: string): BaseCard | undefined {
    return this.isUnchanged(this.#base.numberOf(id)) ? this.#base.get(id) : undefined;
  }

  /** The card of an unchanged file. */
  unchangedAt(path: string): BaseCard | undefined {
    return this.#base.at(path, (number) => this.isUnchanged(number));
  }
}
