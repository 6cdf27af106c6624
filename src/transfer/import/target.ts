import type { OriginRecord } from "../../client/apply/record.ts";
import type { Client } from "../../client/index.ts";
import type { DeckhandError } from "../../errors.ts";
import type { Skip, SourceCard } from "../model.ts";
import type { UndoWriter } from "./undo-record.ts";

/** Where an import goes, and whom it tells. */
export interface ImportTarget {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly record: OriginRecord;
  /** What the record knows the source by: its real path; "" for standard input. */
  readonly origin: string;
  readonly undo: UndoWriter;
  /** The deck for cards and decks that have none above them. */
  readonly deck: string | undefined;
  /**
   * Runs what creates the decks of the source while no other command on the machine creates decks.
   *
   * @param create is given the decks of the account that the source has, by their keys in the source
   */
  withDecks(create: (there: ReadonlyMap<string, string>) => Promise<void>): Promise<void>;
  /** Which cards of the account are changed. */
  readonly mode: ImportMode;
  readonly skip: Skip;
  /** A card, or a part of it, that stays as it is in the account. */
  left(left: Left): void;
  /** An item that failed, with its place in the source. */
  failed(error: DeckhandError): void;
  progress(cards: number): void;
  /** When the run began, epoch milliseconds. */
  readonly now: number;
}

export interface Left {
  readonly card: SourceCard;
  /** Of the card in the account; null where several match. */
  readonly id: string | null;
  readonly why: string;
}

export interface ImportMode {
  /** Cards that only the source changed. */
  readonly update: boolean;
  /** Cards that differ in the account, too. */
  readonly overwrite: boolean;
  /** Whether the last import of the source was stopped. */
  readonly resumed: boolean;
}

/** Which rows of `source` are carried out. */
export const carried = ({ update, overwrite }: ImportMode): string =>
  overwrite ? "(kind = 'new' or id is not null)" : `kind in ('new', 'same'${update ? ", 'changed'" : ""})`;

export const emptySummary = () => ({
  decks: 0,
  templates: 0,
  cards: 0,
  attachments: 0,
  reviews: 0,
  /** Cards of the account that were changed, and those that needed no change. */
  updated: 0,
  unchanged: 0,
  failed: 0,
});

export type ImportSummary = ReturnType<typeof emptySummary>;
