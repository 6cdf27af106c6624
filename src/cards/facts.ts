import { inlines, plainText } from "./nodes.ts";
import type { parseSide } from "./parse.ts";
import { lines, splitSides } from "./sides.ts";

/** What the service derives from a content (docs/design/service.md, Where the API document is silent). */
export interface ContentFacts {
  /** The inline `#tags` without their `#`, each once, in the order of the text. */
  readonly tags: readonly string[];
  /**
   * The ids named by `[[id]]`, `[[Title|id]]`, `![[id]]`, `![[id/1]]` and the older `@[title](url)` (the last part of the
   * URL), each once, in the order of the text. A name with a space is not an id. Whether such a card exists is for the
   * caller to check.
   */
  readonly references: readonly string[];
  /** The first non-blank line without its markdown, at most 120 characters; null where there is none. */
  readonly name: string | null;
}

/** The length of a name derived from a content, in Unicode code points. */
const nameLength = 120;

/** The name is in so many characters at the beginning of a content, or the card has none: more takes too long to search. */
const nameWithin = 50_000;

/** All facts of a content. Loads the parser only if there is something to parse. */
export async function contentFacts(content: string): Promise<ContentFacts> {
  const beginning = content.slice(0, nameWithin);
  const parse = mayHold(content) || marksUp(firstLine(beginning)) ? await parser() : undefined;
  const { tags, references } = named(content, parse);
  return { tags, references, name: nameOf(beginning, parse) };
}

/** The inline tags of a content: not those in code, URLs or link texts (docs/design/cards.md). */
export async function inlineTags(content: string): Promise<string[]> {
  return content.includes("#") ? named(content, await parser()).tags : [];
}

type Parse = typeof parseSide;

const parser = async (): Promise<Parse> => (await import("./parse.ts")).parseSide;

const mayHold = (content: string) => /#|\[\[|@\[/.test(content);

/** Whether a line may contain markup, so that it has to be parsed. */
const marksUp = (line: string) => /[^\p{L}\p{N}\p{M} ,.;:'"()?/-]|^\s*[-\d]|https?:|www\./u.test(line);

function named(content: string, parse: Parse | undefined): { tags: string[]; references: string[] } {
  const tags = new Set<string>();
  const ids = new Set<string>();
  if (parse && mayHold(content)) {
    for (const side of splitSides(content)) {
      if (!mayHold(side)) continue;
      for (const node of inlines(parse(side))) {
        if (node.type === "tag") tags.add(node.name);
        else if (node.type === "reference" || node.type === "embed") {
          const id = idOf(node.target);
          if (id !== undefined) ids.add(id);
        }
      }
    }
  }
  return { tags: [...tags], references: [...ids] };
}

/** The id in a target, which is an id or a URL that ends with one. */
function idOf(target: string): string | undefined {
  return /^(?:[^\s]*[/#:])?([A-Za-z\d_-]{1,255})\/?$/.exec(target)?.[1];
}

/** The first line that is neither blank nor a separator of sides. */
function firstLine(content: string): string {
  for (const side of splitSides(content)) {
    for (const line of lines(side)) if (line.text.trim() !== "") return line.text;
  }
  return "";
}

/** The first line that shows anything, without its markdown; of a side its beginning is enough. */
function nameOf(content: string, parse: Parse | undefined): string | null {
  if (!parse) return short(firstLine(content));
  for (const side of splitSides(content))
    for (const text of texts(parse(side.slice(0, 4000))))
      for (const line of text.split("\n")) if (line.trim() !== "") return short(line);
  return null;
}

function* texts(blocks: ReturnType<Parse>): Generator<string> {
  for (const block of blocks) {
    if (block.type === "paragraph" || block.type === "heading") yield plainText(block.children);
    else if (block.type === "quote") yield* texts([...block.children]);
    else if (block.type === "list") for (const item of block.items) yield* texts([...item.children]);
    else if (block.type === "table") yield block.header.map(plainText).join(" | ");
    else if (block.type === "math") yield block.source;
    else if (block.type === "code" || block.type === "raw") yield block.text;
  }
}

/** The words with single spaces between them, at most 120 code points; null if there are none. */
function short(text: string): string | null {
  const words = text.replace(/\s+/g, " ").trim();
  if (words === "") return null;
  return words.length <= nameLength
    ? words
    : [...words.slice(0, nameLength * 2)].slice(0, nameLength).join("").trimEnd();
}
