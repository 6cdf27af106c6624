/** The nodes of a parsed side. Their text comes from the author and is not yet safe to print. */

/** The number of a cloze group; null for the deletions without a number, which are asked together. */
export type ClozeGroup = number | null;

/** Nodes that only say how their children look. */
export type InlineGroup =
  | "strong"
  | "emphasis"
  | "underline"
  | "strikethrough"
  | "highlight"
  | "subscript"
  | "superscript"
  | "keyboard";

export type Inline =
  | { readonly type: "text" | "code"; readonly text: string }
  /** What is drawn around text; a screen reader gets `spoken` in its place. */
  | { readonly type: "drawn"; readonly text: string; readonly spoken: string }
  /** A tag of `<details>`, only where the parser is asked for them. */
  | { readonly type: "tag of details"; readonly name: "details" | "summary"; readonly ends: boolean }
  | { readonly type: InlineGroup; readonly children: readonly Inline[] }
  /** Text with its reading, as furigana. */
  | { readonly type: "ruby"; readonly children: readonly Inline[]; readonly reading: readonly Inline[] }
  /** A reference to the footnote of that number. */
  | { readonly type: "footnote"; readonly number: number }
  | { readonly type: "link"; readonly href: string; readonly children: readonly Inline[] }
  /** `imageFile` of links.ts tells which attachment `src` names. */
  | { readonly type: "image"; readonly src: string; readonly alt: string }
  | { readonly type: "break" }
  | { readonly type: "cloze"; readonly group: ClozeGroup; readonly children: readonly Inline[] }
  /** `target` as written: an id or a name, or in the older form a URL. */
  | { readonly type: "reference"; readonly target: string; readonly title: string | null }
  | { readonly type: "embed"; readonly target: string; readonly side: number | null }
  /** Without its `#`. */
  | { readonly type: "tag"; readonly name: string }
  | { readonly type: "math"; readonly source: string; readonly display: boolean }
  /** The name of a template's field that was not filled in. */
  | { readonly type: "placeholder"; readonly name: string };

export interface ListItem {
  /** Null if the item is not a task. */
  readonly checked: boolean | null;
  readonly children: readonly Block[];
}

export interface Footnote {
  readonly number: number;
  readonly children: readonly Inline[];
}

export type Block =
  | { readonly type: "paragraph"; readonly children: readonly Inline[] }
  | { readonly type: "heading"; readonly depth: number; readonly children: readonly Inline[] }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly children: readonly Block[] }
  | {
      readonly type: "list";
      /** The number of the first item; null for an unordered list. */
      readonly start: number | null;
      /** Whether the items are separated by blank lines. */
      readonly loose: boolean;
      readonly items: readonly ListItem[];
    }
  | {
      readonly type: "table";
      readonly align: readonly ("left" | "center" | "right")[];
      readonly header: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly type: "rule" }
  | { readonly type: "math"; readonly source: string }
  /** The footnotes of a side, at its end. */
  | { readonly type: "footnotes"; readonly notes: readonly Footnote[] }
  /** What is beyond the bounds of parsing: shown as source. */
  | { readonly type: "raw"; readonly text: string }
  /** Stands for the end of a side that is too long to be shown. In UTF-16 units. */
  | { readonly type: "cut"; readonly characters: number };

/** Visits every inline node below the blocks, parents first, in the order of the text. */
export function* inlines(blocks: readonly Block[]): Generator<Inline> {
  for (const block of blocks) {
    if (block.type === "quote") yield* inlines(block.children);
    else if (block.type === "list") for (const item of block.items) yield* inlines(item.children);
    else if (block.type === "footnotes") for (const note of block.notes) yield* descend(note.children);
    else if (block.type === "table") {
      for (const row of [block.header, ...block.rows]) for (const cell of row) yield* descend(cell);
    } else if (block.type === "paragraph" || block.type === "heading") yield* descend(block.children);
  }
}

function* descend(nodes: readonly Inline[]): Generator<Inline> {
  for (const node of nodes) {
    yield node;
    if ("children" in node) yield* descend(node.children);
  }
}

/** The text of inline nodes without any markup, as used for names: of an image its alt text, of a cloze what it hides. */
export function plainText(nodes: readonly Inline[]): string {
  let text = "";
  for (const node of nodes) {
    if ("children" in node) text += plainText(node.children);
    else if ("text" in node) text += node.text;
    else if (node.type === "image") text += node.alt;
    else if (node.type === "break") text += "\n";
    else if (node.type === "reference") text += node.title ?? node.target;
    else if (node.type === "tag") text += `#${node.name}`;
    else if (node.type === "math") text += node.source;
  }
  return text;
}
