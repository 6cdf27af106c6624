import { createReadStream } from "node:fs";
import { intoFile } from "../../../files/file-sink.ts";
import type { Card } from "../../../schema/index.ts";
import type { Spool } from "../../export/spool.ts";
import { spoolLine } from "../../export/spooled.ts";
import type { Form, FormSource } from "../form.ts";

/** Bytes of an attachment on a line: a multiple of three, so that the lines joined are base64, too. */
const lineBytes = 48 * 1024;

/**
 * The collection as lines of JSON (docs/import-export.md), every field that the service gave included. Attachments come
 * last: a line that describes each, then its bytes in base64 on lines of their own.
 */
export async function ndjson({ spool, decks, path }: FormSource): Promise<Form> {
  // Which templates some decks need is only known when their cards are there.
  const whole = decks === undefined;
  return {
    attachments: "held",
    head: whole ? headOf(spool) : "",
    page: cardLines,
    async write() {
      if (whole) await spool.giveCards(path, attachmentLines(spool));
      else await intoFile(path, (sink) => sink.writeAll(pieces(spool)));
    },
  };
}

const headOf = (spool: Spool) => spool.text("decks") + spool.text("templates");

function cardLines(cards: readonly Card[]): string {
  let text = "";
  for (const card of cards) text += `${spoolLine("cards", card)}\n`;
  return text;
}

async function* pieces(spool: Spool): AsyncGenerator<Uint8Array | string> {
  yield headOf(spool);
  yield* spool.bytes("cards");
  yield* attachmentLines(spool);
}

async function* attachmentLines(spool: Spool): AsyncGenerator<string> {
  for await (const { file, failed: _, ...attachment } of spool.attachments()) {
    yield `${JSON.stringify({ attachment })}\n`;
    if (file === undefined) continue;
    for await (const chunk of createReadStream(spool.filePath(file), { highWaterMark: lineBytes }))
      yield `{"bytes":"${(chunk as Buffer).toString("base64")}"}\n`;
  }
}
