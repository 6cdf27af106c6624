import { isDeepStrictEqual } from "node:util";
import { CodecError, decodeUtf8, loadCodec } from "../../../codecs/index.ts";
import { isMap, object } from "../../../schema/index.ts";
import { distinctNames, isFileName, mediaOf } from "../../media.ts";
import type { Skip, Source, SourceAttachment, SourceCard } from "../../model.ts";
import { broken, quoted } from "../../place.ts";
import { cardOf, deckOf, templateOf } from "../documents.ts";
import { Gathered } from "../gathered.ts";
import type { Archive, ArchiveEntry } from "../zip/read.ts";
import { readEdn } from "./edn.ts";
import { withOwnFieldIds } from "./field-ids.ts";

type Document = Readonly<Record<string, unknown>>;

interface ListedCard {
  readonly document: Document;
  /** The key of the deck that lists it; undefined for a card at the top level. */
  readonly deck?: string | undefined;
  readonly place: string;
}

/** Opens an archive of the flashcard apps (docs/design/cards.md, Archives of the apps). */
export function openMochi(archive: Archive): Source {
  const gathered = new Gathered();
  return {
    format: "mochi",
    decks: gathered.decks,
    templates: gathered.templates,
    cards: (skip) => cardsIn(archive, gathered, skip),
    close: async () => archive.close(),
  };
}

async function* cardsIn(archive: Archive, gathered: Gathered, skip: Skip): AsyncGenerator<SourceCard> {
  const cards = gather(await readData(archive), archive.name, gathered, skip);
  const media = new Media(archive);
  for (const { document: listed, deck, place } of cards.values()) {
    const document = withOwnFieldIds(listed);
    yield await cardOf(document, textOf(document["id"]), {
      place,
      skip,
      deck: textOf(document["deck-id"]) ?? deck,
      template: gathered.templateKey(document["template-id"], place, skip),
      attachments: media.of(document, place, skip),
    });
  }
}

/** @throws UsageError for data that cannot be read */
async function readData(archive: Archive): Promise<Document> {
  const entry = archive.entries.get("data.json") ?? archive.entries.get("data.edn");
  if (entry === undefined) throw broken(archive.name, "there is neither data.json nor data.edn in it");
  let data: unknown;
  try {
    const text = decodeUtf8(await entry.read());
    const { decode } = await loadCodec("transit");
    data = entry.name === "data.edn" ? readEdn(text, entry.place) : decode(object({}), text);
  } catch (error) {
    if (error instanceof CodecError) throw broken(entry.place, `it cannot be read: ${error.message}`);
    throw error;
  }
  if (isMap(data)) return data;
  throw broken(entry.place, "the data is not a map");
}

/** Collects decks and templates. @returns the cards */
function gather(data: Document, name: string, gathered: Gathered, skip: Skip) {
  const cards = new Map<string, ListedCard>();
  for (const [index, deck] of listOf(data, "decks", name).entries()) {
    const place = `${name}, deck ${index + 1}`;
    if (!isMap(deck)) throw broken(place, "the deck is not a map");
    const key = textOf(deck["id"]) ?? `deck ${index + 1}`;
    gathered.deck(deckOf(deck, key, place, skip));
    gatherCards(deck, key, place, cards, gathered);
  }
  for (const [index, template] of listOf(data, "templates", name).entries()) {
    const place = `${name}, template ${index + 1}`;
    if (!isMap(template)) throw broken(place, "the template is not a map");
    const key = textOf(template["id"]) ?? `template ${index + 1}`;
    gathered.template(templateOf(withOwnFieldIds(template), key, place, skip));
  }
  gatherCards(data, undefined, name, cards, gathered);
  gathered.finish(skip);
  return cards;
}

/**
 * Adds the cards that a deck, or the archive, lists. One that is listed in its deck and at the top, as in some exports, is
 * added once, in its deck.
 *
 * @throws UsageError for what is not a card, and for two different cards with one id
 */
function gatherCards(
  lister: Document,
  deck: string | undefined,
  name: string,
  cards: Map<string, ListedCard>,
  gathered: Gathered,
): void {
  for (const [number, document] of listOf(lister, "cards", name).entries()) {
    const place = `${name}, card ${number + 1}`;
    if (!isMap(document)) throw broken(place, "the card is not a map");
    const [id, own] = [textOf(document["id"]), textOf(document["deck-id"])];
    if (own !== undefined) gathered.card(own, place);
    const key = JSON.stringify(id ?? [place]);
    const before = cards.get(key);
    if (before === undefined) cards.set(key, { document, deck, place });
    else if (!isDeepStrictEqual(before.document, document))
      throw broken(place, `another card has the id ${quoted(id ?? "")}, too (${before.place})`);
  }
}

/** Undefined for what is blank, or is not text. */
const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

function listOf(map: Document, key: string, place: string): readonly unknown[] {
  const value = map[key];
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw broken(place, `${key} is not a list`);
}

/** The media files of the archive. */
class Media {
  /** By names with composed accents: archives made on a Mac have decomposed ones. */
  readonly #entries: ReadonlyMap<string, ArchiveEntry>;

  constructor({ entries }: Archive) {
    this.#entries = new Map([...entries.values()].map((each) => [each.name.normalize("NFC"), each]));
  }

  of(document: Document, place: string, skip: Skip): SourceAttachment[] {
    const listed = listedFiles(document["attachments"]);
    const names = distinctNames([...Object.keys(listed), ...mediaOf(document)]);
    const attachments: SourceAttachment[] = [];
    for (const fileName of names) {
      const details = isMap(listed[fileName]) ? listed[fileName] : {};
      const entry = this.#find(fileName, details);
      if (entry === undefined || !isFileName(fileName)) {
        const why =
          entry === undefined ? "they are not in the archive" : "services do not accept their names";
        skip({ place: `${place}: ${fileName}`, what: "attachments", why });
        continue;
      }
      const { size, open, place: at } = entry;
      attachments.push({ fileName, size, type: textOf(details["type"]), open, place: at });
    }
    return attachments;
  }

  /** At the path that our own export lists, else at the root or in the folders that some exports have. */
  #find(fileName: string, details: Document): ArchiveEntry | undefined {
    // The export could not fetch it: a file of that name at the root belongs to another card.
    if (details["missing"] !== undefined) return undefined;
    const path = textOf(details["path"]);
    for (const name of path === undefined
      ? [fileName, `attachments/${fileName}`, `media/${fileName}`]
      : [path]) {
      const entry = this.#entries.get(name.normalize("NFC"));
      if (entry) return entry;
    }
    return undefined;
  }
}

/** The files that a card lists, by their names. */
function listedFiles(attachments: unknown): Document {
  if (isMap(attachments)) return attachments;
  const files: Record<string, unknown> = Object.create(null);
  for (const file of Array.isArray(attachments) ? attachments : [])
    if (isMap(file) && typeof file["file-name"] === "string") files[file["file-name"]] = file;
  return files;
}
