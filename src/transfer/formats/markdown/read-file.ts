import { dirname } from "node:path";
import { FenceScan } from "../../../cards/sides.ts";
import { limits } from "../../limits.ts";
import type { Source, SourceCard } from "../../model.ts";
import { at, broken } from "../../place.ts";
import { fromAnkiClozes } from "../anki/cloze.ts";
import { FilesBeside } from "../beside.ts";
import { DeckTree } from "../deck-tree.ts";
import { cardOf } from "../documents.ts";
import { linesOf, readText, type TextOptions } from "../text.ts";
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
  const head = await readHead(path, options);
  const tree = new DeckTree();
  const beside = new FilesBeside(dirname(path));
  const deckPath = head.matter?.["deck"];
  const deck = typeof deckPath === "string" ? tree.add(deckPath, options.name) : undefined;
  const { headings, notes } = await formOf(path, options, head.line);
  return {
    format: "markdown",
    decks: tree.decks,
    templates: [],
    notes,
    async *cards(skip): AsyncGenerator<SourceCard> {
      for (const { line, ...why } of headings?.left ?? []) skip({ ...why, place: at(options.name, line) });
      for await (const { text, line } of headings?.cards ?? pieces(path, options, head.line)) {
        const place = at(options.name, line);
        const content = fromAnkiClozes(text.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd());
        if (content === "") continue;
        const tags = listOfTags(head.matter?.["tags"]);
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
async function formOf(
  path: string,
  options: MarkdownFileOptions,
  from: number,
): Promise<{ readonly headings?: HeadingCards | undefined; readonly notes: string[] }> {
  let only: Piece | undefined;
  for await (const piece of pieces(path, options, from)) {
    if (only !== undefined) return { notes: [] };
    only = piece;
  }
  const headings = options.separator === undefined && only ? headingCards(only) : undefined;
  if (headings !== undefined)
    return {
      headings,
      notes: [
        `${options.name} has headings and no other marks: each heading of level ${headings.level} is a card, ` +
          "and what is below it the answer",
      ],
    };
  const lines = (only?.text ?? "").split("\n").length;
  const how = "--separator names the line between cards, --format another form (obsidian, hashcards)";
  return { notes: lines < manyLines ? [] : [`${options.name} is one card of ${lines} lines: ${how}`] };
}

/** Front matter must be complete in the first piece of the text: 64 KiB. */
async function readHead(path: string, options: TextOptions) {
  for await (const text of readText(path, options)) {
    const { matter, line } = readMatter(text, options.name);
    return { matter, line };
  }
  return { matter: undefined, line: 1 };
}

async function* pieces(path: string, options: MarkdownFileOptions, from: number): AsyncGenerator<Piece> {
  const separator = options.separator ?? defaultSeparator;
  let fences = new FenceScan();
  let lines: string[] = [];
  let length = 0;
  let begin = from;
  let number = 0;
  for await (const line of textLines(path, options)) {
    number++;
    if (number < from) continue;
    if (!fences.inside(line) && line.trimEnd() === separator) {
      yield { text: lines.join("\n"), line: begin };
      lines = [];
      length = 0;
      begin = number + 1;
      fences = new FenceScan();
      continue;
    }
    if (lines.length === 0 && line.trim() === "") begin = number + 1;
    else {
      lines.push(line);
      length += line.length + 1;
    }
    if (length > limits.itemLength)
      throw broken(at(options.name, begin), `a card has more than ${limits.itemLength / 1024 / 1024} MiB`);
  }
  yield { text: lines.join("\n"), line: begin };
}

const textLines = (path: string, options: TextOptions): AsyncGenerator<string> =>
  linesOf(readText(path, options), (line, length) => {
    if (length > limits.itemLength)
      throw broken(at(options.name, line), `a line has more than ${limits.itemLength / 1024 / 1024} MiB`);
  });
