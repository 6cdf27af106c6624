import type { EmbeddedCard } from "../../cards/embeds.ts";
import type { Block } from "../../cards/nodes.ts";
import type { Presentation } from "../../cards/passes.ts";
import { blockLines } from "./blocks.ts";
import type { ClozeLook, DrawPicture } from "./inline.ts";
import { type ColourLevel, createPainter } from "./paint.ts";
import { run } from "./runs.ts";

export type { DrawPicture, PicturePlace } from "./inline.ts";

export interface RenderOptions {
  /** Columns of the terminal. Below 20 there is no promise that nothing is wider. */
  readonly width: number;
  /** 0 prints no escape sequence but the hyperlinks asked for (NO_COLOR). */
  readonly colour: ColourLevel;
  /** Whether the terminal knows OSC 8 hyperlinks. */
  readonly hyperlinks: boolean;
  /** The group of cloze deletions that is asked for; without it deletions look like other text. */
  readonly cloze?: ClozeLook | undefined;
  /** The name of a card by its id, shown for references without a title. */
  readonly cardName?: ((id: string) => string | undefined) | undefined;
  /** An embedded card by its id. */
  readonly embedded?: ((id: string) => EmbeddedCard | undefined) | undefined;
  /** Draws the picture of an attachment (`Pictures.draw` of output/pictures); without it its label is shown. */
  readonly picture?: DrawPicture | undefined;
}

/** Blocks as lines for a terminal, none wider than the width, with all control characters of the text made visible. */
export function renderBlocks(blocks: readonly Block[], options: RenderOptions): string[] {
  const { width, colour, hyperlinks } = options;
  const inline = { ...options, colour: colour > 0 };
  return blockLines(blocks, inline, { width: Math.max(4, width), depth: 0 }).map(
    createPainter(colour, hyperlinks),
  );
}

/** A whole card, all sides that are not blank. */
export function renderCard(card: Presentation, options: RenderOptions): string[] {
  const sides = card.sides.filter(({ source }) => source.trim() !== "");
  return joinSides(
    sides.map((side) => renderBlocks(side.blocks, options)),
    options,
  );
}

function joinSides(sides: readonly string[][], { width, colour }: RenderOptions): string[] {
  const rule = createPainter(colour, false)([run("─".repeat(Math.max(4, width)), { dim: true })]);
  return sides.flatMap((lines, index) => (index === 0 ? lines : ["", rule, "", ...lines]));
}
