import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import type { DrawPicture } from "../../output/markdown/index.ts";
import { maxBytes } from "../../output/pictures/decode.ts";
import type { Pictures } from "../../output/pictures/index.ts";

/** Renders a card, again when its pictures are ready. Without any picture the terminal is not asked. */
export async function renderWithPictures(
  cardId: string,
  context: Context,
  render: (picture?: DrawPicture) => string[],
): Promise<string[]> {
  let wanted = false;
  const labelled = render(() => {
    wanted = true;
    return undefined;
  });
  if (!wanted || !context.io.colour) return labelled;
  const pictures = await openPictures(context);
  if (pictures === undefined) return labelled;
  const draw: DrawPicture = ({ file, card = cardId }, columns) =>
    pictures.draw(`${card}/${file}`, columns, () => fetchPicture(card, file, context));
  let lines = render(draw);
  // A picture that is ready may change the width of its column, and with it the size of others.
  for (let round = 0; round < 4 && pictures.isPending; round++) {
    await pictures.settled();
    lines = render(draw);
  }
  return lines;
}

/** The pictures of the terminal, which is asked what it can show; undefined where it shows none. */
export async function openPictures(
  context: Context,
  settings?: ConstructorParameters<typeof Pictures>[1],
): Promise<Pictures | undefined> {
  const setting = context.settings()["review.pictures"].value;
  if (setting === "off" || !(await (await context.client()).service.has("attachment-download")))
    return undefined;
  const { askPictureTerminal, Pictures } = await import("../../output/pictures/index.ts");
  const { stdin, stdout } = context.io;
  const terminal = await askPictureTerminal({ pictures: setting, stdin, stdout, env: context.world.env });
  return terminal && new Pictures(terminal, settings);
}

/** The file of an attachment that is not too large to be drawn; undefined if it cannot be fetched. */
export async function fetchPicture(
  card: string,
  file: string,
  context: Context,
): Promise<Uint8Array | undefined> {
  try {
    const { attachments } = await context.client();
    return await attachments.fetchListed(card, file, async ({ body }) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of body) {
        size += chunk.length;
        if (size > maxBytes) return undefined;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    });
  } catch (error) {
    if (context.signal.aborted || !(error instanceof DeckhandError)) throw error;
    return undefined;
  }
}
