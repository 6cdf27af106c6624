import type { Client } from "../../client/index.ts";
import type { Card } from "../../schema/index.ts";
import type { ExportPart } from "../export/collect.ts";
import type { Spool } from "../export/spool.ts";

/** How a collection is written in one of the formats. */
export interface Form {
  /** Whether the format holds attachments; else they are only counted. */
  readonly attachments: "held" | "counted";
  /** Once the decks are spooled: gives what makes a page of cards the text that is spooled. `before` cards are there. */
  open(from: {
    readonly client: Client;
    readonly spool: Spool;
  }): Promise<(cards: readonly Card[], before: number) => string>;
  /**
   * Puts together what is spooled.
   *
   * @param path where: a file or folder that is not there yet; it is moved to where it belongs when all is done.
   */
  write(spool: Spool, path: string, progress: (part: ExportPart, done: number) => void): Promise<void>;
}
