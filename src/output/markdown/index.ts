import type { Block } from "../../cards/nodes.ts";
import type { Presentation } from "../../cards/passes.ts";
import { blockLines } from "./blocks.ts";
import type { InlineOptions } from "./inline.ts";
import { type ColourLevel, createPainter } from "./paint.ts";
import { run } from "./runs.ts";

export type { DrawPicture } from "./inline.ts";

export interface RenderOptions extends Omit<InlineOptions, "colour" | "plain"> {
  /** Columns for text. Below 20 lines may be wider. */
  readonly width: number;
  /** Columns for tables, if they may be wider than text. */
  readonly tableWidth?: number | undefined;
  /** For screen readers: tables as records, nothing drawn, brackets around cloze deletions, no meaning in looks alone. */
  readonly plain?: boolean | undefined;
  /** 0 prints no escape sequence but the hyperlinks asked for (NO_COLOR). */
  readonly colour: ColourLevel;
}

/** Blocks as lines for a terminal, not wider than the width, with control characters of the text made visible. */
export function renderBlocks(blocks: readonly Block[], options: RenderOptions): string[] {
  const { colour, hyperlinks, plain = false } = options;
  const width = Math.max(4, options.width);
  const place = { width, tableWidth: Math.max(width, options.tableWidth ?? width), depth: 0 };
  const inline = { ...options, colour: colour > 0, plain, picture: plain ? undefined : options.picture };
  return blockLines(blocks, inline, place).map(createPainter(colour, hyperlinks));
}

/** A whole card, all sides that are not blank. */
export function renderCard(card: Presentation, options: RenderOptions): string[] {
  const sides = card.sides.filter(({ source }) => source.trim() !== "");
  return joinSides(
    sides.map((side) => renderBlocks(side.blocks, options)),
    options,
  );
}

function joinSides(sides: readonly string[][], { width, colour, plain }: RenderOptions): string[] {
  const line = plain ? "---" : "─".repeat(Math.max(4, width));
  const rule = createPainter(colour, false)([run(line, { dim: true })]);
  return sides.flatMap((lines, index) => (index === 0 ? lines : ["", rule, "", ...lines]));
}
