import type { Context } from "../../context/context.ts";
import type { Pictures } from "../../output/pictures/index.ts";
import type { Queue } from "../../review/session/queue.ts";
import type { DueCard } from "../../schema/card.ts";

interface SessionPictures {
  readonly pictures: Pictures;
  /** Registers what is called when a picture is ready that was not there when its card was rendered. */
  onReady(listener: () => void): void;
}

/** What is due does not carry the fields that a card without content is made of. */
const mayHavePicture = ({ content }: DueCard): boolean =>
  content == null || content.trim() === "" || /!\[|<img/i.test(content);

/** The pictures of the terminal, asked for once before keys are read; undefined where it shows none. */
export async function sessionPictures(
  { cards, rest }: Queue,
  context: Context,
): Promise<SessionPictures | undefined> {
  const setting = context.settings()["review.pictures"].value;
  if (rest === undefined && !cards.some(mayHavePicture)) return undefined;
  if (setting === "off" || !(await (await context.client()).service.has("attachment-download")))
    return undefined;
  const { askPictureTerminal, Pictures } = await import("../../output/pictures/index.ts");
  const { stdin, stdout } = context.io;
  const terminal = await askPictureTerminal({ pictures: setting, stdin, stdout, env: context.world.env });
  if (terminal === undefined) return undefined;
  const listeners: (() => void)[] = [];
  const pictures = new Pictures(terminal, {
    // Two lines of the screen and some text beside the picture.
    maxRows: () => Math.max(4, (Number(Reflect.get(stdout, "rows")) || 24) - 8),
    ready: () => {
      for (const listener of listeners) listener();
    },
  });
  return { pictures, onReady: (listener) => void listeners.push(listener) };
}
