import type { CardDocument } from "../cards/document.ts";
import type { Card } from "../schema/index.ts";
import { readCardFile, writeCardFile } from "../transfer/formats/markdown/card-file.ts";
import { cardOfDoc } from "./doc.ts";

/**
 * The text of a card's file.
 *
 * @param context how it names its template
 * @param current the file as it is: its own keys, its reviews and its list of attachments stay
 */
export async function cardText(
  id: string,
  doc: CardDocument,
  context: { readonly template: string | undefined },
  current: Uint8Array | undefined,
): Promise<string> {
  const given = current && new TextDecoder().decode(current);
  const before = given?.replaceAll("\r\n", "\n");
  // A file that has no position needs none: the base has it.
  const hasPos =
    before === undefined || (await readCardFile(before, id, () => {})).card.body.pos !== undefined;
  const card: Card = cardOfDoc(id, hasPos ? doc : { ...doc, pos: null });
  const text = await writeCardFile(card, context, before);
  // The file keeps its own line ends.
  return given !== undefined && /^[^\n]*\r\n/.test(given) ? text.replaceAll("\n", "\r\n") : text;
}
