import TurndownService from "turndown";
import { onOneLine } from "./between.ts";
import { addressOf, type Element, elementOf, fileNameOf } from "./element.ts";
import { emphasised } from "./emphasis.ts";
import { escapeText } from "./escape.ts";
import { codeBlock, isCode, withLines } from "./preformatted.ts";
import { rubyParts } from "./ruby.ts";

/** What cannot be converted. */
export type Dropped =
  | "scripts"
  | "embedded pictures"
  | "formulas in MathML"
  | "form elements"
  | "markup nested too deep"
  | "media that fields name";

const isBlank = (text: string) => text.trim() === "";

interface Hooks {
  media(name: string, alt: string): string;
  drop(what: Dropped): void;
  keep(markdown: string): string;
}

/**
 * Converts HTML by the rules of the card language. The library trims its result with a regular expression that is
 * quadratic in runs of blanks; the result is therefore taken from the outermost element, before it is trimmed.
 */
export function createTurndown(hooks: Hooks): (html: string) => string {
  const turndown = withRules(hooks);
  let whole = "";
  turndown.addRule("whole", {
    filter: (node) => elementOf(node).nodeName === "X-WHOLE",
    replacement: (content) => {
      whole = content;
      return "";
    },
  });
  return (html) => {
    whole = "";
    turndown.turndown(`<x-whole>${html.replace(/<\/?x-whole/gi, "<x")}</x-whole>`);
    return whole;
  };
}

function withRules(hooks: Hooks): TurndownService {
  const turndown = new TurndownService({
    headingStyle: "atx",
    hr: "----",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    emDelimiter: "*",
    blankReplacement: (_content, node) =>
      elementOf(node).isBlock && elementOf(node).nodeName !== "LI" ? "\n\n" : "",
  });
  turndown.escape = escapeText;
  addRemoved(turndown, hooks);
  addMedia(turndown, hooks);
  addBlocks(turndown);
  addEmphasis(turndown);
  addReadings(turndown, hooks);
  addTables(turndown);
  return turndown;
}

/** Elements that are left out with their content; undefined for those that have nothing to show. */
const removed: Readonly<Record<string, Dropped | undefined>> = {
  SCRIPT: "scripts",
  IFRAME: "scripts",
  OBJECT: "scripts",
  EMBED: "scripts",
  SVG: "embedded pictures",
  MATH: "formulas in MathML",
  BUTTON: "form elements",
  SELECT: "form elements",
  TEXTAREA: "form elements",
  STYLE: undefined,
  NOSCRIPT: undefined,
  TITLE: undefined,
  TEMPLATE: undefined,
};

function addRemoved(turndown: TurndownService, { drop }: Hooks): void {
  const nameOf = (node: unknown) => elementOf(node).nodeName.toUpperCase();
  turndown.addRule("removed", {
    filter: (node) => Object.hasOwn(removed, nameOf(node)),
    replacement: (_content, node) => {
      const what = removed[nameOf(node)];
      if (what !== undefined) drop(what);
      return "";
    },
  });
}

function addMedia(turndown: TurndownService, { media, drop }: Hooks): void {
  turndown.addRule("media", {
    filter: ["img", "audio", "video", "source"],
    replacement: (content, node) => {
      const element = elementOf(node);
      const source = element.getAttribute("src") ?? "";
      if (source === "") return content;
      if (/^data:/i.test(source)) {
        drop("embedded pictures");
        return "";
      }
      const alt = (element.getAttribute("alt") ?? "").replace(/\s+/g, " ");
      if (/^https?:/i.test(source))
        return `![${escapeText(alt)}](<${source.replace(/[<>\s]/g, encodeURIComponent)}>)`;
      const isAddress = /^[a-z][a-z\d+.-]*:/i.test(source);
      if (isAddress && !/\.[a-z\d]{1,5}$/i.test(source)) return "";
      // Anki has one folder of media: a file of this name in it is another one.
      if (!isAddress && /\/|%2f/i.test(source))
        return `![${escapeText(alt)}](<${source.replace(/[<>\s]/g, encodeURIComponent)}>)`;
      return media(fileNameOf(source), alt);
    },
  });
  turndown.addRule("links", {
    filter: "a",
    replacement: (content, node) => {
      const address = addressOf(elementOf(node));
      if (address === undefined || isBlank(content)) return content;
      return `[${onOneLine(content)}](<${address.replace(/[<>\s]/g, encodeURIComponent)}>)`;
    },
  });
}

function addBlocks(turndown: TurndownService): void {
  turndown.addRule("item", {
    filter: "li",
    replacement: (content, node) => {
      const marker = markerOf(elementOf(node));
      // A line break at the end breaks nothing.
      const text = content
        .trimEnd()
        .replace(/^(?:[ \u00a0]*\n)+/, "")
        .replace(/^ +/, "")
        .replace(/ {2}\n(?:[ \u00a0]*\n)+/g, "\n\n")
        .replace(/\n/g, "\n    ");
      return `${marker}${text}${elementOf(node).nextSibling === null ? "" : "\n"}`;
    },
  });
  turndown.addRule("details", {
    filter: ["details", "summary"],
    replacement: (content, node) => {
      if (elementOf(node).nodeName === "SUMMARY") return `<summary>${onOneLine(content)}</summary>`;
      if (isBlank(content)) return "";
      if (!/\n[ \u00a0]*\n/.test(content)) return `\n<details>${content.trim()}</details>\n`;
      // A list or a block of code would go on after the tag.
      const from = content.startsWith("\n") ? "\n\n" : "";
      return `\n\n<details>${from}${content.trim()}\n\n</details>\n\n`;
    },
  });
  turndown.addRule("heading", {
    filter: ["h1", "h2", "h3", "h4", "h5", "h6"],
    replacement: (content, node) => {
      const text = content.trim().replace(/[ \u00a0]*\n\s*/g, "<br>");
      return text === "" ? "" : `\n\n${"#".repeat(Number(elementOf(node).nodeName[1]))} ${text}\n\n`;
    },
  });
}

