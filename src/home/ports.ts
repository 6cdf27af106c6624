import type { World } from "../review/ports.ts";
import type { Change } from "../review/session/state.ts";

/** What the home screen needs from outside. All of it arrives as functions: home knows no service and no file. */

/** A deck with the figures of it and those under it, as today asks them. */
export interface HomeDeck {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** How many decks are above it. */
  readonly depth: number;
  readonly hasChildren: boolean;
  readonly due: number;
  readonly new: number;
  /** Undefined where the service does not say it. */
  readonly cards: number | undefined;
}

export type AddDeck = Pick<HomeDeck, "id" | "path">;

/** All that the first view shows. Kept as JSON for the next time. */
export interface Overview {
  /** When it was read, in epoch milliseconds. */
  readonly at: number;
  /** The live decks, each above those under it. */
  readonly decks: readonly HomeDeck[];
  readonly due: number;
  readonly new: number;
  /** New cards that the limit of a day leaves for other days. */
  readonly held: number;
  readonly done: number;
  /** Reviews that are due on each of the days after today. */
  readonly ahead: readonly number[];
  /** Days in a row with a review, until today. */
  readonly streak: number;
}

export type CardChange = Change | { readonly deck: string };

/** What takes a change back. */
export interface Undo {
  /** What was done, as in “Took back: 3 cards moved”. */
  readonly text: string;
  /** @throws what kept it from being taken back whole */
  run(): Promise<void>;
}

/** What came of a change: said in the status line, with what takes it back if it can be. */
export interface Done {
  readonly text: string;
  readonly undo?: Undo | undefined;
}

/** A card in a list. */
export interface ListedCard {
  readonly id: string;
  /** Its front on one line, safe to print. */
  readonly name: string;
  /** The path of its deck. */
  readonly deck: string;
  readonly tags: readonly string[];
  /** Archived, due in three days, new. */
  readonly state: string;
}

export interface Found {
  readonly cards: readonly ListedCard[];
  readonly total: number;
  /** How many cards are read so far, while more are being read. */
  readonly reading?: number | undefined;
}

export interface Completed {
  readonly text: string;
  /** What else it may be, where it is not the only one. */
  readonly choices: readonly string[];
}

/** What is done for a key. What has an editor, a review or a question in it has the terminal meanwhile. */
export interface Deeds {
  overview(): Promise<Overview>;
  /** The first cards of today. */
  firstDue(): Promise<readonly ListedCard[]>;
  load: World["load"];
  /** Reviews a deck (by id), or all. */
  review(deck: string | undefined): Promise<Done>;
  /** A review of the sample. */
  sample(): Promise<Done>;
  /** Imports a file or folder. */
  importFile(path: string): Promise<Done>;
  /** Begins to read all cards anew: more and more of them are found. */
  readCards(): Promise<void>;
  /** The cards that a query finds among those read. @throws UsageError for one that is not well formed */
  find(query: string): Promise<Found>;
  addCard(deck: string, front: string, back: string): Promise<Done>;
  /** The id of a card of the deck with this front. */
  sameFront(deck: string, front: string): Promise<string | undefined>;
  /** Front and back as changed in the user's editor. */
  editSides(front: string, back: string): Promise<readonly [front: string, back: string]>;
  /** @param path its name, below others where they are named with slashes. @param adds whether cards are added to it next */
  createDeck(
    path: string,
    adds: boolean,
  ): Promise<Done & { readonly id?: string; readonly deck?: AddDeck | undefined }>;
  renameDeck(id: string, name: string): Promise<Done>;
  /** @param what for the message: `archived` */
  changeCards(ids: readonly string[], change: CardChange, what: string): Promise<Done>;
  /** @param deck its id, name or path */
  moveCards(ids: readonly string[], deck: string): Promise<Done>;
  editCard(id: string): Promise<Done>;
  takeBack(undo: Undo): Promise<Done>;
  /** Lines, styled and safe to print. */
  statistics(): Promise<readonly string[]>;
  complete(kind: "path" | "deck", text: string): Promise<Completed>;
}

export interface HomeWorld extends Deeds {
  /** What was known the last time, if it is worth showing before it is read again. */
  cached(): Overview | undefined;
  /** Whether the collection was changed since the overview was read, as far as that is known. */
  isStale(): boolean;
  render: World["render"];
}
