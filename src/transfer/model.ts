import type { Readable } from "node:stream";
import type { CardCreate, DeckCreate, TemplateCreate } from "../schema/index.ts";

/**
 * A collection on its way in, whatever file it comes from. Decks and templates are few and held in memory; cards are
 * read one after the other, once; attachments are opened when they are sent.
 */
export interface Source {
  readonly format: ImportFormat;
  /** The decks to make, each after the one above it, and the templates; complete when the cards were read. */
  readonly decks: readonly SourceDeck[];
  readonly templates: readonly SourceTemplate[];
  /** Whether what a card does not mention stays as it is when the card is updated: so with spreadsheets. */
  readonly partial?: boolean;
  /** What the reader assumed, as sentences for the plan. */
  readonly notes?: readonly string[];
  /** Every card in the order of the source. `skip` receives what cannot be carried over. */
  cards(skip: Skip): AsyncIterable<SourceCard>;
  close(): Promise<void>;
}

export const importFormats = [
  ...(["csv", "tsv", "markdown", "obsidian", "hashcards"] as const),
  ...(["ndjson", "mochi", "apkg"] as const),
] as const;
export type ImportFormat = (typeof importFormats)[number];

export const exportFormats = ["ndjson", "csv", "markdown", "mochi", "apkg"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The name of the deck for cards that have none, beside others that have one. */
export const cardsWithoutDeck = "Cards without a deck";

export interface SourceDeck {
  /** Names the deck within the source: cards and decks under it refer to it. */
  readonly key: string;
  readonly parent?: string | undefined;
  readonly body: Omit<DeckCreate, "parent-id">;
  /** Its id in the account that exported it, where the key is something else. */
  readonly id?: string | undefined;
  /** Its place in the source, for messages. */
  readonly place: string;
}

export interface SourceTemplate {
  readonly key: string;
  readonly body: TemplateCreate;
  readonly place: string;
}

export interface SourceCard {
  /**
   * What the card is known by in its source: an id that references name, which are rewritten to the new one, and by which
   * a later import of the same source recognises the card. Anki's packages give the note's guid (and the card's number
   * where a note becomes several cards), all others the card's id.
   */
  readonly key?: string | undefined;
  /** The key of its deck; undefined for the deck that the user names. */
  readonly deck?: string | undefined;
  /** The key of its template, or the id of one that the account has. */
  readonly template?: { readonly key: string } | { readonly id: string } | undefined;
  readonly body: Omit<CardCreate, "deck-id" | "template-id">;
  readonly trashed?: string | undefined;
  /** As `historyOf` gives them: in order, no two of the same instant; the last one's `due` is when the card is due. */
  readonly reviews?: readonly SourceReview[];
  readonly attachments?: readonly SourceAttachment[];
  /** `hashOfDocument` of the card when it was exported; where it is known, an edit on the service since then is noticed. */
  readonly base?: string | undefined;
  /** When the service says that the card was changed last, as of the export. */
  readonly updated?: string | undefined;
  readonly place: string;
}

export interface SourceReview {
  /** ISO 8601. */
  readonly date: string;
  readonly "remembered?": boolean;
  /** Seconds. */
  readonly duration?: number | undefined;
  /** When the review made the card due next, ISO 8601; the service computes it where there is none. */
  readonly due?: string | undefined;
  /**
   * The source has a due date and no reviews, and services keep a due date only with a review: this one is made up for it.
   * It may be dated in the future, and is sent with a date that is not (`sentReviews`).
   */
  readonly madeUp?: true;
}

export interface SourceAttachment {
  readonly fileName: string;
  /** Bytes, if known. */
  readonly size?: number | undefined;
  /** Content type; by the name's ending if not known. */
  readonly type?: string | undefined;
  /** The file on the disk that has its bytes, where they may change after it was read. */
  readonly path?: string | undefined;
  open(): Promise<Readable>;
  readonly place: string;
}

/** Something that cannot be carried over. */
export interface Skipped {
  /** Where in the source. */
  readonly place: string;
  /** What is left out, as a plural: "scripts", "rows without content". Equal ones are counted together in one line. */
  readonly what: string;
  readonly why: string;
  /** How many of them; 1 if not given. */
  readonly count?: number;
  /** Whether it was to be read, and could not be: then the import ends with 9. */
  readonly failed?: boolean;
}
export type Skip = (skipped: Skipped) => void;

/** Where a writer of a format puts what it writes. */
export interface Sink {
  write(part: string | Uint8Array): Promise<void>;
}
