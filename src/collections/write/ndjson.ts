import { createReadStream } from "node:fs";
import { type Spool, spoolLine } from "../export/spool.ts";
import type { Form } from "./form.ts";
import { intoFile } from "./sink.ts";

/** Bytes of an attachment on a line: a multiple of three, so that the lines joined are base64, too. */
const lineBytes = 48 * 1024;

/**
 * The collection as lines of JSON (docs/import-export.md), every field that the service gave included. Attachments come
 * last: a line that describes each, then its bytes in base64 on lines of their own.
 */
export const ndjson: Form = {
  attachments: "held",
  open: async () => (cards) => {
    let text = "";
    for (const card of cards) text += `${spoolLine("cards", card)}\n`;
    return text;
  },
  write: (spool, path) => intoFile(path, (sink) => sink.writeAll(pieces(spool))),
};

async function* pieces(spool: Spool): AsyncGenerator<Uint8Array | string> {
  for (const part of ["decks", "templates", "cards"] as const) yield* spool.bytes(part);
  for await (const { file, ...attachment } of spool.attachments()) {
    yield `${JSON.stringify({ attachment })}\n`;
    if (file === undefined) continue;
    for await (const chunk of createReadStream(spool.filePath(file), { highWaterMark: lineBytes }))
      yield `{"bytes":"${(chunk as Buffer).toString("base64")}"}\n`;
  }
}
