import type { Context } from "../../context.ts";
import { knowsHyperlinks } from "../../output/hyperlinks.ts";
import { renderBlocks } from "../../output/markdown/index.ts";
import type { World } from "../../review/world.ts";
import type { DueCard } from "../../schema/index.ts";

/** How a session shows the sides of cards. References show the names of cards that are due, too. */
export function cardRenderer(context: Context, colour: boolean, cards: readonly DueCard[]): World["render"] {
  const names = new Map(cards.map((card) => [card.id, card.name ?? undefined]));
  const hyperlinks = colour && knowsHyperlinks(context.world.env);
  return (side, { width, cloze }) =>
    renderBlocks(side.blocks, {
      width,
      cloze,
      hyperlinks,
      colour: colour ? 1 : 0,
      cardName: (id) => names.get(id),
    });
}
