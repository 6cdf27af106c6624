import { crc32 } from "../../files/checksum.ts";
import type { DocumentTable } from "./tables.ts";

/**
 * What is summed up in the checksum of a row, which `deckhand check` compares: the database's own check finds damage to its
 * structure and indexes, but not a wrong letter in a document. Columns as JSON, then texts. `live` of a deck follows from
 * the decks above, and is not part of it.
 *
 * Reviews and attachments have none: the document of their card repeats them.
 */
const summed: Readonly<Record<DocumentTable, { readonly columns: string[]; readonly texts: string[] }>> = {
  card: { columns: ["account", "id", "deck_id", "pos", "ready", "due_at"], texts: ["document", "facts"] },
  deck: { columns: ["account", "id", "parent_id", "sort", "ready"], texts: ["document"] },
  template: { columns: ["account", "id", "pos"], texts: ["document"] },
};

/** Signed, since not every database has larger numbers of 4 bytes. */
export function checksumOf(table: DocumentTable, row: object): number {
  const values = row as Readonly<Record<string, unknown>>;
  const { columns, texts } = summed[table];
  const parts = [JSON.stringify(columns.map((column) => plain(values[column])))];
  for (const name of texts) parts.push(String(values[name]));
  return parts.reduce((before, text) => crc32(text, before), 0) | 0;
}

const plain = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value);
