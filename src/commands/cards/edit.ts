import type { Client } from "../../client/index.ts";
import type { Context, Edited } from "../../context/context.ts";
import { assertEditor } from "../../context/editor.ts";
import { DeckhandError, InterruptedError } from "../../errors.ts";
import { safeId } from "../../files/safe-names.ts";
import type { Card, CardUpdate } from "../../schema/card.ts";
import { listings } from "../../schema/resources.ts";
import { detachFrom } from "../shared/account.ts";
import { command, declare } from "../shared/command.ts";
import { byFront, type Change, printChanges } from "../shared/items.ts";
import { changedParts, editedContent, type Opened, openCard } from "./editable.ts";

const declared = () =>
  declare(`Edit a card in your editor: its deck, tags, template, fields and flags above, its content below.

  deckhand cards edit x7Rw2kQp
  EDITOR="code --wait" deckhand cards edit x7Rw2kQp
  EDITOR="sed -i s/colour/color/" deckhand cards edit x7Rw2kQp`)
    .argument("<card>", "card id or whole front")
    .option("--detach", "a card of a followed file: let go of the file");

export const editCommand = command(declared, async (id, options, context) => {
  assertEditor(context.io, context.world.env);
  await detachFrom(id, options, context);
  const client = await context.client();
  const change = await byFront(context, (each) => changeInEditor(each, context, client))(id);
  if (change === "nothing") context.io.say("Nothing changed");
  else await printChanges(context, listings.cards, [change], false);
});

/**
 * Opens a card in the user's editor and sends what was changed.
 *
 * @param textAlone without the settings above it; a card with a template has its fields there
 */
export async function changeInEditor(
  id: string,
  context: Context,
  client: Client,
  textAlone = false,
): Promise<Change | "nothing"> {
  const card = await client.cards.get(id);
  const { edited, body } =
    textAlone && card["template-id"] == null
      ? await editedText(card, context)
      : await editedParts(await openCard(card, context), context);
  if (Object.keys(body).length === 0) {
    await edited.discard();
    return "nothing";
  }
  const change = await keepingText(edited, context, async () => {
    await assertUnchanged(card, client);
    const document = await client.cards.update(id, body);
    return { id, document, sentence: `Updated ${id}` };
  });
  await edited.discard();
  return change;
}

async function editedText({ id, content }: Card, context: Context) {
  const before = content ?? "";
  const edited = await context.io.edit(before, `${safeId(id)}.md`);
  const after = editedContent(before, edited.text);
  return { edited, body: after === before ? {} : { content: after } };
}

/**
 * Opens the editor, and again on a mistake, with the reason on top, as kubectl does. Without a terminal, and if the
 * text is saved as it was, the mistake is thrown.
 */
async function editedParts(
  opened: Opened,
  context: Context,
  text = opened.text,
): Promise<{ readonly edited: Edited; readonly body: CardUpdate }> {
  // Ids come from the service: as a file name it must not lead elsewhere.
  const edited = await context.io.edit(text, `${safeId(opened.card.id)}.md`);
  try {
    return { edited, body: await changedParts(opened, withoutReason(edited.text), context) };
  } catch (error) {
    const again = context.io.interactive && edited.text !== text && error instanceof DeckhandError;
    if (!again || (error.code !== "usage" && error.code !== "not-found"))
      return keepingText(edited, context, () => Promise.reject(error));
    await edited.discard();
    return editedParts(opened, context, withReason(error, withoutReason(edited.text)));
  }
}

const mark = "# deckhand: ";

/** The text with what is wrong with it in comments on top. */
const withReason = ({ message, hint }: DeckhandError, text: string): string =>
  [message, hint ?? "", "Correct it and save, or close the editor without saving to give up."]
    .filter((line) => line !== "")
    .map((line) => `${mark}${line.replace(/\s+/g, " ")}\n`)
    .join("") + text;

const withoutReason = (text: string): string =>
  text
    .split(/(?<=\n)/)
    .filter((_line, index, lines) => !lines.slice(0, index + 1).every((each) => each.startsWith(mark)))
    .join("");

/**
 * Does something with the edited text; if it fails, the error says where the text is kept.
 *
 * @param usage what it says instead of a mistake in the text: nothing was sent then
 */
export async function keepingText<T>(
  edited: Edited,
  context: Context,
  act: () => Promise<T>,
  usage?: string,
): Promise<T> {
  const kept = `Your text is kept in ${edited.path}`;
  try {
    return await act();
  } catch (error) {
    if (error instanceof InterruptedError) context.io.note(kept);
    if (!(error instanceof DeckhandError)) throw error;
    const hint = (error.code === "usage" ? usage : undefined) ?? kept;
    throw error.with({ hint });
  }
}

/** Fails if the card was changed while it was open in the editor: the edit would undo that change. */
async function assertUnchanged(card: Card, client: Client): Promise<void> {
  const { hashOfCard } = await import("../../cards/document.ts");
  const now = await client.cards.get(card.id);
  if ((await hashOfCard(now)) !== (await hashOfCard(card)))
    throw new DeckhandError(
      "conflict",
      `card ${JSON.stringify(card.id)} was changed elsewhere while you edited it`,
    );
}
