import { visible } from "../../output/sanitize.ts";
import { cut, displayWidth } from "../../output/width.ts";
import type { Card } from "../../schema/card.ts";
import { highlights, textOf } from "../../search/match.ts";
import type { Query } from "../../search/query.ts";

/** One line of a card around the first words that a search found, those words marked. */
export function excerpt(card: Card, query: Query, width: number, mark: (text: string) => string): string {
  const lines = visible(textOf(card))
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "" && line !== "---");
  const text = lines.join(" · ");
  const found = highlights(text.slice(0, 100_000), query);
  const first = found[0]?.[0] ?? 0;
  const room = Math.max(20, width);
  // Some of what stands before it, if it would not be seen otherwise.
  const begin =
    displayWidth(text.slice(0, first)) > room * 0.6
      ? wordStart(text, Math.max(0, first - Math.floor(room / 3)), first)
      : 0;
  const lead = begin > 0 ? "…" : "";
  const shown = cut(text.slice(begin), room - lead.length);
  const kept = shown.endsWith("…") ? shown.length - 1 : shown.length;
  let result = "";
  let at = 0;
  for (const [from, to] of found) {
    const [left, right] = [Math.max(from - begin, at), Math.min(to - begin, kept)];
    if (right <= left) continue;
    result += shown.slice(at, left) + mark(shown.slice(left, right));
    at = right;
  }
  return lead + result + shown.slice(at);
}

/** Where to begin so that a place is seen: with a word, or in scripts without spaces with a character. */
function wordStart(text: string, from: number, place: number): number {
  const space = text.indexOf(" ", from);
  if (space >= 0 && space < place) return space + 1;
  let start = from;
  while (start > 0 && goesOn(text, start)) start--;
  return start;
}

/** Whether what stands at a place belongs to the character before it. */
const goesOn = (text: string, at: number): boolean =>
  /\p{M}|\u200d|[\udc00-\udfff]/u.test(text.charAt(at)) || text.charAt(at - 1) === "\u200d";
