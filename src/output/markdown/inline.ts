import type { EmbeddedCard } from "../../cards/embeds.ts";
import { imageFile, webUrl } from "../../cards/links.ts";
import type { Inline } from "../../cards/nodes.ts";
import type { ClozeView } from "../../cards/passes.ts";
import { latexText } from "./latex/index.ts";
import { script } from "./latex/script.ts";
import { plain, type Run, run, type Style } from "./runs.ts";

export interface InlineOptions {
  /** Whether lines of code may be wider, so that they can be copied. */
  readonly wholeCode?: boolean | undefined;
  /** The group of cloze deletions that is asked for; without it deletions look like other text. */
  readonly cloze?: ClozeView | undefined;
  /** Whether links are made with OSC 8; else the URL follows the text. */
  readonly hyperlinks: boolean;
  /** Whether looks may carry a meaning; without colour, marks around the text do. */
  readonly colour: boolean;
  /** Whether the text is for a screen reader: nothing is drawn, and no meaning is in looks alone. */
  readonly plain: boolean;
  /** The name of a card by its id, where it is known. */
  readonly cardName?: ((id: string) => string | undefined) | undefined;
  /** An embedded card, if it is known; otherwise its name is shown. */
  readonly embedded?: ((id: string) => EmbeddedCard | undefined) | undefined;
  /** Whether the card that is rendered does not have the attachment of that name, as far as that is known. */
  readonly isMissing?: ((file: string) => boolean) | undefined;
  /** Draws the picture of an attachment (`Pictures.draw` of output/pictures); without it its label is shown. */
  readonly picture?: DrawPicture | undefined;
}

/** A file whose picture is shown: an attachment of the card that is rendered, or of an embedded card. */
interface PicturePlace {
  readonly file: string;
  /** The id of the embedded card; undefined for the card itself. */
  readonly card: string | undefined;
}

/** A picture as rows of its own width, at most the columns, or undefined for its label (`output/pictures`). */
export type DrawPicture = (
  place: PicturePlace,
  columns: number,
) => { readonly columns: number; readonly rows: readonly string[] } | undefined;

/** The runs of inline nodes, their text made safe. */
export function inlineRuns(nodes: readonly Inline[], options: InlineOptions, style: Style = plain): Run[] {
  return nodes.flatMap((node) => nodeRuns(node, options, style));
}

function nodeRuns(node: Inline, options: InlineOptions, style: Style): Run | Run[] {
  const inner = (more: Style) =>
    "children" in node ? inlineRuns(node.children, options, { ...style, ...more }) : [];
  switch (node.type) {
    case "text":
      return run(node.text, style);
    case "drawn":
      return run(options.plain ? node.spoken : node.text, style);
    case "tag of details":
      return [];
    case "break":
      return run("\n", style);
    case "strong":
      return inner({ bold: true });
    case "emphasis":
      return inner({ italic: true });
    case "strikethrough":
      return options.colour && !options.plain
        ? inner({ strike: true })
        : between("~~", inner({}), "~~", style);
    case "highlight":
      return options.colour && !options.plain
        ? inner({ marked: true })
        : between("==", inner({}), "==", style);
    case "underline":
      return inner({ underline: true });
    case "subscript":
      return scriptRuns(inner({}), "_", style);
    case "superscript":
      return scriptRuns(inner({}), "^", style);
    case "keyboard":
      return between("[", inner({ bold: true }), "]", style);
    case "ruby":
      return [
        ...inner(ruby),
        ...between("(", inlineRuns(node.reading, options, { ...style, ...ruby }), ")", { ...style, ...ruby }),
      ];
    case "footnote":
      return run(options.plain ? `[note ${node.number}]` : script(String(node.number), "^"), style);
    case "code":
      return run(node.text.replace(/\s+/g, " "), { ...style, colour: "cyan" });
    case "math":
      return run(latexText(node.source), { ...style, italic: true });
    case "tag":
      return run(`#${node.name}`, { ...style, colour: "magenta" });
    case "placeholder":
      return run(`[${node.name}]`, { ...style, dim: true });
    case "link":
      return linkRuns(node, options, style);
    case "image":
      return run(imageLabel(node, options), { ...style, colour: "cyan", ...linked(node.src) });
    case "embed":
      return run(embedLabel(node, options), { ...style, colour: "cyan" });
    case "reference": {
      const title = node.title ?? options.cardName?.(node.target) ?? node.target;
      return run(options.colour ? title : `[[${title}]]`, {
        ...style,
        colour: "cyan",
        ...linked(node.target),
      });
    }
    case "cloze":
      return clozeRuns(node, options, style);
  }
}

