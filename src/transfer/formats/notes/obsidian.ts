import { FenceScan, joinSides } from "../../../cards/sides.ts";
import { readCloze } from "../../../cards/syntax.ts";
import type { SourceReview } from "../../model.ts";
import { isMiddle, type Mark, type ObsidianMarks, type Pair, pairOf } from "./obsidian-marks.ts";
import { readSchedules, scheduleComment, withoutCallouts } from "./schedule.ts";

/** A card of a file of notes. */
export interface Note {
  /** From 1. */
  readonly line: number;
  readonly mark: Mark;
  readonly content: string;
  /** The path of its deck; undefined if the file does not say. */
  readonly deck: string | undefined;
  /** Those beside the tag of the deck. */
  readonly tags?: readonly string[];
  readonly reverse: boolean;
  readonly reviews: readonly SourceReview[];
  /** Schedules of further questions of the card, which is one card here. */
  readonly moreSchedules: number;
}

/**
 * Cards as the plugin Spaced Repetition of Obsidian finds them: `question::answer`, `question:::answer` in both
 * directions, `?` or `??` on a line between them, highlighted deletions, schedules in comments. `#flashcards/a/b` names
 * the deck of what follows, or of its own card.
 *
 * @param fileDeck the path of the deck of all cards that name none
 * @param missed receives the line of something that has a schedule, and is no card in one of these forms
 */
