import { FenceScan, joinSides } from "../../../cards/sides.ts";
import type { Note } from "./obsidian.ts";

/** What a file of hashcards says of itself: TOML between dashes. */
interface HashcardsHead {
  readonly name: string | undefined;
  /** Characters and lines that it takes up. */
  readonly length: number;
  readonly lines: number;
}

export function hashcardsHead(text: string): HashcardsHead {
  const [whole = "", toml = ""] = /^---[ \t]*\r?\n([\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  const [, double, single] = /^\s*name\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/m.exec(toml) ?? [];
  const name = single ?? double?.replace(/\\(["\\])/g, "$1");
  return { name, length: whole.length, lines: whole.split("\n").length - 1 };
}

/**
 * The cards of a file of hashcards: `Q:` and `A:`, and `C:` with deletions in brackets. Its parser goes by lines: within a
 * card it knows no code blocks. Outside of cards they may show what a card looks like.
 *
 * @param missed receives the line of a question that has no answer
 */
export function* hashcardsNotes(
  text: string,
  firstLine = 1,
  missed: (line: number) => void = () => {},
): Generator<Note> {
  const fences = new FenceScan();
  let [kind, line] = ["", firstLine];
  let parts: string[][] = [];
  const finish = function* (): Generator<Note> {
    const sides = parts.map((each) => each.join("\n").trim());
    parts = [];
    const [front = "", back] = sides;
    if (kind === "" || front === "") return;
    if (kind === "Q" && !back) return missed(line);
    const content = kind === "C" ? deletions(front) : joinSides([front, back ?? ""]);
    yield { line, content, deck: undefined, reverse: false, reviews: [], moreSchedules: 0 };
  };
  for (const [index, raw] of text.split("\n").entries()) {
    const each = raw.replace(/\r$/, "");
    const [, tag, rest = ""] =
      kind === "" && fences.inside(each) ? [] : (/^([QAC]):[ \t]?(.*)$/.exec(each) ?? []);
    if (tag === "Q" || tag === "C") {
      yield* finish();
      [kind, line] = [tag, firstLine + index];
      parts = [[rest]];
    } else if (tag === "A" && kind === "Q" && parts.length === 1) parts.push([rest]);
    else if (kind !== "" && each.trim() === "---") {
      yield* finish();
      kind = "";
    } else parts.at(-1)?.push(each);
  }
  yield* finish();
}

/** `[text]` is a deletion; a link, a picture and `\[` are not. */
function deletions(text: string): string {
  let number = 0;
  return text
    .replace(/(?<![!\\\]])\[([^[\]\n]+)\](?![([])/g, (_, deleted) => `{{${++number}::${deleted}}}`)
    .replace(/\\([[\]])/g, "$1");
}
