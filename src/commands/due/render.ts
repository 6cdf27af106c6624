import type { EmbeddedCard } from "../../cards/embeds.ts";
import { lacksFile } from "../../cards/links.ts";
import type { Context } from "../../context/context.ts";
import { knowsHyperlinks } from "../../output/hyperlinks.ts";
import { renderBlocks } from "../../output/markdown/index.ts";
import type { Pictures } from "../../output/pictures/index.ts";
import type { World } from "../../review/ports.ts";
import type { Queue } from "../../review/session/queue.ts";
import type { DueCard } from "../../schema/card.ts";
import { fetchPicture, openPictures } from "../cards/card-pictures.ts";

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
  return (side, { width, tableWidth, shrunk, cloze, card: whole }) =>
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
          pictures.draw(`${card}/${file}`, columns, () => fetchPicture(card, file, context), shrunk)),
    });
}

/** What is due does not carry the fields that a card without content is made of. */
const mayHavePicture = ({ content }: DueCard): boolean =>
  content == null || content.trim() === "" || /!\[|<img/i.test(content);

/**
 * The pictures of the terminal, asked for once before keys are read; undefined where it shows none.
 *
 * @returns with `onReady`, what registers a listener for pictures that were not there when their card was rendered
 */
export async function sessionPictures({ cards, rest }: Queue, context: Context) {
  if (rest === undefined && !cards.some(mayHavePicture)) return undefined;
  const listeners: (() => void)[] = [];
  const pictures = await openPictures(context, {
    // Two lines of the screen and some text beside the picture; or a third of it, and the answer below.
    maxRows(shrunk) {
      const rows = Number(Reflect.get(context.io.stdout, "rows")) || 24;
      return Math.max(4, shrunk ? Math.floor(rows / 3) : rows - 8);
    },
    ready: () => {
      for (const listener of listeners) listener();
    },
  });
  return pictures && { pictures, onReady: (listener: () => void) => void listeners.push(listener) };
}
