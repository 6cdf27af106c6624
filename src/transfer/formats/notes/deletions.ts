import type { ClozeGroup } from "../../../cards/nodes.ts";
import { readCloze } from "../../../cards/syntax.ts";

interface Deletion {
  /** Without the braces of deletions inside it. */
  readonly text: string;
  readonly group: ClozeGroup;
  readonly hasOthers: boolean;
}

/** What a text is made of: deletions, and what is between them. Those in code are text. */
function* partsOf(text: string): Generator<string | Deletion> {
  let at = 0;
  const scan = /\\[\s\S]|```[\s\S]*?```|~~~[\s\S]*?~~~|`[^`\n]+`|\{\{/g;
  for (let found = scan.exec(text); found !== null; found = scan.exec(text)) {
    const read = found[0] === "{{" ? readCloze(text.slice(found.index)) : undefined;
    if (read === undefined) continue;
    yield text.slice(at, found.index);
    const inner = [...partsOf(read.inner)];
    yield {
      text: inner.map((part) => (typeof part === "string" ? part : part.text)).join(""),
      group: read.group,
      hasOthers: inner.length > 1,
    };
    at = found.index + read.length;
    scan.lastIndex = at;
  }
  yield text.slice(at);
}

const isDeletion = (part: string | Deletion): part is Deletion => typeof part !== "string";

export const hasDeletion = (text: string): boolean => [...partsOf(text)].some(isDeletion);

/**
 * Deletions beside another side, for formats that have them only in cards of one side: `[...]` in the first side, and the
 * whole text above the second one. Sides without a text go.
 *
 * @param mark written around what was deleted
 */
export function asQuestion(
  sides: readonly string[],
  mark: "==" | "**",
): { readonly sides: readonly string[]; readonly changed: boolean } {
  const [front = "", ...others] = sides;
  const rest = others.filter((side) => side.trim() !== "");
  if (rest.length === 0 || !sides.some(hasDeletion)) return { sides: [front, ...rest], changed: false };
  const asked = [...partsOf(front)].map((part) => (isDeletion(part) ? "[...]" : part)).join("");
  const [first = "", ...more] = rest.map((side) => revealed(side, mark));
  const answer = hasDeletion(front) ? `${revealed(front, mark)}\n\n${first}` : first;
  return { sides: [asked, answer, ...more], changed: true };
}

function revealed(side: string, mark: string): string {
  const marked = ({ text }: Deletion) =>
    text.includes("\n") || text.includes(mark) || text.trim() !== text ? text : `${mark}${text}${mark}`;
  return [...partsOf(side)].map((part) => (isDeletion(part) ? marked(part) : part)).join("");
}

/** In brackets, as hashcards has them. */
export const bracketed = (text: string): string =>
  [...partsOf(text)].map((part) => (isDeletion(part) ? `[${part.text}]` : part)).join("");

/**
 * Highlighted, as the plugin of Obsidian has them: `==text==` are asked one after the other, `==2;;text==` in the order of
 * their numbers, those of one number together.
 *
 * @returns also whether the text of some deletion had to be changed
 */
export function highlighted(text: string): { readonly text: string; readonly changed: boolean } {
  const parts = [...partsOf(text)];
  const deletions = parts.filter(isDeletion);
  const numbers = deletions.map(({ group }) => group ?? 0);
  const inOrder = numbers.every((number, index) => number === index + 1) || numbers.length === 1;
  const bare = Math.max(...numbers, 0) + 1;
  let changed = false;
  const written = parts.map((part) => {
    if (!isDeletion(part)) return part;
    const plain = part.text
      .trim()
      .replace(/\s*\n\s*/g, "<br>")
      .replace(/([=;])(?=\1)/g, "$1\\");
    changed ||= part.hasOthers || plain !== part.text.trim();
    return inOrder ? `==${plain}==` : `==${part.group ?? bare};;${plain}==`;
  });
  return { text: written.join(""), changed };
}

/** The highlights of a text as numbered deletions, but those in code; a hint follows its deletion, since the card language has none. */
export function fromHighlights(text: string): string {
  let next = 0;
  const codeOrHighlight = /```[\s\S]*?```|~~~[\s\S]*?~~~|`[^`\n]+`|(?<!=)==(?!=)([^\n]+?)(?<!=)==(?!=)/g;
  return text.replace(codeOrHighlight, (whole, inner?: string) => {
    if (inner === undefined) return whole;
    const [, number = ++next, answer, hint] = /^(?:(\d{1,9});;)?(.*?)(?:;;(.*))?$/.exec(inner) ?? [];
    return `{{${number}::${answer}}}${hint ? ` (${hint})` : ""}`;
  });
}