/** Four characters, as wide as the indentation of the item's other lines. */
function markerOf(item: Element): string {
  const list = item.parentNode;
  if (list?.nodeName !== "OL") return "-   ";
  const first = Number(list.getAttribute("start") ?? 1);
  const items = [...list.childNodes].filter(({ nodeName, isBlank }) => nodeName === "LI" && !isBlank);
  return `${(Number.isInteger(first) ? first : 1) + items.indexOf(item)}.`.padEnd(4);
}

function addEmphasis(turndown: TurndownService): void {
  turndown.addRule("strong", {
    filter: ["b", "strong"],
    replacement: (content, node) =>
      isWithin(elementOf(node), /^(?:B|STRONG)$/) ? content : emphasised(content, elementOf(node), "**"),
  });
  turndown.addRule("emphasis", {
    filter: ["i", "em"],
    replacement: (content, node) =>
      isWithin(elementOf(node), /^(?:I|EM)$/) ? content : emphasised(content, elementOf(node), "*"),
  });
  turndown.addRule("preformatted", {
    filter: "pre",
    replacement: (content, node) =>
      isCode(elementOf(node)) ? codeBlock(elementOf(node)) : `\n\n${withLines(content)}\n\n`,
  });
  turndown.addRule("strike", {
    filter: ["s", "del"],
    replacement: (content, node) => emphasised(content, elementOf(node), "~~"),
  });
  turndown.addRule("mark", {
    filter: "mark" as unknown as "a",
    replacement: (content, node) => emphasised(content, elementOf(node), "=="),
  });
  turndown.addRule("raised", {
    filter: ["sub", "sup"],
    replacement: (content, node) => raised(content, elementOf(node)),
  });
  turndown.addRule("kept", {
    filter: ["u", "kbd"],
    replacement: (content, node) => {
      const name = elementOf(node).nodeName.toLowerCase();
      return isBlank(content) || content.includes("\n") ? content : `<${name}>${content}</${name}>`;
    },
  });
}

function addReadings(turndown: TurndownService, { keep }: Hooks): void {
  turndown.addRule("ruby", {
    filter: "ruby",
    replacement: (content, node) => {
      const parts = rubyParts(elementOf(node));
      return parts === undefined ? content : parts.map(keep).join("");
    },
  });
  turndown.addRule("reading", {
    filter: "rt",
    replacement: (content) => (isBlank(content) ? "" : `(${content.trim()})`),
  });
  turndown.addRule("readingParentheses", { filter: "rp", replacement: () => "" });
}

const superscripts: Readonly<Record<string, string>> = Object.fromEntries(
  [..."0123456789+-=()ni"].map((each, index) => [each, [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ"][index] ?? each]),
);
const subscripts: Readonly<Record<string, string>> = Object.fromEntries(
  [..."0123456789+-=()"].map((each, index) => [each, [..."₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"][index] ?? each]),
);

/** Unicode characters where they exist, else HTML that the card language knows. */
function raised(content: string, element: Element): string {
  if (isBlank(content)) return "";
  const table = element.nodeName === "SUP" ? superscripts : subscripts;
  const characters = [...(element.textContent ?? "").trim()];
  if (characters.every((each) => Object.hasOwn(table, each)))
    return characters.map((each) => table[each]).join("");
  const name = element.nodeName.toLowerCase();
  return `<${name}>${onOneLine(content)}</${name}>`;
}

function isWithin({ parentNode }: Element, names: RegExp): boolean {
  for (let node = parentNode; node !== null; node = node.parentNode)
    if (names.test(node.nodeName)) return true;
  return false;
}

/**
 * GitHub's tables; the first row is the head, since there has to be one. The plugins for turndown damage cells with `|` or
 * keep tables without a head as HTML (docs/design/cards.md, Packages of Anki).
 */
function addTables(turndown: TurndownService): void {
  const line = (content: string) => onOneLine(content).replace(/\|/g, "\\|");
  turndown.addRule("cell", { filter: ["td", "th"], replacement: (content) => ` ${line(content)} |` });
  turndown.addRule("row", {
    filter: "tr",
    replacement: (content, node) => {
      const cells = [...elementOf(node).childNodes].filter((child) => /^T[DH]$/.test(child.nodeName)).length;
      const first = isFirstRow(elementOf(node));
      return `\n|${content.replace(/\n/g, " ")}${first ? `\n|${" --- |".repeat(Math.max(1, cells))}` : ""}`;
    },
  });
  turndown.addRule("section", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content });
  turndown.addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` });
}

function isFirstRow(row: Element): boolean {
  for (let node: Element = row; node.nodeName !== "TABLE"; ) {
    for (let before = node.previousSibling; before !== null; before = before.previousSibling)
      if (/^(?:TR|THEAD|TBODY|TFOOT)$/.test(before.nodeName)) return false;
    if (node.parentNode === null) return true;
    node = node.parentNode;
  }
  return true;
}
