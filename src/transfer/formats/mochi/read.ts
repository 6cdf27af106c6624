import { cutMark } from "../../../codecs/json-cutter.ts";
import { isMap } from "../../../schema/index.ts";
import { distinctNames, isFileName, mediaOf } from "../../media.ts";
import type { Skip, Source, SourceAttachment } from "../../model.ts";
import { broken } from "../../place.ts";
import { readSchedule, scheduleKey } from "../../schedule.ts";
import { cardOf, deckOf, templateOf } from "../documents.ts";
import { Gathered, templateKey } from "../gathered.ts";
import type { Archive, ArchiveEntry } from "../zip/read.ts";
import { readData } from "./data.ts";
import { withOwnFieldIds } from "./field-ids.ts";
import { type Document, StoredCards, textOf } from "./stored-cards.ts";

/** Opens an archive of the flashcard apps (docs/design/cards.md, Archives of the apps). */
export async function openMochi(archive: Archive): Promise<Source> {
  const cards = new StoredCards(archive.name);
  try {
    return await openCards(archive, cards);
  } catch (error) {
    cards.close();
    throw error;
  }
}

async function openCards(archive: Archive, cards: StoredCards): Promise<Source> {
  const data = await readData(archive, cards);
  const gathered = new Gathered();
  const deckKeys = gather(data, archive.name, cards, gathered);
  const finished = gathered.finish();
  const media = new Media(archive);
  return {
    format: "mochi",
    decks: finished.decks,
    templates: finished.templates,
    schedule: readSchedule(data[scheduleKey]),
    async *cards(skip) {
      for (const each of finished.skipped) skip(each);
      for (const { document: listed, deck, place } of cards.all()) {
        const document = withOwnFieldIds(listed);
        yield await cardOf(document, textOf(document["id"]), {
          place,
          skip,
          deck: textOf(document["deck-id"]) ?? deckKeys[deck ?? -1],
          template: templateKey(document["template-id"], finished, place, skip),
          attachments: media.of(document, place, skip),
        });
      }
      media.reportUnused(skip);
    },
    close: async () => {
      cards.close();
      archive.close();
    },
  };
}

/**
 * Collects decks and templates, and the cards that were not stored while the data was read.
 *
 * @returns the keys of the decks, in their order
 */
function gather(data: Document, name: string, cards: StoredCards, gathered: Gathered): string[] {
  const keys: string[] = [];
  for (const [index, deck] of listOf(data, "decks", name).entries()) {
    const place = `${name}, deck ${index + 1}`;
    if (!isMap(deck)) throw broken(place, "the deck is not a map");
    const key = textOf(deck["id"]) ?? `deck ${index + 1}`;
    keys.push(key);
    gathered.deck(deckOf(deck, key, place, gathered.skip));
    for (const [number, card] of listOf(deck, "cards", place).entries())
      if (card !== cutMark) cards.add(card, { deck: index, number });
  }
  for (const [index, template] of listOf(data, "templates", name).entries()) {
    const place = `${name}, template ${index + 1}`;
    if (!isMap(template)) throw broken(place, "the template is not a map");
    const key = textOf(template["id"]) ?? `template ${index + 1}`;
    gathered.template(templateOf(withOwnFieldIds(template), key, place, gathered.skip));
  }
  for (const [number, card] of listOf(data, "cards", name).entries())
    if (card !== cutMark) cards.add(card, { deck: undefined, number });
  for (const [deck, place] of cards.decks) gathered.card(deck, place);
  return keys;
}

function listOf(map: Document, key: string, place: string): readonly unknown[] {
  const value = map[key];
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw broken(place, `${key} is not a list`);
}

/** The media files of the archive, and which of them cards refer to. */
class Media {
  readonly #archive: Archive;
  readonly #used = new Set<string>();
  /** By names with composed accents: archives made on a Mac have decomposed ones. */
  readonly #entries: ReadonlyMap<string, ArchiveEntry>;

  constructor(archive: Archive) {
    this.#archive = archive;
    this.#entries = new Map([...archive.entries.values()].map((each) => [each.name.normalize("NFC"), each]));
  }

  of(document: Document, place: string, skip: Skip): SourceAttachment[] {
    const listed = listedFiles(document["attachments"]);
    const names = distinctNames([...Object.keys(listed), ...mediaOf(document)]);
    const attachments: SourceAttachment[] = [];
    for (const fileName of names) {
      const entry = this.#find(fileName, listed[fileName]);
      if (entry === undefined || !isFileName(fileName)) {
        const why =
          entry === undefined ? "they are not in the archive" : "services do not accept their names";
        skip({ place: `${place}: ${fileName}`, what: "attachments", why });
        continue;
      }
      this.#used.add(entry.name);
      attachments.push(attachmentOf(entry, fileName, listed[fileName]));
    }
    return attachments;
  }

  /** At the path that our own export lists, else at the root or in the folders that some exports have. */
  #find(fileName: string, listed: unknown): ArchiveEntry | undefined {
    // The export could not fetch it: a file of that name at the root belongs to another card.
    if (isMap(listed) && listed["missing"] !== undefined) return undefined;
    const path = isMap(listed) && typeof listed["path"] === "string" ? listed["path"] : undefined;
    for (const name of path === undefined
      ? [fileName, `attachments/${fileName}`, `media/${fileName}`]
      : [path]) {
      const entry = name && (this.#archive.entries.get(name) ?? this.#entries.get(name.normalize("NFC")));
      if (entry) return entry;
    }
    return undefined;
  }

  reportUnused(skip: Skip): void {
    for (const entry of this.#archive.entries.values()) {
      if (this.#used.has(entry.name) || /^(?:data\.(?:json|edn)|__MACOSX\/.*|.*\.DS_Store)$/.test(entry.name))
        continue;
      skip({ place: entry.place, what: "files", why: "no card names them" });
    }
  }
}

function attachmentOf(entry: ArchiveEntry, fileName: string, listed: unknown): SourceAttachment {
  const type = isMap(listed) && typeof listed["type"] === "string" ? listed["type"] : undefined;
  return {
    fileName,
    size: entry.size,
    ...(type === undefined ? {} : { type }),
    open: entry.open,
    place: entry.place,
  };
}

/** The files that a card lists, by their names. */
function listedFiles(attachments: unknown): Document {
  if (isMap(attachments)) return attachments;
  const files: Record<string, unknown> = Object.create(null);
  for (const file of Array.isArray(attachments) ? attachments : [])
    if (isMap(file) && typeof file["file-name"] === "string") files[file["file-name"]] = file;
  return files;
}
