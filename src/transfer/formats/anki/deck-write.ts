import type { Deck } from "../../../schema/index.ts";
import { deckLines } from "../deck-paths.ts";
import { stableId } from "./note-type-write.ts";

/** The name of a deck as a part of Anki's path, where two colons separate the names. */
const ankiName = (name: string | null | undefined): string =>
  (name ?? "").replace(/::+/g, ":").trim() || "Untitled";

interface DeckState {
  readonly id: number;
  readonly reverse: boolean;
  readonly archived: boolean;
  readonly trashed: boolean;
}

/** The decks as Anki names them: by paths, with two colons between the names. */
export class Decks {
  readonly paths = new Map<number, string>([[1, "Default"]]);
  readonly #states = new Map<string, DeckState>();

  constructor(decks: readonly Deck[]) {
    for (const [deckId, line] of deckLines(decks)) {
      const path = line.map(({ name }) => ankiName(name)).join("::");
      const id = path === "Default" ? 1 : stableId(`deck ${path}`);
      this.paths.set(id, path);
      this.#states.set(deckId, {
        id,
        reverse: line.at(-1)?.["review-reverse?"] === true,
        archived: line.some((each) => each["archived?"] === true),
        trashed: line.some((each) => each["trashed?"] != null),
      });
    }
  }

  of(id: string | null | undefined): DeckState {
    return this.#states.get(id ?? "") ?? { id: 1, reverse: false, archived: false, trashed: false };
  }
}
