import { FenceScan, joinSides } from "../../../cards/sides.ts";

/** A part of a file that becomes a card. */
export interface Piece {
  readonly text: string;
  /** Where it begins, from 1. */
  readonly line: number;
}

/** The cards of a file by its headings, and what is in none of them. */
export interface HeadingCards {
  readonly level: number;
  readonly cards: readonly Piece[];
  readonly left: readonly { readonly line: number; readonly what: string; readonly why: string }[];
}

const above = { what: "texts above the cards' headings", why: "each heading of the lowest level is a card" };
const empty = { what: "headings without a text", why: "they would be cards without an answer" };

interface Section {
  readonly level: number;
  readonly title: string;
  readonly line: number;
  readonly text: string[];
}

/**
 * A card for each heading of the lowest level of a text: the heading is its front, the text below it its back.
 *
 * @returns undefined for a text with fewer than two such headings, and for one that has sides
 */
export function headingCards({ text, line }: Piece): HeadingCards | undefined {
  const fences = new FenceScan();
  const sections: Section[] = [{ level: 0, title: "", line, text: [] }];
  for (const [index, each] of text.split("\n").entries()) {
    const inCode = fences.inside(each);
    if (!inCode && each === "---") return undefined;
    const [, marks, title = ""] = inCode ? [] : (/^(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(each) ?? []);
    if (marks === undefined) sections.at(-1)?.text.push(each);
    else sections.push({ level: marks.length, title, line: line + index, text: [] });
  }
  const level = Math.max(...sections.map((section) => section.level));
  const lowest = sections.filter((section) => section.level === level);
  if (level === 0 || lowest.length < 2) return undefined;
  const back = (section: Section) => section.text.join("\n").trim();
  const isCard = (section: Section) =>
    section.level === level && section.title !== "" && back(section) !== "";
  return {
    level,
    cards: sections
      .filter(isCard)
      .map((section) => ({ line: section.line, text: joinSides([section.title, back(section)]) })),
    left: sections.flatMap((section) => {
      if (section.level === level) return isCard(section) ? [] : [{ line: section.line, ...empty }];
      return back(section) === "" ? [] : [{ line: section.line, ...above }];
    }),
  };
}
