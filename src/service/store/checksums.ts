import { crc32 } from "../../files/checksum.ts";
import type { CardRow, DeckRow, TemplateRow } from "./tables.ts";

/**
 * The checksums of rows, which `deckhand check` compares: the database's own check finds damage to its structure and
 * indexes, but not a wrong letter in a document. Signed, since not every database has larger numbers of 4 bytes.
 *
 * Reviews and attachments have none: the document of their card repeats them.
 */

export const cardChecksum = (row: CardRow): number =>
  sum([row.account, row.id, row.deck_id, hex(row.pos), row.ready, row.due_at], row.document, row.facts);

/** `live` follows from the decks above, and is not part of it. */
export const deckChecksum = (row: Omit<DeckRow, "live">): number =>
  sum([row.account, row.id, row.parent_id, row.sort, row.ready], row.document);

export const templateChecksum = (row: TemplateRow): number =>
  sum([row.account, row.id, hex(row.pos)], row.document);

/** Of columns as JSON, then of texts. */
const sum = (columns: readonly unknown[], ...texts: readonly string[]): number =>
  [JSON.stringify(columns), ...texts].reduce((before, text) => crc32(text, before), 0) | 0;

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
