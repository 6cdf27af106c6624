import { type CachedName, recentCards } from "../names/cache.ts";
import type { NameIndex } from "../names/types.ts";
import type { Card } from "../schema/card.ts";
import { isMap } from "../schema/check.ts";

/** The cards in the answers to a command, for completion: the first with their files, and the tags of all. */
export class SeenCards {
  readonly #cards = new Map<string, CachedName>();
  readonly #tags = new Set<string>();

  readonly note = (cards: readonly Card[]): void => {
    for (const { id, name, tags, attachments } of cards) {
      for (const tag of tags ?? []) this.#tags.add(tag);
      if (this.#cards.size >= recentCards && !this.#cards.has(id)) continue;
      const files = isMap(attachments) ? { files: Object.keys(attachments) } : {};
      this.#cards.set(id, { id, name: name ?? "", ...files });
    }
  };

  get any(): boolean {
    return this.#cards.size > 0;
  }

  reportTo(names: Pick<NameIndex, "noteSeen">): void {
    names.noteSeen([...this.#cards.values()], [...this.#tags]);
  }
}
