import type { EmbeddedCard } from "../../cards/embeds.ts";
import type { Context } from "../../context/context.ts";
import { knowsHyperlinks } from "../../output/hyperlinks.ts";
import { renderBlocks } from "../../output/markdown/index.ts";
import type { World } from "../../review/ports.ts";
import type { DueCard } from "../../schema/index.ts";

/**
 * How a session shows the sides of cards. References show the names of cards that are due, too.
 *
 * @param embedded the cards that others show in themselves, as far as they are known when a side is shown.
 */
export function cardRenderer(
  context: Context,
  colour: boolean,
  cards: readonly DueCard[],
  embedded: ReadonlyMap<string, EmbeddedCard>,
): World["render"] {
  const names = new Map(cards.map((card) => [card.id, card.name ?? undefined]));
  const hyperlinks = colour && knowsHyperlinks(context.world.env);
  return (side, { width, cloze }) =>
    renderBlocks(side.blocks, {
      width,
      cloze,
      hyperlinks,
      colour: colour ? 1 : 0,
      cardName: (id) => names.get(id),
      embedded: (id) => embedded.get(id),
    });
}
