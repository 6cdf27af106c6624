import { isDeepStrictEqual } from "node:util";
import { CodecError, decodeUtf8, loadCodec } from "../../../codecs/index.ts";
import { isMap, object } from "../../../schema/index.ts";
import { distinctNames, isFileName, mediaOf } from "../../media.ts";
import type { Skip, Source, SourceAttachment, SourceCard } from "../../model.ts";
import { broken, quoted } from "../../place.ts";
import { readSchedule, scheduleKey } from "../../schedule.ts";
import { SkipCounts } from "../../skip-counts.ts";
import { cardOf, deckOf, templateOf } from "../documents.ts";
import { type Finished, Gathered, templateKey } from "../gathered.ts";
import type { Archive, ArchiveEntry } from "../zip/read.ts";
import { readEdn } from "./edn.ts";
import { withFieldIds } from "./field-ids.ts";

/** Opens an archive of the flashcard apps (docs/design/cards.md, Archives of the apps). */
export async function openMochi(archive: Archive): Promise<Source> {
  const data = withFieldIds(await readData(archive));
  const gathered = new Gathered();
  const cards = gather(data, archive, gathered);
  const finished = gathered.finish();
  const media = new Media(archive);
  return {
    format: "mochi",
    decks: finished.decks,
    templates: finished.templates,
    schedule: readSchedule(data[scheduleKey]),
    async *cards(skip) {
      for (const each of finished.skipped) skip(each);
      const counts = new SkipCounts();
      const each: Skip = (skipped) => (skipped.what === "attachments" ? skip(skipped) : counts.add(skipped));
      for (const card of cards) yield await sourceCard(card, finished, media, each);
      counts.report(skip, archive.name);
      media.reportUnused(skip);
    },
    close: async () => archive.close(),
  };
}

type Document = Readonly<Record<string, unknown>>;

interface PlacedCard {
  readonly document: Document;
  readonly deck: string | undefined;
  readonly place: string;
}

async function readData(archive: Archive): Promise<Document> {
  const entry = archive.entries.get("data.json") ?? archive.entries.get("data.edn");
  if (entry === undefined) throw broken(archive.name, "there is neither data.json nor data.edn in it");
  let data: unknown;
  try {
    const text = decodeUtf8(await entry.read());
    data =
      entry.name === "data.edn"
        ? readEdn(text, entry.place)
        : (await loadCodec("transit")).decode(object({}), text);
  } catch (error) {
    if (error instanceof CodecError) throw broken(entry.place, `it cannot be read: ${error.message}`);
    throw error;
  }
  if (isMap(data)) return data;
  throw broken(entry.place, "the data is not a map");
}

/** Collects decks and templates, and the cards at the top level and in their decks. */
function gather(data: Document, archive: Archive, gathered: Gathered): PlacedCard[] {
  const cards: PlacedCard[] = [];
  const byId = new Map<string, PlacedCard>();
  const add = (document: unknown, deck: string | undefined, place: string) => {
    if (!isMap(document)) throw broken(place, "the card is not a map");
    const own = textOf(document["deck-id"]) ?? deck;
    const card = { document, deck: own, place };
    const id = textOf(document["id"]);
    const before = id === undefined ? undefined : byId.get(id);
    if (before !== undefined) {
      // Some exports list a card both in its deck and at the top.
      if (isDeepStrictEqual(before.document, document)) return;
      throw broken(place, `another card has the id ${quoted(id ?? "")}, too (${before.place})`);
    }
    if (id !== undefined) byId.set(id, card);
    if (own !== undefined) gathered.card(own, place);
    cards.push(card);
  };
  for (const [index, deck] of listOf(data, "decks", archive.name).entries()) {
    const place = `${archive.name}, deck ${index + 1}`;
    if (!isMap(deck)) throw broken(place, "the deck is not a map");
    const key = textOf(deck["id"]) ?? `deck ${index + 1}`;
    gathered.deck(deckOf(deck, key, place, gathered.skip));
    for (const [number, card] of listOf(deck, "cards", place).entries())
      add(card, key, `${place}, card ${number + 1}`);
  }
  for (const [index, template] of listOf(data, "templates", archive.name).entries()) {
    const place = `${archive.name}, template ${index + 1}`;
    if (!isMap(template)) throw broken(place, "the template is not a map");
    const key = textOf(template["id"]) ?? `template ${index + 1}`;
    gathered.template(templateOf(template, key, place, gathered.skip));
  }
  for (const [index, card] of listOf(data, "cards", archive.name).entries())
    add(card, undefined, `${archive.name}, card ${index + 1}`);
  return cards;
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

function listOf(map: Document, key: string, place: string): readonly unknown[] {
  const value = map[key];
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw broken(place, `${key} is not a list`);
}

async function sourceCard(
  card: PlacedCard,
  finished: Finished,
  media: Media,
  skip: Skip,
): Promise<SourceCard> {
  const { document, deck, place } = card;
  return cardOf(document, textOf(document["id"]), {
    place,
    skip,
    deck,
    template: templateKey(document["template-id"], finished, place, skip),
    attachments: media.of(document, place, skip),
  });
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
