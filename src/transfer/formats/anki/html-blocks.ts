import { parseFragment } from "parse5";
import { readFurigana } from "../../../cards/syntax.ts";
import { decodedName } from "../../media.ts";
import { escapeText, onOneLine } from "./escape.ts";
import {
  addressOf,
  attributeOf,
  childrenOf,
  codeOf,
  type Element,
  has,
  isDeep,
  type Node,
  paragraph,
  removed,
  rowsOf,
  saysMore,
  textOf,
} from "./html-elements.ts";
import { type Item, inAngles, lineText, type Mark, marks } from "./html-line.ts";

interface Hooks {
  /** The markdown for a media file. */
  media(name: string, alt: string): string;
  drop(what: string): void;
}

/** The markdown of a block; the items of a list are apart, since lists after each other are one. */
type Block =
  | { readonly type: "paragraph" | "other"; readonly text: string }
  | { readonly type: "list"; readonly start: number | null; readonly items: readonly string[] };

/**
 * HTML as markdown of the card language; markers of `HtmlConverter.keep` are text.
 *
 * @returns undefined for what is nested too deep
 */
export function markdownOf(html: string, hooks: Hooks): string | undefined {
  const { childNodes } = parseFragment(html);
  return isDeep(childNodes) ? undefined : joined(new Collector(hooks).blocksOf(childNodes));
}

const joined = (blocks: readonly Block[]): string => blocks.map(textOfBlock).join("\n\n");

function textOfBlock(block: Block): string {
  if (block.type !== "list") return block.text;
  // Four characters, as wide as the indentation of the item's other lines.
  const marker = (index: number) => (block.start === null ? "-" : `${block.start + index}.`).padEnd(4);
  return block.items.map((item, index) => marker(index) + item.replace(/\n/g, "\n    ")).join("\n");
}

/** Whether it is the marker of a brace that begins, or of one that ends, a deletion (see `HtmlConverter.keep`). */
const isBrace = (item: Item | undefined, markers = /^[\ue0f2\ue0f3]/) => markers.test(item?.markdown ?? "");

/** A line break in a deletion. */
const isBreak = (item: Item | undefined) => item?.markdown === "<br>";

/** Collects the blocks of an element: text until a block begins is a paragraph. */
class Collector {
  readonly #hooks: Hooks;
  readonly #blocks: Block[] = [];
  #line: Item[] = [];
  #marks: readonly Mark[];
  /** How many deletions are open. */
  #deletions = 0;
  /** Whether blanks and line ends count. */
  #preformatted = false;
  /** Whether nothing is on the current line yet. */
  #isBlank = true;

  /** @param marks in which links stay, but no emphasis: what is no paragraph has its own */
  constructor(hooks: Hooks, marks: readonly Mark[] = []) {
    this.#hooks = hooks;
    this.#marks = marks.filter((mark) => mark.startsWith("a "));
  }

  blocksOf(nodes: readonly Node[]): readonly Block[] {
    this.#all(nodes);
    this.#endParagraph();
    return this.#blocks;
  }

  #inside(...nodes: readonly Node[]): readonly Block[] {
    return new Collector(this.#hooks, this.#marks).blocksOf(nodes);
  }

