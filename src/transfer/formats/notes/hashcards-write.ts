import { manualTagsOf } from "../../../cards/document.ts";
import type { ExportedCard } from "../../export/collection.ts";
import { adaptedToHashcards, type NoteSides, type WrittenNote } from "./adapted.ts";
import { bracketed, hasDeletion } from "./deletions.ts";
import { guarded } from "./hashcards.ts";

/** A card in the form of hashcards. */
export async function hashcardsNote(
  { card, archived }: ExportedCard,
  { sides, filled, beside }: NoteSides,
): Promise<WrittenNote> {
  const how = adaptedToHashcards;
  const { text, isGuarded } = hashcardsText(sides);
  const adapted = [
    ...(archived ? [how.archived] : []),
    ...(card.reviews?.length ? [how.history] : []),
    ...(filled ? [how.filled] : []),
    ...(beside ? [how.beside] : []),
    ...((await manualTagsOf(card)).length > 0 ? [how.tags] : []),
    ...(card["review-reverse?"] ? [how.reverse] : []),
    ...(sides.length > 2 ? [how.sides] : []),
    ...(isGuarded ? [how.lines] : []),
  ];
  return { text, adapted };
}

function hashcardsText(sides: readonly string[]): { text: string | undefined; isGuarded: boolean } {
  const [front = "", ...rest] = sides.map((side) => side.trim());
  const back = rest.filter((side) => side !== "").join("\n\n");
  const isCloze = rest.length === 0 && hasDeletion(front);
  if (!isCloze && back === "") return { text: undefined, isGuarded: false };
  const escaped = front.includes("](") ? front : front.replace(/[[\]](?![([])/g, "\\$&");
  const parts = isCloze
    ? [["C:", bracketed(escaped)]]
    : [
        ["Q:", front],
        ["A:", back],
      ];
  const written = parts.map(([tag, text = ""]) => {
    const plain = guarded(text);
    // A code block has its fence on a line of its own.
    return { text: `${tag}${/^(?:```|~~~)/.test(plain) ? "\n" : " "}${plain}`, isGuarded: plain !== text };
  });
  return {
    text: written.map(({ text }) => text).join("\n"),
    isGuarded: written.some((part) => part.isGuarded),
  };
}
