import { createReadStream, existsSync } from "node:fs";
import type { Spool } from "../export/spool.ts";
import type { FileSink } from "./sink.ts";

/** Bytes of an attachment on a line: a multiple of three, so that the lines joined are base64, too. */
const lineBytes = 48 * 1024;

/**
 * The collection as lines of JSON (docs/import-export.md), every field that the service gave included. Attachments come
 * last: a line that describes each, then its bytes in base64 on lines of their own.
 */
export async function writeNdjson(spool: Spool, sink: FileSink): Promise<void> {
  for (const part of ["decks", "templates", "cards"] as const) {
    const path = spool.path(part);
    const { bytes } = spool.progress(part);
    if (bytes === 0 || !existsSync(path)) continue;
    for await (const chunk of createReadStream(path, { end: bytes - 1, highWaterMark: 256 * 1024 }))
      await sink.write(chunk as Buffer);
  }
  for await (const { file, ...attachment } of spool.attachments()) {
    await sink.write(`${JSON.stringify({ attachment })}\n`);
    if (file === undefined) continue;
    for await (const chunk of createReadStream(spool.filePath(file), { highWaterMark: lineBytes }))
      await sink.write(`{"bytes":"${(chunk as Buffer).toString("base64")}"}\n`);
  }
}
