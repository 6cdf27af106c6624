import { FenceScan, joinSides } from "../../../cards/sides.ts";

/** The name that the TOML at the top of a file of hashcards gives its deck. */
export function hashcardsName(toml: string): string | undefined {
  const [, double, single] = /^\s*name\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/m.exec(toml) ?? [];
  return single ?? double?.replace(/\\(["\\])/g, "$1");
}

/** A card as hashcards finds it, and the lines that it takes up: those from `from` up to `to`, from 0. */
export interface HashcardsBlock {
  readonly mark: "Q:" | "C:";
  readonly from: number;
  readonly to: number;
  /** Undefined for a question without `A:`, and a text without a deletion. */
  readonly content: string | undefined;
}

/**
 * The cards of a file of hashcards: `Q:` and `A:`, and `C:` with deletions in brackets. Its parser goes by lines: within a
 * card it knows no code blocks. Outside of cards they may show what a card looks like.
 *
 * @param endsAt whether the paragraph at a line, which follows a blank one, is a card in another form
 */
export function* hashcardsBlocks(
  lines: readonly string[],
  endsAt: (index: number) => boolean,
): Generator<HashcardsBlock> {
  const outside = new FenceScan();
  let block: OpenBlock | undefined;
  let inside = new FenceScan();
  for (const [index, line] of lines.entries()) {
    const inText = block === undefined && outside.inside(line);
    const [, tag, rest = ""] = inText ? [] : (/^([QAC]):[ \t]?(.*)$/.exec(line) ?? []);
    const inCode = inside.inside(line);
    if (tag === "Q" || tag === "C") {
      if (block !== undefined) yield closed(block, index);
      block = { mark: `${tag}:`, from: index, parts: [[rest]] };
      inside = new FenceScan();
    } else if (block === undefined) continue;
    else if (tag === "A" && block.mark === "Q:" && block.parts.length === 1) block.parts.push([rest]);
    else if (line.trim() === "---" || (!inCode && lines[index - 1]?.trim() === "" && endsAt(index))) {
      const isSeparator = line.trim() === "---";
      yield closed(block, isSeparator ? index + 1 : index);
      block = undefined;
    } else block.parts.at(-1)?.push(line);
  }
  if (block !== undefined) yield closed(block, lines.length);
}

interface OpenBlock {
  readonly mark: "Q:" | "C:";
  readonly from: number;
  readonly parts: string[][];
}

function closed({ mark, from, parts }: OpenBlock, to: number): HashcardsBlock {
  const sides = parts.map((part) => part.join("\n").trim());
  const [front = ""] = sides;
  const cloze = deletions(front);
  const isCard = front !== "" && (mark === "Q:" ? sides.length > 1 : cloze.hasAny);
  return { mark, from, to, content: isCard ? (mark === "Q:" ? joinSides(sides) : cloze.text) : undefined };
}

/** `[text]` is a deletion; a link, a picture and `\[` are not. */
function deletions(text: string): { readonly text: string; readonly hasAny: boolean } {
  let number = 0;
  const numbered = text
    .replace(/(?<![!\\\]])\[([^[\]\n]+)\](?![([])/g, (_, deleted) => `{{${++number}::${deleted}}}`)
    .replace(/\\([[\]])/g, "$1");
  return { text: numbered, hasAny: number > 0 };
}
