import type { Card, Deck, SchedulePut, Template } from "../schema/index.ts";
import type { Losses } from "./losses.ts";

/** The collection of an account as a writer of a format reads it: cards come page by page and once. */
export interface Collection {
  /** The id of the deck that was asked for; undefined for the whole. */
  readonly deck: string | undefined;
  readonly decks: readonly Deck[];
  /** All that the account has. */
  readonly allTemplates: readonly Template[];
  /** The templates to write: all; for some decks those of the cards that were read so far. */
  readonly templates: readonly Template[];
  /** The templates of the cards that were read so far. */
  readonly usedTemplates: readonly Template[];
  readonly schedule: SchedulePut | undefined;
  readonly isWhole: boolean;
  readonly losses: Losses;
  /** The path of each deck from the root, for formats that have nothing else of a deck. */
  deckPaths(): Promise<ReadonlyMap<string, string>>;
  /** The cards in the order of the service's lists, each once. */
  cards(): AsyncGenerator<readonly ExportedCard[]>;
  /** The cards one by one. */
  eachCard(): AsyncGenerator<ExportedCard>;
  /**
   * Downloads a file.
   *
   * @param cards how many cards have it, in a format that stores equal files once: each is an attachment of its own
   * @returns the path of a temporary file that is valid until the next call
   */
  fetch(file: ListedFile, cards?: number): Promise<FetchedFile>;
}

/** A file of a card as the service lists it, or, on a service without such lists, as the card's text names it. */
export interface ListedFile {
  readonly "card-id": string;
  readonly "file-name": string;
  /** Bytes. */
  readonly size?: number | undefined;
  /** Content type. */
  readonly type?: string | undefined;
  /** Of the bytes, in hex. */
  readonly sha256?: string | undefined;
}

export interface ExportedCard {
  readonly card: Card;
  readonly files: readonly ListedFile[];
}

/** A file that was read, with what the service lists of it now; or why there is none. */
export type FetchedFile =
  | { readonly path: string; readonly file: ListedFile }
  | { readonly path?: undefined; readonly missing: string };

export interface MissingFile {
  readonly card: string;
  readonly fileName: string;
  readonly why: string;
}

/** Where a writer puts the files of a folder. */
export interface FolderSink {
  write(path: string, text: string, about?: { readonly id?: string; readonly card?: string }): Promise<void>;
  /** Writes a file with the bytes of another. @param id of the card, of an attachment */
  copy(path: string, from: string, id?: string): Promise<void>;
  /** Keeps a file of a card that an earlier export wrote. @returns whether there is one */
  keep(path: string, id: string): Promise<boolean>;
  /** Removes what an earlier export wrote and this one did not. */
  finish(): Promise<void>;
}
