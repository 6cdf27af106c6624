import type { Client } from "../../client/index.ts";
import type { DeckhandError } from "../../errors.ts";
import type { Skip } from "../model.ts";
import type { Ledger } from "./ledger.ts";
import type { ExistingDeck } from "./plan.ts";

/** Where an import goes, and whom it tells. */
export interface ImportTarget {
  readonly client: Client;
  readonly ledger: Ledger;
  /** The deck for cards and decks that have none above them. */
  readonly deck: string | undefined;
  /** Whether the service records reviews, and tells the attachments of a card. */
  readonly reviews: boolean;
  readonly attachmentList: boolean;
  readonly existingDeck: ExistingDeck;
  readonly skip: Skip;
  /** An item that failed, with its place in the source. */
  failed(error: DeckhandError): void;
  progress(cards: number): void;
}

export interface ImportSummary {
  decks: number;
  templates: number;
  cards: number;
  attachments: number;
  reviews: number;
  failed: number;
  /** Cards that an earlier run had made. */
  before: number;
}
