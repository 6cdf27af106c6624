import { rm } from "node:fs/promises";
import { DeckhandError } from "../../../errors.ts";
import { makeTemporaryFolder } from "../../../files/temporary.ts";
import type { SqliteDatabase } from "../../../sqlite.ts";
import type { Source } from "../../model.ts";
import { broken } from "../../place.ts";
import { DeckTree } from "../deck-tree.ts";
import type { Archive } from "../zip/read.ts";
import { AnkiCards } from "./cards.ts";
import { type AnkiCollection, readCollection } from "./collection.ts";
import { damaged, openCollection } from "./database.ts";
import { AnkiMedia } from "./media.ts";

/** The newest first: where there are several, the older ones only ask the user of an old Anki to update it. */
const databases = ["collection.anki21b", "collection.anki21", "collection.anki2"];

/**
 * Opens a package of Anki, of any version. Its database is unpacked to a temporary folder, which is removed when the
 * source is closed.
 */
export async function openAnki(archive: Archive): Promise<Source> {
  const entry = databases.map((name) => archive.entries.get(name)).find((each) => each !== undefined);
  if (entry === undefined) throw broken(archive.name, "there is no collection of Anki in it");
  const packed = entry.name.endsWith("b");
  const folder = await makeTemporaryFolder("deckhand-");
  let database: SqliteDatabase | undefined;
  const close = async () => {
    database?.close();
    database = undefined;
    archive.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const opened = await openCollection(entry, packed, folder);
    database = opened.database;
    const collection = readCollection(opened.database, opened.tables, entry.place);
    const media = await AnkiMedia.of(archive, packed);
    const cards = new AnkiCards({ ...opened, collection, media, name: archive.name });
    const { decks, templates } = cards.gather();
    return {
      format: "apkg",
      decks: decksOf(collection, decks, archive.name),
      templates,
      notes: decks.size > 0 ? [] : [`${archive.name} has no notes: only its decks are created`],
      cards: (skip) => withPlace(cards.cards(skip), entry.place),
      close,
    };
  } catch (error) {
    await close();
    throw error instanceof DeckhandError ? error : damaged(entry.place, error);
  }
}

/** Errors of the engine name the database. */
async function* withPlace<T>(items: AsyncIterable<T>, place: string): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw error instanceof DeckhandError ? error : damaged(place, error);
  }
}

/** The deck that every collection has; it is in every package. */
const defaultDeck = "1";

/** The default deck and filtered decks are only created where they hold cards. */
function decksOf({ decks, filtered }: AnkiCollection, used: ReadonlySet<string>, name: string) {
  const tree = new DeckTree((path) => path.split("\x1f"));
  for (const [id, path] of decks)
    if (used.has(id) || (id !== defaultDeck && !filtered.has(id)))
      tree.add(path.join("\x1f"), `${name}, deck ${id}`);
  return tree.decks;
}
