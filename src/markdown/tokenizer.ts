import { Tokenizer, type Tokens } from "marked";
import { bounds } from "./bounds.ts";

/** The block rules of marked, with those of cards.md and within the bounds. */
export class CardTokenizer extends Tokenizer {
  /** A line of dashes never makes the line above it a heading (cards.md). */
  override lheading(source: string): Tokens.Heading | undefined {
    const token = super.lheading(source);
    return token?.depth === 2 ? undefined : token;
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    return super.blockquote(start(source, /\n(?= {0,3}>)/g));
  }

  override list(source: string): Tokens.List | undefined {
    return super.list(start(source, /\n(?= {0,3}(?:[-*+]|\d{1,9}[.)])[ \t])/g));
  }

  /** Marked fills every row up to the width of the header, however many there are. */
  override table(source: string): Tokens.Table | undefined {
    const raw = this.rules.block.table.exec(source)?.[0];
    if (raw === undefined) return undefined;
    if (cells(raw) <= bounds.cells) return super.table(source);
    return { type: "html", raw, text: raw } as unknown as Tokens.Table;
  }
}

/**
 * As much of the source as a quote or list may take; what is left makes one more. Preferably cut before a line with a
 * marker, so that it does not show.
 */
function start(source: string, markers: RegExp): string {
  if (source.length <= bounds.container) return source;
  const window = source.slice(0, bounds.container);
  let cut = -1;
  for (const found of window.matchAll(markers)) cut = found.index;
  if (cut < 0) cut = window.lastIndexOf("\n");
  if (cut < 0) cut = source.indexOf("\n", bounds.container);
  return cut < 0 ? source : source.slice(0, cut + 1);
}

function cells(raw: string): number {
  let rows = 0;
  for (let at = raw.indexOf("\n"); at >= 0; at = raw.indexOf("\n", at + 1)) rows++;
  return rows * raw.slice(0, raw.indexOf("\n")).split("|").length;
}