export function* obsidianNotes(
  text: string,
  marks: ObsidianMarks,
  firstLine: number,
  fileDeck: string | undefined,
  missed: (line: number) => void,
): Generator<Note> {
  const hasTag = fileDeck !== undefined || marks.hasTag(text);
  let deck = fileDeck;
  let tags: readonly string[] = [];
  for (const paragraph of paragraphs(withoutCallouts(text), firstLine, marks))
    for (const { lines, line } of units(paragraph, marks)) {
      const joined = lines.join("\n");
      const comment = scheduleComment.exec(joined);
      const { body, own } = marks.withoutTag(joined.replace(scheduleComment, "").trimEnd());
      // Beside the tag of the deck there may be others.
      if (own !== undefined && /^(?:\s*#[^\s#]+)*\s*$/.test(body)) {
        deck = own;
        tags = body.split(/\s+/).flatMap((tag) => (tag === "" ? [] : [tag.slice(1)]));
        continue;
      }
      if (body.trim() === "") continue;
      const card = cardIn(body, hasTag || comment !== null);
      if (card === undefined) {
        // A heading or a sentence with the tag.
        if (own !== undefined) [deck, tags] = [own, []];
        if (comment !== null) missed(line);
        continue;
      }
      const { reviews, more } = readSchedules(comment?.[1] ?? "");
      yield {
        ...card,
        content: swapLinks(card.content),
        deck: own || deck || undefined,
        tags,
        reviews,
        moreSchedules: more,
        line,
      };
    }
}

interface Unit {
  readonly lines: readonly string[];
  readonly line: number;
}

/** What one card is made of: a line with a pair and the schedule below it; where there is none, the whole paragraph. */
function* units({ lines, line }: Unit, marks: ObsidianMarks): Generator<Unit> {
  const inCode = codeLines(lines);
  const pairs = lines.map((each, index) => !inCode[index] && pairOf(withoutComment(each)));
  if (middleOf(lines) > 0 || !pairs.some(Boolean)) return yield { lines, line };
  for (const [index, each] of lines.entries()) {
    const next = lines[index + 1] ?? "";
    const scheduled = scheduleComment.test(next) && withoutComment(next).trim() === "";
    if (pairs[index]) yield { lines: scheduled ? [each, next] : [each], line: line + index };
    else if (marks.withoutTag(each).own !== undefined && marks.withoutTag(each).body === "")
      yield { lines: [each], line: line + index };
  }
}

/** Which of the lines are in a fenced block. */
function codeLines(lines: readonly string[]): boolean[] {
  const fences = new FenceScan();
  return lines.map((each) => fences.inside(each));
}

/** The index of the line between question and answer, if there is one above 0. */
function middleOf(lines: readonly string[]): number {
  const inCode = codeLines(lines);
  return lines.findIndex((each, index) => index > 0 && !inCode[index] && isMiddle(each));
}

const withoutComment = (line: string) => line.replace(scheduleComment, "");

function cardIn(body: string, tagged: boolean): Pair | undefined {
  const lines = body.split("\n");
  const middle = middleOf(lines);
  if (middle > 0) {
    const sides = [lines.slice(0, middle), lines.slice(middle + 1)];
    const content = joinSides(sides.map((side) => side.join("\n").trim()));
    return { content, mark: "?", reverse: (lines[middle] ?? "").startsWith("??") };
  }
  const pair = lines.length === 1 && !codeLines(lines)[0] ? pairOf(body) : undefined;
  const cloze = pair === undefined && tagged ? clozeOf(body) : undefined;
  return cloze === undefined ? pair : { content: cloze, mark: "==", reverse: false };
}

const linkOrCode = /```[\s\S]*?```|`[^`\n]+`|(?<![!\\])\[\[([^[\]\n|]+?)(\\?\|)([^[\]\n|]+)\]\]/g;

/**
 * Links with a title, from the order of Obsidian (`[[Note|title]]`) to that of the card language (`[[title|Note]]`). Those
 * in code are text.
 */
const swapLinks = (text: string): string =>
  text.replace(linkOrCode, (whole, first?: string, bar?: string, last?: string) =>
    first === undefined ? whole : `[[${last}${bar}${first}]]`,
  );

/** Deletions in braces are those of the card language. */
function clozeOf(body: string): string | undefined {
  const content = fromHighlights(body);
  return content !== body || hasDeletion(body) ? content.trim() : undefined;
}

/** As far as a question may reach. */
const longestQuestion = 200;

/** Whether the paragraph goes on to the line between a question and its answer. */
function beginsQuestion(all: readonly string[], index: number): boolean {
  for (const line of all.slice(index + 1, index + 1 + longestQuestion)) {
    if (isMiddle(line)) return true;
    if (line.trim() === "") return false;
  }
  return false;
}

/** Lines between blank ones; headings outside of cards stand alone, a fenced block is in one piece. */
function* paragraphs(text: string, firstLine: number, marks: ObsidianMarks): Generator<Unit> {
  let lines: string[] = [];
  let fences = new FenceScan();
  let begin = firstLine;
  const all = text.split("\n").map((line) => line.replace(/\r$/, ""));
  for (const [index, line] of all.entries()) {
    const code = fences.inside(line);
    const heading = !code && /^#{1,6} /.test(line) && !lines.some(isMiddle) && !beginsQuestion(all, index);
    if (code || (line.trim() !== "" && !heading)) {
      if (lines.length === 0) begin = firstLine + index;
      lines.push(line);
      continue;
    }
    if (lines.length > 0) yield { lines, line: begin };
    lines = [];
    fences = new FenceScan();
    if (heading && (pairOf(line) || marks.hasTag(line))) yield { lines: [line], line: firstLine + index };
  }
  if (lines.length > 0) yield { lines, line: begin };
}

/** Whether a text has deletions in braces; those in code are text. */
function hasDeletion(text: string): boolean {
  for (const { 0: found, index } of text.matchAll(/\\[\s\S]|```[\s\S]*?```|~~~[\s\S]*?~~~|`[^`\n]+`|\{\{/g))
    if (found === "{{" && readCloze(text.slice(index)) !== undefined) return true;
  return false;
}

/** The highlights of a text as numbered deletions, but those in code; a hint follows its deletion, since the card language has none. */
function fromHighlights(text: string): string {
  let next = 0;
  const codeOrHighlight = /```[\s\S]*?```|~~~[\s\S]*?~~~|`[^`\n]+`|(?<!=)==(?!=)([^\n]+?)(?<!=)==(?!=)/g;
  return text.replace(codeOrHighlight, (whole, inner?: string) => {
    if (inner === undefined) return whole;
    const [, number = ++next, answer, hint] = /^(?:(\d{1,9});;)?(.*?)(?:;;(.*))?$/.exec(inner) ?? [];
    return `{{${number}::${answer}}}${hint ? ` (${hint})` : ""}`;
  });
}
