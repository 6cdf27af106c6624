import { createReadStream } from "node:fs";
import { loadCodec } from "../../codecs/index.ts";
import { array, card, deck, instant, object, review, template } from "../../schema/index.ts";
import type { Spool, SpooledFile } from "../export/spool.ts";
import type { FileSink } from "./sink.ts";
import { ZipWriter } from "./zip.ts";

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

/**
 * The archive of the flashcard apps: `data.json` in transit, media at the root. Where two cards have different files of
 * one name, the later one lies in a folder of its card; the `attachments` of each card say where its files are.
 */
export async function writeMochi(spool: Spool, sink: FileSink): Promise<void> {
  const zip = new ZipWriter(sink);
  const { byCard, media } = placeMedia(await spool.attachmentsByCard());
  await zip.add("data.json", dataPieces(spool, byCard), true);
  for (const [path, file] of media)
    await zip.add(
      path,
      createReadStream(spool.filePath(file), { highWaterMark: 256 * 1024 }),
      !packedAlready.test(path),
    );
  await zip.end();
}

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
): AsyncGenerator<string> {
  const codec = await loadCodec("transit");
  yield '{"~:version":2,"~:decks":[';
  let separator = "";
  for (const each of await spool.decks()) {
    yield `${separator}${codec.encode(archivedDeck, each)}`;
    separator = ",";
  }
  yield '],"~:templates":[';
  separator = "";
  for (const each of await spool.templates()) {
    yield `${separator}${codec.encode(template, each)}`;
    separator = ",";
  }
  yield '],"~:cards":[';
  separator = "";
  for await (const each of spool.cards()) {
    const attachments = (files.get(each.id) ?? []).map(
      ({ path, size, type, "file-name": name, missing }) => ({
        "file-name": name,
        ...(path === undefined ? { missing } : { path }),
        ...(size === undefined ? {} : { size }),
        ...(type === undefined ? {} : { type }),
      }),
    );
    const document = attachments.length === 0 ? each : { ...each, attachments };
    yield `${separator}${codec.encode(archivedCard, document)}`;
    separator = ",";
  }
  yield "]}";
}
