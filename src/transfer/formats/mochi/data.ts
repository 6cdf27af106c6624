import { CodecError, decodeUtf8, loadCodec } from "../../../codecs/index.ts";
import { type Container, JsonCutter } from "../../../codecs/json-cutter.ts";
import { textOfPieces } from "../../../codecs/text.ts";
import { isMap, object } from "../../../schema/index.ts";
import { broken } from "../../place.ts";
import type { Archive, ArchiveEntry } from "../zip/read.ts";
import { readEdn } from "./edn.ts";
import type { Document, StoredCards } from "./stored-cards.ts";

/**
 * Reads the data of an archive. Cards of `data.json` are put into `cards` while it is read, where they are in the
 * verbose form of transit, which apps write; the compact form, whose strings refer to earlier ones, and `data.edn` are
 * read as a whole.
 *
 * @returns the data, in which the lists of cards that were put into `cards` are empty
 * @throws UsageError for data that cannot be read
 */
export async function readData(archive: Archive, cards: StoredCards): Promise<Document> {
  const entry = archive.entries.get("data.json") ?? archive.entries.get("data.edn");
  if (entry === undefined) throw broken(archive.name, "there is neither data.json nor data.edn in it");
  let data: unknown;
  try {
    data =
      entry.name === "data.edn"
        ? readEdn(decodeUtf8(await entry.read()), entry.place)
        : await readTransit(entry, cards);
  } catch (error) {
    if (error instanceof CodecError) throw broken(entry.place, `it cannot be read: ${error.message}`);
    throw error;
  }
  if (isMap(data)) return data;
  throw broken(entry.place, "the data is not a map");
}

/** A cache code of compact transit. Text that begins with `^` is written `~^`. */
const cacheCode = /"\^[0-[]{1,2}"/;

async function readTransit(entry: ArchiveEntry, cards: StoredCards): Promise<unknown> {
  const { decode } = await loadCodec("transit");
  const decoded = (text: string) => decode(object({}), text);
  const cutter = new JsonCutter(placeOfCard);
  let count = 0;
  for await (const piece of textOfPieces(await entry.openData())) {
    const cut = cutter.take(piece);
    if (cut.length === 0) continue;
    // Each document costs a reader of its own.
    const text = `[${cut.map((card) => card.text).join(",")}]`;
    if (cacheCode.test(text)) throw mixed();
    const documents = decoded(text) as unknown[];
    for (const [index, { place }] of cut.entries()) cards.add(documents[index], place);
    count += cut.length;
  }
  if (count > 0 && cacheCode.test(cutter.rest)) throw mixed();
  return decoded(cutter.rest);
}

const mixed = () => new CodecError("it mixes the verbose and the compact form of transit");

const list = "~#list";
const cardLists = ["~:cards", "~:decks ~:cards"];

/**
 * Where a card is listed: the number of the deck that lists it, from 0, undefined for one at the top level; and its own in
 * the list. Lists come plain or tagged, `{"~#list": […]}` or `["~#list", […]]`. Undefined for a map that is no card.
 */
export function placeOfCard(open: readonly Container[]) {
  const within = open.at(-1);
  if (!within?.isList) return undefined;
  const isKeyed = ({ isList, key }: Container) => !isList && key !== list;
  const keys = open.filter(isKeyed).map(({ key }) => key);
  if (!cardLists.includes(keys.join(" "))) return undefined;
  const holder = open.findLastIndex(isKeyed);
  return { deck: open.slice(0, holder).findLast(({ isList }) => isList)?.index, number: within.index };
}
