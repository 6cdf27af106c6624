import { fromAnkiClozes } from "../anki/cloze.ts";
import { splitMatter } from "../markdown/front-matter.ts";
import { hashcardsBlocks, hashcardsName } from "./hashcards.ts";
import { type Note, obsidianNotes } from "./obsidian.ts";
import { defaultMarks, isMiddle, type Mark, type ObsidianMarks, pairOf } from "./obsidian-marks.ts";
import { type NotesFormat, notesFormat } from "./recognise.ts";

export type { Mark, Note };

/** Something that looks like a card, and is none. */
export interface LeftNote {
  /** From 1. */
  readonly line: number;
  readonly what: string;
  readonly why: string;
}

/** The cards of a text, in their order. */
export interface NotesText {
  readonly notes: readonly Note[];
  readonly left: readonly LeftNote[];
  /** Whether the plugin of Obsidian would read it. */
  readonly tagged: boolean;
}

export interface NotesTextOptions {
  /** What the text mostly is; found out from it if not given. */
  readonly format?: NotesFormat | undefined;
  readonly marks?: ObsidianMarks;
  /** The path of the deck of all its cards, where the vault makes decks of folders. */
  readonly folderDeck?: string | undefined;
}

/** Marks that are hardly anything else: text may well have `a::b` and `==a==`. */
const ownMarks: ReadonlySet<Mark> = new Set(["Q:", "C:", "?", " :: "]);

const unanswered = { what: "questions without an answer", why: "their A: is missing" };
const undeleted = { what: "texts without a deletion", why: "a C: has its deletions in brackets" };
const unknownForm = {
  what: "questions with a schedule",
  why: "what separates question and answer is none of ::, :::, ? and ??",
};
const weak = {
  what: "lines with ::",
  why: "beside Q: and C: a pair has blanks around its ::, or its file a tag",
};

/**
 * The cards that a file of notes holds, by whichever marks: those of hashcards and of Obsidian's plugin may be mixed. A
 * file of hashcards, and one in no known form, needs marks that are hardly anything else.
 */
export function readNotes(
  text: string,
  { format = notesFormat(text), marks = defaultMarks, folderDeck }: NotesTextOptions = {},
): NotesText {
  const matter = splitMatter(text);
  const firstLine = matter?.line ?? 1;
  const lines = (matter?.content ?? text).split("\n").map((line) => line.replace(/\r$/, ""));
  const name = hashcardsName(matter?.yaml ?? "");
  const fileDeck = folderDeck ?? marks.deckIn(matter?.yaml ?? "");
  const tagged = fileDeck !== undefined || marks.hasTag(lines.join("\n"));
  const isCard = ({ mark, reviews }: Pick<Note, "mark" | "reviews">) =>
    tagged || format === "obsidian" || ownMarks.has(mark) || reviews.length > 0;
  const notes: Note[] = [];
  const left: LeftNote[] = [];
  const others = [...lines];
  const above = deckAbove(lines, marks);
  for (const { mark, content, from, to } of hashcardsBlocks(lines, (index) =>
    isOther(lines, index, marks, tagged),
  )) {
    const line = firstLine + from;
    if (content !== undefined) {
      const deck = name ?? above(from) ?? fileDeck;
      notes.push({
        line,
        mark,
        content,
        deck: deck || undefined,
        reverse: false,
        reviews: [],
        moreSchedules: 0,
      });
    } else if (format === "hashcards") left.push({ line, ...(mark === "Q:" ? unanswered : undeleted) });
    else continue;
    others.fill("", from, to);
  }
  const missed = (line: number) => left.push({ line, ...unknownForm });
  for (const note of obsidianNotes(others.join("\n"), marks, firstLine, fileDeck, missed))
    if (isCard(note)) notes.push({ ...note, deck: note.deck ?? name });
    else if (format === "hashcards") left.push({ line: note.line, ...weak });
  const read = notes.map((note) => ({ ...note, content: fromAnkiClozes(note.content) }));
  return { notes: read.sort((a, b) => a.line - b.line), left, tagged };
}

/**
 * How many cards a text holds by marks of their own: `Q:`, `C:`, `?` on a line, `::` with blanks. Headings, highlights and
 * `a::b` are none: any text may have them.
 */
export const countNotes = (text: string): number =>
  readNotes(text).notes.filter(({ mark }) => ownMarks.has(mark)).length;

/** Whether a paragraph below a card of hashcards is one of Obsidian: all of it pairs, or with its answer below a `?`. */
function isOther(lines: readonly string[], index: number, marks: ObsidianMarks, tagged: boolean): boolean {
  let end = index + 1;
  while (end < lines.length && lines[end]?.trim() !== "") end++;
  const paragraph = lines.slice(index, end);
  if (paragraph.some((line, at) => at > 0 && isMiddle(line))) return true;
  return paragraph.every((line) => {
    const mark = pairOf(line)?.mark;
    return mark === " :: " || (tagged && (mark === "::" || marks.hasTag(line)));
  });
}

/** The path of the deck that the last tag above a line names, for lines in their order. */
function deckAbove(lines: readonly string[], marks: ObsidianMarks): (before: number) => string | undefined {
  let [read, deck]: [number, string | undefined] = [0, undefined];
  return (before) => {
    for (; read < before; read++) deck = marks.withoutTag(lines[read] ?? "").own ?? deck;
    return deck;
  };
}
