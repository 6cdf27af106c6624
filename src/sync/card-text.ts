import { dirname } from "node:path";
import type { CardDocument } from "../cards/document.ts";
import type { Card } from "../schema/index.ts";
import { embedded, type FilesBeside } from "../transfer/formats/beside.ts";
import { readCardFile, writeCardFile } from "../transfer/formats/markdown/card-file.ts";
import { cardOfDoc } from "./doc.ts";

/**
 * The text of a card's file.
 *
 * @param context how it names its template, where it is, and what finds the pictures that it embeds
 * @param current the file as it is: its own keys, its reviews and its list of attachments stay
 */
export async function cardText(
  id: string,
  doc: CardDocument,
  context: { readonly template: string | undefined; readonly path: string; readonly beside: FilesBeside },
  current: Uint8Array | undefined,
): Promise<string> {
  const given = current && new TextDecoder().decode(current);
  const before = given?.replaceAll("\r\n", "\n");
  // A file that has no position needs none: the base has it.
  const hasPos =
    before === undefined || (await readCardFile(before, id, () => {})).card.body.pos !== undefined;
  const content = await withOwnEmbeds(doc.content, before, context);
  const card: Card = cardOfDoc(id, { ...doc, content, pos: hasPos ? doc.pos : null });
  const text = await writeCardFile(card, { template: context.template }, before);
  // The file keeps its own line ends.
  return given !== undefined && /^[^\n]*\r\n/.test(given) ? text.replaceAll("\n", "\r\n") : text;
}

/** The content with the notation that the note has for each picture in place of a link to an attachment. */
async function withOwnEmbeds(
  content: string,
  before: string | undefined,
  { path, beside }: { readonly path: string; readonly beside: FilesBeside },
): Promise<string> {
  let own = content;
  for (const [embed] of before?.matchAll(embedded) ?? []) {
    const { text } = await beside.take(embed, dirname(path), path, () => {});
    if (text !== embed) own = own.replaceAll(text, () => embed);
  }
  return own;
}
