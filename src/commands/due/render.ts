import type { EmbeddedCard } from "../../cards/embeds.ts";
import { lacksFile } from "../../cards/links.ts";
import type { Context } from "../../context/context.ts";
import { knowsHyperlinks } from "../../output/hyperlinks.ts";
import { renderBlocks } from "../../output/markdown/index.ts";
import type { Pictures } from "../../output/pictures/index.ts";
import type { World } from "../../review/ports.ts";
import { fetchPicture } from "../cards/card-pictures.ts";

interface CardRendererSettings {
  readonly context: Context;
  readonly colour: boolean;
  /** Whether it is read line by line: no drawn tables, and brackets around clozes. */
  readonly plain: boolean;
  /** References show the names of cards that are due, too. */
  cardName(id: string): string | undefined;
  /** The cards that others show in themselves, as far as they are known when a side is shown. */
  readonly embedded: ReadonlyMap<string, EmbeddedCard>;
  readonly pictures?: Pictures | undefined;
}

/** How a session shows the sides of cards. */
export function cardRenderer(settings: CardRendererSettings): World["render"] {
  const { context, colour, plain, cardName, embedded, pictures } = settings;
  const hyperlinks = colour && knowsHyperlinks(context.world.env);
  return (side, { width, tableWidth, cloze, card: whole }) =>
    renderBlocks(side.blocks, {
      width,
      tableWidth,
      plain,
      cloze,
      hyperlinks,
      colour: colour && !plain ? 1 : 0,
      cardName,
      embedded: (id) => embedded.get(id),
      isMissing: (file) => lacksFile(whole, file),
      picture:
        pictures &&
        (({ file, card = whole.id }, columns) =>
          pictures.draw(`${card}/${file}`, columns, () => fetchPicture(card, file, context))),
    });
}
