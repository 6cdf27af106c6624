import { Tokenizer, type Tokens } from "marked";
import { bounds } from "./bounds.ts";

/** The block rules of marked, with those of cards.md and within the bounds. */
export class CardTokenizer extends Tokenizer {
  /** A line of dashes never makes the line above it a heading (cards.md). */
  override lheading(source: string): Tokens.Heading | undefined {
    const underline = this.rules.block.lheading.exec(source)?.[2];
    return underline?.startsWith("=") ? super.lheading(source) : undefined;
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    return super.blockquote(start(source, /^ {0,3}>/));
  }

  override list(source: string): Tokens.List | undefined {
    return super.list(start(source, /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]/));
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
 * As much of the source as a quote or list may take; what is left makes one more. If possible cut before a line with a
 * marker, so that it does not show.
 */
function start(source: string, marker: RegExp): string {
  if (source.length <= bounds.container) return source;
  const last = source.lastIndexOf("\n", bounds.container);
  for (let cut = last; cut > bounds.container - 500; cut = source.lastIndexOf("\n", cut - 1)) {
    if (marker.test(source.slice(cut + 1, cut + 20))) return source.slice(0, cut + 1);
  }
  const cut = last < 0 ? source.indexOf("\n", bounds.container) : last;
  return cut < 0 ? source : source.slice(0, cut + 1);
}

function cells(raw: string): number {
  let rows = 0;
  for (let at = raw.indexOf("\n"); at >= 0; at = raw.indexOf("\n", at + 1)) rows++;
  return rows * raw.slice(0, raw.indexOf("\n")).split("|").length;
}
