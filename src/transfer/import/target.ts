import type { Client } from "../../client/index.ts";
import type { DeckhandError } from "../../errors.ts";
import type { Skip, SourceAttachment, SourceCard } from "../model.ts";
import type { KnownKeys } from "./known.ts";
import type { Ledger } from "./ledger.ts";
import type { Match, Matches } from "./match.ts";
import type { Scratch } from "./scratch.ts";

/** Where an import goes, and whom it tells. */
export interface ImportTarget {
  readonly client: Client;
  readonly ledger: Ledger;
  /** The deck for cards and decks that have none above them. */
  readonly deck: string | undefined;
  /** Whether the service records reviews, and tells the attachments of a card. */
  readonly reviews: boolean;
  readonly attachmentList: boolean;
  /**
   * Runs what creates the decks of the source while no other command on the machine creates decks.
   *
   * @param create is given the decks of the account that the source has, by their keys in the source
   */
  withDecks(create: (there: ReadonlyMap<string, string>) => Promise<void>): Promise<void>;
  /** The cards of the source that the account has. */
  readonly matches: Matches;
  readonly known: Pick<KnownKeys, "note">;
  readonly scratch: Scratch;
  /** Whether cards that were edited on the service, or only have the same front, are updated, too. */
  readonly overwrite: boolean;
  readonly skip: Skip;
  /** A card that the account has, and that was left as it is there. */
  left(card: SourceCard, match: Match): void;
  /** Attachments of a card of the account that are other files there. */
  leftFiles(card: SourceCard, id: string, files: readonly SourceAttachment[]): void;
  /** An item that failed, with its place in the source. */
  failed(error: DeckhandError): void;
  progress(cards: number): void;
  /** When the run began, epoch milliseconds. */
  readonly now: number;
}

export interface ImportSummary {
  decks: number;
  templates: number;
  cards: number;
  attachments: number;
  reviews: number;
  /** How many of the reviews are made up for due dates. */
  "due-dates": number;
  /** Cards of the account that were changed, and those that needed no change. */
  updated: number;
  unchanged: number;
  /** Cards that were edited in the account while the source stayed as it was. */
  kept: number;
  failed: number;
  /** Cards that an earlier run had made. */
  before: number;
}
