import { createReadStream } from "node:fs";
import type { Collection, ListedFile } from "../../collection.ts";
import type { Sink } from "../../model.ts";

/** Bytes of an attachment on a line: a multiple of three, so that the lines joined are base64, too. */
const lineBytes = 48 * 1024;

/**
 * The collection as lines of JSON (docs/import-export.md), every field that the service gave included. Attachments come
 * last: a line that describes each, then its bytes in base64 on lines of their own.
 */
export async function writeNdjson(collection: Collection, sink: Sink): Promise<void> {
  for (const deck of collection.decks) await sink.write(line({ deck }));
  // Which templates some decks need is only known when their cards are there.
  if (collection.isWhole) for (const template of collection.templates) await sink.write(line({ template }));
  const attachments: ListedFile[] = [];
  for await (const page of collection.cards()) {
    let text = "";
    for (const { card, files } of page) {
      text += line({ card });
      attachments.push(...files);
    }
    await sink.write(text);
  }
  if (!collection.isWhole) for (const template of collection.templates) await sink.write(line({ template }));
  for (const file of attachments) {
    const fetched = await collection.fetch(file);
    if (fetched.path === undefined) {
      await sink.write(line({ attachment: { ...file, missing: fetched.missing } }));
      continue;
    }
    await sink.write(line({ attachment: fetched.file }));
    for await (const chunk of createReadStream(fetched.path, { highWaterMark: lineBytes }))
      await sink.write(line({ bytes: (chunk as Buffer).toString("base64") }));
  }
}

const line = (document: object): string => `${JSON.stringify(document)}\n`;
