import type { EmbeddedCard } from "../../cards/embeds.ts";
import type { Block, Inline } from "../../cards/nodes.ts";
import type { Context } from "../../context/context.ts";
import { knowsHyperlinks } from "../../output/hyperlinks.ts";
import { renderBlocks } from "../../output/markdown/index.ts";
import type { Pictures } from "../../output/pictures/index.ts";
import type { World } from "../../review/ports.ts";
import type { DueCard } from "../../schema/index.ts";
import { fetchPicture } from "../cards/card-pictures.ts";

export interface CardRendererSettings {
  readonly context: Context;
  readonly colour: boolean;
  /** Whether it is read line by line: no drawn tables, and brackets around clozes. */
  readonly plain: boolean;
  /** References show the names of cards that are due, too. */
  readonly cards: readonly DueCard[];
  /** The cards that others show in themselves, as far as they are known when a side is shown. */
  readonly embedded: ReadonlyMap<string, EmbeddedCard>;
  readonly pictures?: Pictures | undefined;
}

/** How a session shows the sides of cards. */
export function cardRenderer(settings: CardRendererSettings): World["render"] {
  const { context, colour, plain, cards, embedded, pictures } = settings;
  const names = new Map(cards.map((card) => [card.id, card.name ?? undefined]));
  const hyperlinks = colour && knowsHyperlinks(context.world.env);
  return (side, { width, cloze, cardId }) =>
    renderBlocks(plain ? asRecords(side.blocks) : side.blocks, {
      width,
      cloze,
      hyperlinks,
      // Without colour clozes have brackets around them.
      colour: colour && !plain ? 1 : 0,
      cardName: (id) => names.get(id),
      embedded: (id) => embedded.get(id),
      picture:
        pictures &&
        (({ file, card = cardId }, columns) =>
          pictures.draw(`${card}/${file}`, columns, () => fetchPicture(card, file, context))),
    });
}

/** The blocks with each row of a table as a list: the name of the column, then its value. */
function asRecords(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block): Block[] => {
    if (block.type === "quote") return [{ ...block, children: asRecords(block.children) }];
    if (block.type === "list")
      return [
        { ...block, items: block.items.map((item) => ({ ...item, children: asRecords(item.children) })) },
      ];
    if (block.type !== "table") return [block];
    return block.rows.map((row) => ({
      type: "paragraph",
      children: row.flatMap((cell, index) => {
        const name = block.header[index] ?? [];
        const end: Inline[] = index === row.length - 1 ? [] : [{ type: "break" }];
        return [...name, { type: "text", text: name.length === 0 ? "" : ": " } as const, ...cell, ...end];
      }),
    }));
  });
}
