import { join } from "node:path";
import { FileBlobs } from "../blobs/files.ts";
import { openStore } from "../store/index.ts";
import { cardFindings } from "./cards.ts";
import { contentFindings } from "./contents.ts";
import { deckFindings } from "./decks.ts";
import type { Finding } from "./finding.ts";
import { integrityFindings } from "./integrity.ts";

interface CheckProgress {
  cards(done: number): void;
  /** In bytes. */
  attachments(done: number): void;
}

/**
 * Checks a collection: the database's own check, documents against their checksums and rows, attachments against their
 * hashes. A store of an earlier version is migrated after the first. Ends with the first part that cannot be read.
 *
 * @param folder of the service's data
 * @throws DeckhandError for a store of a newer program
 */
export async function* storeFindings(folder: string, progress: CheckProgress): AsyncGenerator<Finding> {
  const found = integrityFindings(folder);
  if (found === undefined) return;
  yield* found;
  const store = await openStore({ folder }).catch((error: unknown) => {
    // What was found explains it.
    if (found.length === 0) throw error;
  });
  if (store === undefined) return;
  try {
    const blobs = new FileBlobs(join(folder, "attachments"), store);
    yield* readable("decks", deckFindings(store));
    yield* readable("cards", cardFindings(store, progress.cards));
    yield* readable("attachments", contentFindings(store, blobs, progress.attachments));
  } finally {
    await store.close();
  }
}

/** A damaged page of the database ends what is read from it. */
async function* readable(part: Finding["part"], findings: AsyncGenerator<Finding>): AsyncGenerator<Finding> {
  try {
    yield* findings;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    yield { part, item: part, problem: `cannot be read to the end: ${problem}`, cards: [] };
  }
}