const ruby: Style = { whole: true };

const between = (before: string, runs: Run[], after: string, style: Style): Run[] => [
  run(before, style),
  ...runs,
  run(after, style),
];

/** Raised or lowered characters where Unicode has all of them, else `^(…)` or `_(…)`. */
function scriptRuns(runs: Run[], place: "^" | "_", style: Style): Run[] {
  const forms = runs.map(({ text }) => script(text, place));
  if (forms.every((form) => !form.startsWith(place)))
    return runs.map((part, index) => run(forms[index] ?? "", part.style));
  const short = runs.length === 1 && forms[0]?.startsWith(`${place}(`) === false;
  return short ? [run(place, style), ...runs] : between(`${place}(`, runs, ")", style);
}

/** A hidden deletion has always the same length, so that it reveals nothing. */
function clozeRuns(node: Inline & { type: "cloze" }, options: InlineOptions, style: Style): Run[] {
  if (options.cloze?.group !== node.group) return inlineRuns(node.children, options, style);
  if (options.cloze.hidden)
    return [run(options.plain ? "[...]" : "[…]", { ...style, bold: true, colour: "yellow" })];
  const revealed: Style = { ...style, bold: true, colour: "green" };
  const runs = inlineRuns(node.children, options, revealed);
  return options.colour && !options.plain ? runs : between("[", runs, "]", revealed);
}

function linkRuns(node: Inline & { type: "link" }, options: InlineOptions, style: Style): Run[] {
  const look: Style = { ...style, colour: "blue", underline: true, ...linked(node.href) };
  const runs = inlineRuns(node.children, options, look);
  const text = runs.map((part) => part.text).join("");
  if (text.trim() === "") return [run(node.href, look)];
  // A text that looks like another URL could deceive: the target is shown unless the text is the same.
  const named = options.hyperlinks && look.link !== undefined && !/^\s*(?:https?:|www\.)/i.test(text);
  if (named || [text, `mailto:${text}`, `http://${text}`].includes(node.href)) return runs;
  return [...runs, run(` (${node.href})`, { ...style, dim: true })];
}

function linked(href: string): { link: string } | undefined {
  const link = webUrl(href);
  return link === undefined ? undefined : { link };
}

const kinds: Readonly<Record<string, string>> = {
  audio: "mp3 m4a ogg oga opus wav flac aac weba",
  video: "mp4 webm mov m4v ogv mkv",
  file: "pdf zip txt doc docx csv",
};

/** `[image: alt or file name]`, or what else the file's ending says it is; `[image missing: …]` without the file. */
function imageLabel({ src, alt }: Inline & { type: "image" }, { isMissing }: InlineOptions): string {
  const attached = imageFile(src);
  const path = /^[^?#]*/.exec(attached ?? src)?.[0] ?? "";
  const file = path.slice(path.lastIndexOf("/") + 1);
  const ending = file.slice(file.lastIndexOf(".") + 1).toLowerCase();
  const kind = Object.keys(kinds).find((name) => kinds[name]?.split(" ").includes(ending)) ?? "image";
  const label = alt.trim() || (src.startsWith("data:") ? "" : file.slice(0, 255));
  const what = attached !== undefined && isMissing?.(attached) ? `${kind} missing` : kind;
  return label === "" ? `[${what}]` : `[${what}: ${label}]`;
}

export function embedLabel(node: Inline & { type: "embed" }, options: InlineOptions): string {
  const name = options.embedded?.(node.target)?.name ?? options.cardName?.(node.target) ?? node.target;
  return node.side === null ? `[card: ${name}]` : `[card: ${name}, side ${node.side}]`;
}
