import type { Client } from "../../client/index.ts";
import type { Card } from "../../schema/index.ts";
import type { ExportPart } from "../export/collect.ts";
import type { Spool } from "../export/spool.ts";

/** How a collection is written in one of the formats. */
export interface Form {
  /** Whether the format holds attachments; else they are only counted. */
  readonly attachments: "held" | "counted";
  /** Once the decks are spooled, and the templates where all are wanted. */
  open(from: FormSource): Promise<CardsForm>;
  /**
   * Puts together what is spooled.
   *
   * @param path where: a file or folder that is not there yet; it is moved to where it belongs when all is done.
   */
  write(from: FormSource, path: string, progress: (part: ExportPart, done: number) => void): Promise<void>;
}

export interface FormSource {
  readonly client: Client;
  readonly spool: Spool;
  /** The decks to export; all, and cards in no deck, if not given. */
  readonly decks: ReadonlySet<string> | undefined;
}

/** How cards are spooled. */
export interface CardsForm {
  /** What comes before all cards; may be "". */
  readonly head: string;
  /** A page of cards; `before` cards are there. */
  page(cards: readonly Card[], before: number): string;
}
