import { existsSync } from "node:fs";
import { UsageError } from "../../errors.ts";
import { IdLists } from "./inventory.ts";
import { type JournalHeader, type JournalRead, readJournal } from "./journal-lines.ts";
import type { Scratch, ScratchMap } from "./scratch.ts";

interface Written {
  readonly card?: string | undefined;
  readonly source?: string | undefined;
  readonly reviews?: number | undefined;
}

/** What the finished imports of an input left that were not undone: it tells edits in the account from those in the file. */
export class EarlierImports {
  /** By the id of a card: `cardHash` of what they wrote last, and `sourceHash` of what they read for it; how many reviews they gave it. */
  readonly #written: ScratchMap<Written>;
  readonly #bySource: IdLists;

  constructor(scratch: Scratch) {
    this.#written = scratch.map();
    this.#bySource = new IdLists(scratch);
  }

  /** @param paths of their journals, the oldest first */
  static async read(
    paths: Iterable<string>,
    header: JournalHeader,
    scratch: Scratch,
  ): Promise<EarlierImports> {
    const earlier = new EarlierImports(scratch);
    for (const path of paths) {
      if (!existsSync(path)) break;
      // A damaged one says nothing: its cards then count as edited.
      const read = await readJournal(path, path, header, scratch).catch(ifUsage);
      if (read?.finished && !read.undone) earlier.#add(read);
    }
    return earlier;
  }

  /** `cardHash` of what they wrote last of a card. */
  hash(id: string): string | undefined {
    return this.#written.get(id)?.card;
  }

  /** How many reviews they gave a card. */
  reviews(id: string): number {
    return this.#written.get(id)?.reviews ?? 0;
  }

  /**
   * The ids of the cards of which the source said the same as it does now.
   *
   * @param source `sourceHash` of the card
   * @param isOut whether a card is passed over, from now on
   */
  withSource(source: string, isOut: (id: string) => boolean): Iterable<string> {
    return this.#bySource.ids(source, (id) => this.#written.get(id)?.source !== source || isOut(id));
  }

  #add({ outcomes, added }: JournalRead): void {
    for (const [, { state, id, of, card, source, reviews }] of outcomes.entries()) {
      const written = of ?? id;
      if (state !== "done" || written === undefined) continue;
      const before = this.#written.get(written);
      if (card !== undefined || source !== undefined)
        this.#written.set(written, {
          card: card ?? before?.card,
          source: source ?? before?.source,
          reviews: reviews ?? before?.reviews,
        });
      if (source !== undefined) this.#bySource.add(source, written);
    }
    for (const [id, { dates }] of added.entries()) {
      const before = this.#written.get(id);
      this.#written.set(id, { ...before, reviews: (before?.reviews ?? 0) + dates.length });
    }
  }
}

function ifUsage(error: unknown): undefined {
  if (!(error instanceof UsageError)) throw error;
}
