import type { Context } from "../../context/context.ts";
import { isMap } from "../../schema/check.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { sayCount } from "../shared/pages.ts";

const declared = () =>
  declare(`List the files of a card.

Examples:
  deckhand attach list x7Rw2kQp
  deckhand attach list x7Rw2kQp -o json`).argument("<card>", "card id");

export const listCommand = command(declared, (card, _options, context) => listFiles(card, context));

async function listFiles(id: string, context: Context): Promise<void> {
  const files = await filesOf(id, context);
  await context.print.list(listings.attachments, files);
  sayCount(files.length, listings.attachments.name, context);
}

/** From the service's list where it has one, else from the card itself. */
async function filesOf(id: string, context: Context): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = await context.client();
  if (await client.service.has("attachment-list")) return client.attachments.list(id).send();
  const { attachments } = await client.cards.get(id).send();
  if (!isMap(attachments)) return [];
  return Object.entries(attachments).map(([name, file]) => ({
    "file-name": name,
    ...(isMap(file) ? file : {}),
  }));
}
