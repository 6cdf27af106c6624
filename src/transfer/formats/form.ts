import type { Client } from "../../client/index.ts";
import type { Card } from "../../schema/index.ts";
import type { ExportPart } from "../export/collect.ts";
import type { Spool } from "../export/spool.ts";

/** What a form is opened for, once the decks are spooled, and the templates where all are wanted. */
export interface FormSource {
  readonly client: Client;
  readonly spool: Spool;
  /** The decks to export; all, and cards in no deck, if not given. */
  readonly decks: ReadonlySet<string> | undefined;
  /** The id of the deck that was asked for: that above all `decks`. */
  readonly deck: string | undefined;
  /** Where the file or folder is put together; it is moved to where it belongs when all is done. */
  readonly path: string;
}

/** A collection on its way into one of the formats. */
export interface Form {
  /** Whether the format holds attachments; else they are only counted. */
  readonly attachments: "held" | "counted";
  /** What comes before all cards in their spool; may be "". */
  readonly head: string;
  /** The text by which a page of cards is spooled; `before` cards are there. */
  page(cards: readonly Card[], before: number): string | Promise<string>;
  /** Puts together what is spooled. */
  write(progress: (part: ExportPart, done: number) => void): Promise<void>;
}
