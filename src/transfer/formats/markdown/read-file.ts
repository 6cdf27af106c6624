import { dirname } from "node:path";
import { FenceScan } from "../../../cards/sides.ts";
import { limits } from "../../limits.ts";
import type { Source, SourceCard } from "../../model.ts";
import { at, broken } from "../../place.ts";
import { fromAnkiClozes } from "../anki/cloze.ts";
import { FilesBeside } from "../beside.ts";
import { DeckTree } from "../deck-tree.ts";
import { cardOf } from "../documents.ts";
import { readWholeText, type TextOptions } from "../text.ts";
import { listOfTags } from "./card-file.ts";
import { readMatter } from "./front-matter.ts";
import { type HeadingCards, headingCards, type Piece } from "./headings.ts";

const defaultSeparator = "***";

interface MarkdownFileOptions extends TextOptions {
  /** A line of exactly this is between two cards. */
  readonly separator?: string | undefined;
}

/**
 * One markdown file with any number of cards, separated by lines. In a fenced code block a line is text. Front matter at
 * the top holds for all cards: `tags`, and `deck` with the path of their deck.
 */
export async function openMarkdownFile(path: string, options: MarkdownFileOptions): Promise<Source> {
  const { name, separator } = options;
  const text = (await readWholeText(path, options, limits.dataBytes)).replaceAll("\r\n", "\n");
  const { matter, content, line } = readMatter(text, name);
  const tree = new DeckTree();
  const beside = new FilesBeside(dirname(path));
  const deckPath = matter?.["deck"];
  const deck = typeof deckPath === "string" ? tree.add(deckPath, name) : undefined;
  const pieces = [...piecesOf(content, line, separator ?? defaultSeparator)];
  const { headings, notes } = formOf(pieces, options);
  return {
    format: "markdown",
    decks: tree.decks,
    templates: [],
    notes,
    async *cards(skip): AsyncGenerator<SourceCard> {
      for (const { line, ...why } of headings?.left ?? []) skip({ ...why, place: at(name, line) });
      for (const { text, line } of headings?.cards ?? pieces) {
        const place = at(name, line);
        if (text.length > limits.itemLength)
          throw broken(place, `a card has more than ${limits.itemLength / 1024 / 1024} MiB`);
        const content = fromAnkiClozes(text.replace(/^(?:[ \t]*\n)+/, "").trimEnd());
        if (content === "") continue;
        const tags = listOfTags(matter?.["tags"]);
        const { text: linked, attachments } = await beside.take(content, "", place, skip, "beside");
        yield cardOf({ content: linked, tags }, undefined, { place, skip, deck, attachments });
      }
    },
    close: async () => {},
  };
}

/** As many lines are hardly one card. */
const manyLines = 60;

/** Whether a file that is one piece has a card for each heading, and what the plan says of that. */
function formOf(
  [only, ...more]: readonly Piece[],
  { name, separator }: MarkdownFileOptions,
): { readonly headings?: HeadingCards; readonly notes: string[] } {
  if (only === undefined || more.length > 0) return { notes: [] };
  const headings = separator === undefined ? headingCards(only) : undefined;
  if (headings !== undefined)
    return {
      headings,
      notes: [
        `${name} has headings and no other marks: each heading of level ${headings.level} is a card, ` +
          "and what is below it the answer",
      ],
    };
  const lines = only.text.split("\n").length;
  const how = "--separator names the line between cards, --format another form (obsidian, hashcards)";
  return { notes: lines < manyLines ? [] : [`${name} is one card of ${lines} lines: ${how}`] };
}

function* piecesOf(text: string, from: number, separator: string): Generator<Piece> {
  let fences = new FenceScan();
  let lines: string[] = [];
  let begin = from;
  for (const [index, line] of text.split("\n").entries()) {
    if (!fences.inside(line) && line.trimEnd() === separator) {
      yield { text: lines.join("\n"), line: begin };
      lines = [];
      begin = from + index + 1;
      fences = new FenceScan();
    } else if (lines.length === 0 && line.trim() === "") begin = from + index + 1;
    else lines.push(line);
  }
  yield { text: lines.join("\n"), line: begin };
}
