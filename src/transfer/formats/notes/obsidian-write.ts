import { manualTagsOf } from "../../../cards/document.ts";
import { FenceScan } from "../../../cards/sides.ts";
import type { Card } from "../../../schema/index.ts";
import type { ExportedCard } from "../../export/collection.ts";
import { adaptedToObsidian, type NoteSides, type WrittenNote } from "./adapted.ts";
import { hasDeletion, highlighted } from "./deletions.ts";
import { swapLinks } from "./links.ts";
import { defaultMarks } from "./obsidian-marks.ts";
import { tagsAfter } from "./obsidian-tags.ts";

/** A blank line would end the card. */
const unbroken = (text: string) => text.trim().replace(/\n[ \t]*(?=\n)/g, "\n<br>");

/** Escapes lines that would end a front: what separates question and answer, and in a cloze a heading. */
function inOnePiece(text: string, isCloze: boolean): string {
  const fences = new FenceScan();
  const written = (line: string) => {
    if (fences.inside(line)) return line;
    if (defaultMarks.isMiddle(line)) return `\\${line}`;
    return isCloze && /^#{1,6} /.test(line) ? ` ${line}` : line;
  };
  return text.split("\n").map(written).join("\n");
}

/** A card in the form of the plugin Spaced Repetition of Obsidian. */
export async function obsidianNote(
  { card, archived }: ExportedCard,
  { sides, filled, beside }: NoteSides,
): Promise<WrittenNote> {
  const [question = "", ...rest] = sides.map((side) => unbroken(swapLinks(side)));
  const first = inOnePiece(question, rest.length === 0);
  const deletions = rest.length === 0 && hasDeletion(first) ? highlighted(first) : undefined;
  const front = deletions?.text ?? first;
  const back = rest.join("\n---\n");
  const tags = await manualTagsOf(card);
  const names = tags.map(obsidianTag);
  const how = adaptedToObsidian;
  const colons =
    rest.length === 0 && front.split("\n").some((line) => defaultMarks.pairOf(line) !== undefined);
  const adapted = [
    ...(archived ? [how.archived] : []),
    ...(card.reviews?.length ? [how.history] : []),
    ...(filled ? [how.filled] : []),
    ...(beside ? [how.beside] : []),
    ...(names.some((name, index) => name !== tags[index]) ? [how.tags] : []),
    ...(deletions?.changed ? [how.deletions] : []),
    ...(colons ? [how.colons] : []),
  ];
  // Beside its last fence a code block would have no end.
  const blank = /(?:```|~~~)$/.test(front) ? "\n" : "";
  const asked = names.length === 0 ? front : `${front}${blank}${tagsAfter(names)}`;
  const reverse = card["review-reverse?"] ?? false;
  const line = `${asked}${reverse ? ":::" : "::"}${back}`;
  let text: string;
  if (deletions !== undefined) text = colons ? asked.replace(/:(?=:)/g, ":\\") : asked;
  else if (back === "") return { text: undefined, adapted };
  else if (!/\n/.test(asked + back) && defaultMarks.pairOf(line)?.content === `${asked}\n---\n${back}`)
    text = line;
  else text = `${asked}\n${reverse ? "??" : "?"}\n${back}`;
  const schedule = scheduleOf(card);
  return { text: schedule === undefined ? text : `${text}\n${schedule}`, adapted };
}

/** Characters that end a tag of Obsidian. */
const refused = /[\s\u2000-\u206f\u2e00-\u2e7f'!"#$%&()*+,.:;<=>?@^`{|}~[\]\\]+/g;

/** A tag as Obsidian accepts it: with `/` between the tags of a tree, and not only digits. */
function obsidianTag(tag: string): string {
  const name = tag.replaceAll("::", "/").replace(refused, "-");
  return /^[\d/]*$/.test(name) ? `_${name}` : name;
}

/** The path of a deck as a tag. */
export const obsidianDeck = (path: string): string =>
  path
    .split(/(?<!\\)\//)
    .map((name) => name.replaceAll("\\/", "-").replace(refused, "-"))
    .join("/");

function scheduleOf({ reviews }: Card): string | undefined {
  const last = reviews?.at(-1);
  if (last?.due == null || last.date == null) return undefined;
  const days = Math.round((Date.parse(last.due) - Date.parse(last.date)) / 86_400_000);
  return `<!--SR:!${localDate(new Date(last.due))},${Math.max(1, days)},250-->`;
}

const localDate = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part, index) => String(part).padStart(index === 0 ? 4 : 2, "0"))
    .join("-");