  #all(nodes: readonly Node[]): void {
    for (const node of nodes)
      if ("value" in node) this.#text(node.value);
      else if ("tagName" in node) this.#element(node);
  }

  #element(element: Element): void {
    const { tagName: name, childNodes } = element;
    const dropped = removed.get(name);
    if (dropped === null) return;
    if (dropped !== undefined) this.#hooks.drop(dropped);
    else if (name === "br") this.#break();
    else if (name === "ruby") this.#ruby(element);
    else if (name === "rt") this.#words(textOf(element).replace(/^\s*(\S.*?)\s*$/s, "($1)"));
    else if (/^(?:img|audio|video|source)$/.test(name)) this.#media(element);
    else if (paragraph.test(name)) this.#paragraph(childNodes);
    else if (name === "hr") this.#add({ type: "other", text: "----" });
    else if (name === "pre") this.#pre(element);
    else if (name === "table") this.#table(element);
    else if (name === "details") this.#details(childNodes);
    else if (/^(?:ul|ol|li)$/.test(name)) this.#list(element);
    else if (name === "blockquote")
      this.#add({ type: "other", text: joined(this.#inside(...childNodes)).replace(/^(?=[\s\S])/gm, "> ") });
    else if (/^h[1-6]$/.test(name)) {
      const text = joined(this.#inside(...childNodes))
        .trim()
        .replace(/\s*\n\s*/g, "<br>");
      this.#add({ type: "other", text: text && `${"#".repeat(Number(name[1]))} ${text}` });
    } else {
      const before = this.#marks;
      const address = addressOf(element);
      const mark = address === undefined ? marks[name] : `a ${address}`;
      if (mark !== undefined && !before.includes(mark)) this.#marks = [...before, mark];
      this.#all(childNodes);
      this.#marks = before;
    }
  }

  #paragraph(nodes: readonly Node[]): void {
    this.#endLine();
    this.#all(nodes);
    this.#endLine();
  }

  #add(block: Block): void {
    this.#endParagraph();
    const last = this.#blocks.at(-1);
    if (block.type === "list" && last?.type === "list" && (last.start === null) === (block.start === null))
      this.#blocks.splice(-1, 1, { ...last, items: [...last.items, ...block.items] });
    else if (block.type === "list" || block.text !== "") this.#blocks.push(block);
  }

  #list(element: Element): void {
    const start = element.tagName === "ol" ? Number.parseInt(attributeOf(element, "start") || "1", 10) : null;
    const items: string[] = [];
    for (const node of element.tagName === "li" ? [element] : element.childNodes) {
      const blocks = this.#inside(...(node.nodeName === "li" ? childrenOf(node) : [node]));
      const last = blocks.at(-1);
      // A list beside the items belongs to the one before it; at the end of one it is right below its text.
      if (node.nodeName !== "li" && last?.type === "list" && items.length > 0)
        items.push(`${items.pop()}\n${joined(blocks)}`);
      else if (blocks.length > 1 && last?.type === "list")
        items.push(`${joined(blocks.slice(0, -1))}\n${textOfBlock(last)}`);
      else if (blocks.length > 0 || has(node, "br")) items.push(joined(blocks));
    }
    if (items.length > 0) this.#add({ type: "list", start: Number.isNaN(start) ? 1 : start, items });
  }

  /** The first row is the head, since there has to be one. */
  #table(table: Element): void {
    const rows = rowsOf(table).map((row) => {
      const cells = row.map((cell) => onOneLine(joined(this.#inside(...cell.childNodes))));
      return `|${cells.map((cell) => ` ${cell.replace(/\|/g, "\\|")} |`).join("")}`;
    });
    const columns = Math.max(1, rowsOf(table)[0]?.length ?? 0);
    if (rows.length > 0) rows.splice(1, 0, `|${" --- |".repeat(columns)}`);
    this.#add({ type: "other", text: rows.join("\n") });
  }

  #details(nodes: readonly Node[]): void {
    const summary = nodes.find(({ nodeName }) => nodeName === "summary");
    const title = summary === undefined ? "" : onOneLine(joined(this.#inside(...childrenOf(summary))));
    const begin = `<details>${title && `<summary>${title}</summary>`}`;
    const blocks = this.#inside(...nodes.filter((node) => node !== summary));
    // A list or a block of code would go on after the tag.
    const isText = blocks.length === 0 || (blocks.length === 1 && blocks[0]?.type === "paragraph");
    const text = isText ? joined(blocks) : `\n\n${joined(blocks)}\n\n`;
    this.#add({ type: "other", text: title + text && `${begin}${text}</details>` });
  }

  /** Code, unless it means more than its text: then its lines are kept, with hard blanks as indentation. */
  #pre(pre: Element): void {
    const [first] = pre.childNodes;
    if (first?.nodeName !== "code" && (/[\ue0f0-\ue0f5]/.test(textOf(pre)) || saysMore(pre))) {
      const before = this.#preformatted;
      this.#preformatted = true;
      this.#paragraph(pre.childNodes);
      this.#preformatted = before;
      return;
    }
    const text = codeOf(pre)
      .replaceAll("\u00a0", " ")
      .replace(/^\n|\n$/g, "");
    let fence = "```";
    for (const [, ticks = ""] of text.matchAll(/^ *(`{3,})/gm))
      if (ticks.length >= fence.length) fence = `${ticks}\``;
    const className = first !== undefined && "attrs" in first ? attributeOf(first, "class") : "";
    const language = /\blanguage-([\w+#-]+)/.exec(className)?.[1] ?? "";
    this.#add({ type: "other", text: text.trim() && `${fence}${language}\n${text}\n${fence}` });
  }

  #media(element: Element): void {
    const source = attributeOf(element, "src");
    if (source === "") this.#all(element.childNodes);
    else if (/^data:/i.test(source)) this.#hooks.drop("embedded pictures");
    else this.#raw(this.#linkTo(source, attributeOf(element, "alt").replace(/\s+/g, " ")));
  }

  #linkTo(address: string, alt: string): string {
    const source = address.replace(/^file:.*\//i, "");
    // Anki has one folder of media: a file of this name in another one is something else.
    if (/\/|%2f/i.test(source)) return `![${escapeText(alt)}](<${inAngles(source)}>)`;
    return this.#hooks.media(decodedName(source.split(/[?#]/, 1)[0] ?? ""), alt);
  }

  /** Text with its reading is furigana where the card language has such for it, else HTML, else text in parentheses. */
  #ruby(ruby: Element): void {
    let text = "";
    if (/[{}()\ue0f0-\ue0f5]/.test(textOf(ruby, "rp"))) this.#all(ruby.childNodes);
    else
      for (const child of ruby.childNodes)
        if (child.nodeName !== "rt") text += textOf(child, "rp").trim();
        else if (text !== "") {
          const reading = textOf(child).trim();
          const furigana = `{${text}}(${reading})`;
          if (readFurigana(furigana)?.length === furigana.length) this.#raw(furigana, text);
          else this.#raw(`<ruby>${escapeText(text)}<rt>${escapeText(reading)}</rt></ruby>`, text);
          text = "";
        }
    this.#words(text);
  }

  #raw(markdown: string, text = "", marks = this.#marks): void {
    this.#line.push({ markdown, text, marks });
    this.#isBlank = false;
  }

  #text(text: string): void {
    if (!this.#preformatted) {
      this.#words(text.replace(/[ \t\r\n\f]+/g, " "));
      return;
    }
    const indented = (blanks: string) => blanks.replaceAll("\t", "    ").replaceAll(" ", "\u00a0");
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (index > 0) this.#break();
      this.#words(this.#isBlank ? line.replace(/^[ \t]+/, indented) : line);
    }
  }

  /** Adds text. Braces of deletions and tags of conditions are in no emphasis: it ends before them, and goes on after. */
  #words(given: string): void {
    for (const part of given.split(/([\ue0f2\ue0f3\ue0f5]\d+\ue0f1)/)) {
      const closes = part.startsWith("\ue0f3");
      if (part.startsWith("\ue0f2")) this.#deletions++;
      if (closes) this.#deletions--;
      if (closes && isBreak(this.#line.at(-1))) this.#line.pop();
      if (/^[\ue0f2\ue0f3\ue0f5]/.test(part)) this.#raw(part, part, []);
      else this.#part(part);
    }
  }

  /** HTML shows several blanks as one, and none at the beginning of a line. */
  #part(part: string): void {
    const last = this.#line.findLast((item) => !isBrace(item));
    const isAfterBlank = last === undefined || isBreak(last) || /[ \n]$/.test(last.text);
    const text = isAfterBlank ? part.replace(/^ /, "") : part;
    if (text.trim() !== "") this.#isBlank = false;
    const before = this.#line.at(-1);
    if (before?.markdown === undefined && before?.marks.join() === this.#marks.join())
      this.#line.splice(-1, 1, { ...before, text: before.text + text });
    else if (text !== "") this.#line.push({ text, marks: this.#marks });
  }

  /**
   * A line without a text is between paragraphs. A deletion ends with its paragraph: line breaks inside it stay HTML, and
   * those at its ends are left out.
   */
  #break(): void {
    const last = this.#line.at(-1);
    if (this.#deletions > 0) {
      if (!isBreak(last) && !isBrace(last, /^\ue0f2/)) this.#raw("<br>");
    } else if (this.#isBlank) this.#endParagraph();
    else this.#part("\n");
    this.#isBlank = true;
  }

  #endLine(): void {
    if (this.#deletions > 0) this.#break();
    else this.#endParagraph();
  }

  #endParagraph(): void {
    const text = lineText(this.#line)
      .filter((line) => line !== "")
      .join("  \n");
    if (text !== "") this.#blocks.push({ type: "paragraph", text });
    this.#line = [];
    this.#isBlank = true;
  }
}
