import { readFurigana } from "../../../cards/syntax.ts";
import type { Element } from "./element.ts";
import { escapeText } from "./escape.ts";

/** A ruby element as parts of markdown; undefined for what cannot be written as text with its reading. */
export const rubyParts = (ruby: Element): string[] | undefined =>
  readings(ruby)?.map(([text, reading]) => (reading === "" ? escapeText(text) : withReading(text, reading)));

/**
 * The texts of a ruby element, each with its reading; undefined for what furigana cannot hold (docs/design/cards.md):
 * anything but text, or braces and parentheses.
 */
function readings(ruby: Element): [text: string, reading: string][] | undefined {
  const parts: [string, string][] = [];
  let text = "";
  for (const child of ruby.childNodes) {
    const content = (child.textContent ?? "").trim();
    if (/[{}()\ue0f0]/.test(child.nodeName === "RP" ? "" : content) || hasPicture(child)) return undefined;
    if (child.nodeName === "RT") {
      parts.push([text, text === "" ? "" : content]);
      text = "";
    } else if (child.nodeName !== "RP") text += content;
  }
  return text === "" ? parts : [...parts, [text, ""]];
}

/** Furigana is of scripts that have readings; of digits and other letters the HTML is kept. */
function withReading(text: string, reading: string): string {
  const furigana = `{${text}}(${reading})`;
  return readFurigana(furigana)?.length === furigana.length
    ? furigana
    : `<ruby>${escapeText(text)}<rt>${escapeText(reading)}</rt></ruby>`;
}

const hasPicture = (node: Element): boolean =>
  node.nodeName === "IMG" || [...node.childNodes].some(hasPicture);
