import type { Card } from "../schema/index.ts";
import {
  type ListedAttachment,
  readCardFile,
  writeCardFile,
} from "../transfer/formats/markdown/card-file.ts";
import { cardOfDoc } from "./doc.ts";
import type { CardDoc } from "./types.ts";

/**
 * The text of a card's file.
 *
 * @param context how it names its template, and whether it has its id in it
 * @param current the file as it is: its own keys, its reviews and its list of attachments stay
 */
export async function cardText(
  id: string,
  doc: CardDoc,
  context: { readonly template: string | undefined; readonly id: boolean },
  current: Uint8Array | undefined,
): Promise<string> {
  const before = current && new TextDecoder().decode(current);
  const read = before === undefined ? undefined : await readCardFile(before, id, () => {});
  // A file that has no position needs none: the base has it.
  const pos = read === undefined || read.card.body.pos !== undefined ? doc.pos : null;
  const card = cardOfDoc(id, { ...doc, pos }, read?.card.reviews as Card["reviews"]);
  const attachments = Object.entries(read?.attachments ?? {}).map(listedAttachment);
  return writeCardFile(card, { ...context, attachments }, before);
}

function listedAttachment([name, entry]: [string, unknown]): ListedAttachment {
  if (typeof entry === "string") return { "file-name": name, type: entry, file: name };
  const map = (typeof entry === "object" && entry !== null ? entry : {}) as Record<string, unknown>;
  const type = typeof map["type"] === "string" ? map["type"] : undefined;
  if (map["missing"] === true) return { "file-name": name };
  return { "file-name": name, type, file: typeof map["file"] === "string" ? map["file"] : name };
}
