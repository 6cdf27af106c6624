import { visible } from "../../output/sanitize.ts";
import { cut, displayWidth } from "../../output/width.ts";
import type { Card } from "../../schema/card.ts";
import { highlights, textOf, wordsNotIn } from "../../search/match.ts";
import type { Query } from "../../search/query.ts";

/** The text of a card in one line, for a card without a name; empty if it has none. */
export const lineOf = (card: Pick<Card, "content" | "fields">): string => linesOf(card).join(" · ");

const linesOf = ({ content, fields }: Pick<Card, "content" | "fields">): readonly string[] =>
  visible(textOf({ content, fields }))
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "" && line !== "---");

/**
 * One line of a card that a search found, the words of the search marked: its name, and where that has not all of them
 * the text around the first of the others.
 */
export function excerpt(card: Card, query: Query, width: number, mark: (text: string) => string): string {
  const room = Math.max(20, width);
  const lines = linesOf(card);
  const text = lines.join(" · ");
  const name = visible(card.name ?? "")
    .replace(/\s+/g, " ")
    .trim();
  if (name === "") return around(text, query, room, mark);
  const others = wordsNotIn(name, query);
  if (highlights(text.slice(0, searched), others).length === 0) return around(name, query, room, mark);
  const rest = withoutName(lines, name)
    .filter((line) => !pictureAlone.test(line) || highlights(line, others).length > 0)
    .join(" · ");
  // What was found is in the line of the name: a tag, or beyond the end of a long name.
  if (highlights(rest.slice(0, searched), others).length === 0) return around(text, others, room, mark);
  const label = cut(name, Math.floor(room / 2));
  const left = room - displayWidth(label) - " · ".length;
  return `${around(label, query, Number.POSITIVE_INFINITY, mark)} · ${around(rest, others, left, mark)}`;
}

const pictureAlone = /^!\[[^\]]*\]\([^)]*\)$/;

/** How much of a text is looked at for a line of it. */
const searched = 100_000;

/** The lines but the one that the name was made of, whose markup the name lacks. */
function withoutName(lines: readonly string[], name: string): readonly string[] {
  const letters = (line: string) => line.replace(/\{\{\d+::|[^\p{L}\p{N}]/gu, "");
  const wanted = letters(name);
  const at = lines.findIndex((line) => letters(line).startsWith(wanted));
  return wanted === "" || at < 0 ? lines : lines.toSpliced(at, 1);
}

/** A part of a text around the first words that a search found, those words marked. */
function around(text: string, query: Query, room: number, mark: (text: string) => string): string {
  const found = highlights(text.slice(0, searched), query);
  const first = found[0]?.[0] ?? 0;
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
