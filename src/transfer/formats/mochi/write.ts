import { createReadStream } from "node:fs";
import { type Codec, loadCodec } from "../../../codecs/index.ts";
import { intoFile } from "../../../files/file-sink.ts";
import {
  array,
  card,
  deck,
  instant,
  type ObjectKind,
  object,
  review,
  template,
} from "../../../schema/index.ts";
import type { Spool } from "../../export/spool.ts";
import { filesByCard, type SpooledFile } from "../../export/spooled.ts";
import type { Form, FormSource } from "../form.ts";
import { ZipWriter } from "../zip/write.ts";

/** In archives `trashed?` is an instant, and the instants of reviews are written in the short form (cards.md, Archives). */
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
});
const archivedDeck = object({ ...deck.fields, "trashed?": instant() });

const packedAlready = /\.(?:png|jpe?g|gif|webp|avif|mp3|m4a|ogg|oga|opus|mp4|webm|mov|zip|gz|pdf)$/i;

const page = object({ cards: array(archivedCard) });
const pageStart = '{"~:cards":[';
const pageEnd = "]}";

/**
 * The archive of the flashcard apps: `data.json` in transit, media at the root. Where two cards have different files of
 * one name, the later one lies in a folder of its card; the `attachments` of each card say where its files are.
 */
export async function mochi({ spool, path }: FormSource): Promise<Form> {
  const { encode } = await loadCodec("transit");
  return {
    attachments: "held",
    head: "",
    // A page is a line: text in JSON holds no line breaks.
    page: (cards, before) =>
      `${before > 0 ? "," : ""}${encode(page, { cards }).slice(pageStart.length, -pageEnd.length)}\n`,
    async write() {
      const { byCard, media } = placeMedia(await filesByCard(spool.attachments()));
      await intoFile(path, async (sink) => {
        const zip = new ZipWriter(sink);
        await zip.add("data.json", dataPieces(spool, byCard, encode), true);
        for (const [name, file] of media)
          await zip.add(
            name,
            createReadStream(spool.filePath(file), { highWaterMark }),
            !packedAlready.test(name),
          );
        await zip.end();
      });
    },
  };
}

const highWaterMark = 256 * 1024;

interface PlacedFile extends SpooledFile {
  readonly path?: string | undefined;
}

/** Where each file lies in the archive. */
function placeMedia(files: ReadonlyMap<string, readonly SpooledFile[]>) {
  const media = new Map<string, string>();
  const byCard = new Map<string, PlacedFile[]>();
  for (const [cardId, ofCard] of files) {
    const placed = ofCard.map((file): PlacedFile => {
      const name = file["file-name"];
      if (file.file === undefined) return file;
      const root = !/^data\.(?:json|edn)$|[\\:]/.test(name) && !media.has(name);
      const path = root ? name : `attachments/${encodeURIComponent(cardId)}/${file.file}`;
      media.set(path, file.file);
      return { ...file, path };
    });
    byCard.set(cardId, placed);
  }
  return { byCard, media };
}

async function* dataPieces(
  spool: Spool,
  files: ReadonlyMap<string, readonly PlacedFile[]>,
  encode: Codec["encode"],
): AsyncGenerator<string | Uint8Array<ArrayBuffer>> {
  const listed = (kind: ObjectKind, documents: readonly unknown[]) =>
    documents.map((each) => encode(kind, each)).join(",");
  yield `{"~:version":2,"~:decks":[${listed(archivedDeck, spool.decks())}]`;
  yield `,"~:templates":[${listed(template, spool.templates())}]`;
  yield ',"~:cards":[';
  yield* files.size === 0 ? spool.bytes("cards") : cardsWithFiles(spool, files, encode);
  yield "]}";
}

/** The spooled cards, each with what files it has. */
async function* cardsWithFiles(
  spool: Spool,
  files: ReadonlyMap<string, readonly PlacedFile[]>,
  encode: Codec["encode"],
): AsyncGenerator<string> {
  const ids = spool.ids.values();
  for await (const line of spool.lines("cards")) {
    const separator = line.startsWith(",") ? "," : "";
    const cards = JSON.parse(`[${line.slice(separator.length)}]`) as Record<string, unknown>[];
    for (const card of cards) {
      const ofCard = files.get(ids.next().value ?? "");
      if (ofCard !== undefined)
        Object.assign(card, JSON.parse(encode(object({}), { attachments: ofCard.map(fileEntry) })));
    }
    yield separator + JSON.stringify(cards).slice(1, -1);
  }
}

const fileEntry = ({ path, size, type, "file-name": name, missing }: PlacedFile) => ({
  "file-name": name,
  ...(path === undefined ? { missing } : { path }),
  ...(size === undefined ? {} : { size }),
  ...(type === undefined ? {} : { type }),
});
