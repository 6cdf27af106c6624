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
    displayWidth(text.slice(0, first)) > room * 0.6 ? wordStart(text, first - Math.floor(room / 3)) : 0;
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

function wordStart(text: string, from: number): number {
  const at = text.indexOf(" ", Math.max(0, from));
  return at < 0 ? Math.max(0, from) : at + 1;
}
