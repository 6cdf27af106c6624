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

/**
 * What was typed compared with the answer, by whole characters: it differs between what both begin and what both end
 * with. Spaces at the ends do not count.
 */
export function compareTyped(typed: string, answer: string): TypedPart[] {
  const [a, b] = [characters(tidy(typed)), characters(tidy(answer))];
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const parts: TypedPart[] = [
    { kind: "same", text: a.slice(0, start).join("") },
    { kind: "wrong", text: a.slice(start, a.length - end).join("") },
    { kind: "missing", text: b.slice(start, b.length - end).join("") },
    { kind: "same", text: a.slice(a.length - end).join("") },
  ];
  return parts.filter(({ text }) => text !== "");
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

const characters = (text: string): string[] =>
  [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

const tidy = (text: string): string => text.normalize("NFC").replace(/\s+/g, " ").trim();
