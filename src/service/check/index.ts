import { join } from "node:path";
import { systemRandom } from "../../schema/ids.ts";
import { type DataPlace, openBlobs } from "../place.ts";
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

type DatabasePlace = Pick<DataPlace, "bucket"> & { readonly database: NonNullable<DataPlace["database"]> };

/**
 * Checks a collection: the database's own check, documents against their checksums and rows, attachments against their
 * hashes. A store of an earlier version is migrated after the first. Ends with the first part that cannot be read.
 *
 * @param place the folder of the service's data, or a database
 * @throws DeckhandError for a store of a newer program
 */
export async function* storeFindings(
  place: { readonly folder: string } | DatabasePlace,
  progress: CheckProgress,
): AsyncGenerator<Finding> {
  const folder = "folder" in place ? place.folder : undefined;
  const found = folder === undefined ? [] : integrityFindings(folder);
  if (found === undefined) return;
  yield* found;
  const store = await openStore(place, false).catch((error: unknown) => {
    // What was found explains it.
    if (found.length === 0) throw error;
  });
  if (store === undefined) return;
  try {
    const blobs =
      folder === undefined
        ? await openBlobs({ ...place, folder: "" }, store, { now: Date.now, random: systemRandom })
        : new (await import("../blobs/files.ts")).FileBlobs(join(folder, "attachments"), store);
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
