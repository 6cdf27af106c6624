import { type Block, type Inline, inlines, plainText } from "../../cards/nodes.ts";
import { type Pass, stepAt } from "../../cards/passes.ts";
import { visible } from "../../output/sanitize.ts";
import type { SessionCard } from "./card.ts";

/** Answers that are typed (`--type`). */

const LONGEST = 80;

/** The text that the next reveal of a pass shows: clozes, or a side of one short line without the tags at its end. Undefined for anything else. */
export function answerToType(
  { presentation }: Pick<SessionCard, "presentation">,
  pass: Pass,
  step: number,
): string | undefined {
  if (step >= pass.steps - 1) return undefined;
  const revealed = stepAt(pass, step + 1).at(-1);
  const side = revealed && presentation.sides[revealed.index];
  if (revealed === undefined || side === undefined) return undefined;
  if (pass.kind === "cloze" && step === 0) {
    const hidden = [...inlines(side.blocks)].flatMap((node) =>
      node.type === "cloze" && node.group === pass.group ? [plainText(node.children)] : [],
    );
    return short(hidden.join(", "));
  }
  const [block, ...others] = withoutTags(side.blocks, isTags);
  if (others.length > 0 || (block?.type !== "paragraph" && block?.type !== "heading")) return undefined;
  if ([...inlines(side.blocks)].some(({ type }) => type === "image")) return undefined;
  return short(plainText(withoutTags<Inline>(block.children, isTagOrSpace)));
}

/** What is before the tags at the end of a side, which are no part of its answer. */
function withoutTags<Part>(parts: readonly Part[], isLeft: (part: Part) => boolean): readonly Part[] {
  return parts.slice(0, parts.findLastIndex((part) => !isLeft(part)) + 1);
}

const isTags = (block: Block): boolean => block.type === "paragraph" && block.children.every(isTagOrSpace);

const isTagOrSpace = (node: Inline): boolean =>
  node.type === "tag" || node.type === "break" || (node.type === "text" && node.text.trim() === "");

function short(text: string): string | undefined {
  const line = tidy(text);
  return line === "" || /\n/.test(text.trim()) || line.length > LONGEST ? undefined : line;
}

/** A part of what was typed beside the answer: right, typed but not in the answer, or missing. */
export interface TypedPart {
  readonly kind: "same" | "wrong" | "missing";
  readonly text: string;
}

/** What was typed compared with the answer, by whole characters; spaces at the ends do not count. */
export function compareTyped(typed: string, answer: string): TypedPart[] {
  const [a, b] = [characters(tidy(typed)), characters(tidy(answer))];
  // lengths[i][j]: the longest common subsequence of what follows i and j.
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row !== undefined)
        row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const parts: TypedPart[] = [];
  const add = (kind: TypedPart["kind"], text = "") => {
    const last = parts.at(-1);
    if (last?.kind === kind) parts[parts.length - 1] = { kind, text: last.text + text };
    else parts.push({ kind, text });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add("same", a[i++]);
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) add("wrong", a[i++]);
    else add("missing", b[j++]);
  }
  return parts;
}

/** How differences are marked; by nothing without colour. */
export interface TypedStyles {
  wrong(text: string): string;
  missing(text: string): string;
}

/** What was typed and the answer below it, for people; the differing letters are marked where they are few. */
export function typedLines(parts: readonly TypedPart[], styles?: TypedStyles): string[] {
  const lengthOf = (kinds: readonly TypedPart["kind"][]) =>
    parts.reduce((sum, { kind, text }) => sum + (kinds.includes(kind) ? text.length : 0), 0);
  const differing = lengthOf(["wrong", "missing"]);
  if (differing === 0) return ["Right"];
  const marks = styles !== undefined && differing <= lengthOf(["same"]) ? styles : undefined;
  const line = (of: "wrong" | "missing") =>
    parts
      .filter(({ kind }) => kind === "same" || kind === of)
      .map(({ kind, text }) => (kind === "same" ? visible(text) : (marks?.[of] ?? String)(visible(text))))
      .join("");
  return [`you   ${line("wrong")}`, `card  ${line("missing")}`];
}

/** A longer paste is cut: a comparison takes the product of both lengths. */
const MOST_CHARACTERS = 500;

const characters = (text: string): string[] =>
  [...new Intl.Segmenter().segment(text)].slice(0, MOST_CHARACTERS).map(({ segment }) => segment);

const tidy = (text: string): string => text.normalize("NFC").replace(/\s+/g, " ").trim();
