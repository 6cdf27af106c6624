import { createReadStream } from "node:fs";
import { type Codec, loadCodec } from "../../../codecs/index.ts";
import {
  array,
  card,
  deck,
  instant,
  isMap,
  type ObjectKind,
  object,
  review,
  template,
} from "../../../schema/index.ts";
import type { Collection, ListedFile } from "../../collection.ts";
import type { Sink } from "../../model.ts";
import { ZipWriter } from "../zip/write.ts";
import { withAppFieldIds } from "./field-ids.ts";

/** In archives `trashed?` is an instant, and reviews have instants in the short form. */
const archivedCard = object({
  ...card.fields,
  "trashed?": instant(),
  reviews: array(
    object({
      ...review.fields,
      date: instant({ transit: "~t" }),
      due: instant({ transit: "~t" }),
    }),
  ),
  attachments: array(object({})),
});
/** A page of cards: each document costs a writer of its own. */
const archivedCards = object({ cards: array(archivedCard) });
const archivedDeck = object({ ...deck.fields, "trashed?": instant() });

const packedAlready = /\.(?:png|jpe?g|gif|webp|avif|mp3|m4a|ogg|oga|opus|mp4|webm|mov|zip|gz|pdf)$/i;

/**
 * The archive of the flashcard apps: `data.json` in transit, media at the root. Where two cards have different files of
 * one name, the later one lies in a folder of its card; the `attachments` of each card say where its files are. Equal
 * files of one name are stored once.
 */
export async function writeMochi(collection: Collection, sink: Sink): Promise<void> {
  const { encode } = await loadCodec("transit");
  const media = new Map<string, SharedFile>();
  const zip = new ZipWriter(sink);
  await zip.add("data.json", dataPieces(collection, media, encode), true);
  for (const [path, { file, cards }] of media) {
    const fetched = await collection.fetch(file, cards);
    if (fetched.path !== undefined)
      await zip.add(path, createReadStream(fetched.path, { highWaterMark }), !packedAlready.test(path));
  }
  await zip.end();
}

const highWaterMark = 256 * 1024;

interface PlacedFile extends ListedFile {
  /** Where it lies in the archive. */
  readonly path: string;
}

interface SharedFile {
  readonly file: ListedFile;
  /** How many cards have it. */
  readonly cards: number;
}

function placeFile(file: ListedFile, media: Map<string, SharedFile>): PlacedFile {
  const name = file["file-name"];
  const there = media.get(name)?.file;
  const same = there !== undefined && there.sha256 !== undefined && there.sha256 === file.sha256;
  const root = same || (!/^data\.(?:json|edn)$|[\\:]/.test(name) && there === undefined);
  const path = root ? name : `attachments/${encodeURIComponent(file["card-id"])}/${encodeURIComponent(name)}`;
  const before = media.get(path);
  media.set(path, { file: before?.file ?? file, cards: (before?.cards ?? 0) + 1 });
  return { ...file, path };
}

async function* dataPieces(
  collection: Collection,
  media: Map<string, SharedFile>,
  encode: Codec["encode"],
): AsyncGenerator<string> {
  const listed = (kind: ObjectKind, documents: readonly object[]) =>
    documents.map((each) => encode(kind, withoutNulls(each))).join(",");
  yield `{"~:version":2,"~:decks":[${listed(archivedDeck, collection.decks)}],"~:cards":[`;
  let separator = "";
  for await (const page of collection.cards()) {
    if (page.length === 0) continue;
    const cards = page.map(({ card, files }) => {
      const attachments = files.map((file) => fileEntry(placeFile(file, media)));
      return withoutNulls(
        withAppFieldIds({ ...card, attachments: attachments.length > 0 ? attachments : undefined }),
      );
    });
    const text = encode(archivedCards, { cards });
    yield separator + text.slice(text.indexOf("[") + 1, -"]}".length);
    separator = ",";
  }
  const templates = collection.templates.map((each) => withAppFieldIds(each));
  yield `],"~:templates":[${listed(template, templates)}]}`;
}

const fileEntry = ({ path, size, type, "file-name": name }: PlacedFile) => ({
  "file-name": name,
  path,
  ...(size === undefined ? {} : { size }),
  ...(type === undefined ? {} : { type }),
});

/** Keys without a value are absent: apps read null as a value. */
function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNulls) as T;
  if (!isMap(value)) return value;
  // Without a prototype, `__proto__` is an ordinary key.
  const kept: Record<string, unknown> = Object.setPrototypeOf({}, null);
  for (const [key, each] of Object.entries(value))
    if (each !== null && each !== undefined) kept[key] = withoutNulls(each);
  return kept as T;
}
