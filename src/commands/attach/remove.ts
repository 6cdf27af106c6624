import type { Context } from "../../context/context.ts";
import { listings } from "../../schema/resources.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { command, declare } from "../shared/command.ts";
import { type EachOptions, eachOf } from "../shared/items.ts";

const declared = () =>
  declare(`Remove files from a card. It does not ask.

Examples:
  deckhand attach remove x7Rw2kQp map.png
  deckhand attach remove x7Rw2kQp map.png flag.svg --dry-run`)
    .argument("<card>", "card id")
    .argument("<file-name...>", "names of files on the card")
    .option("--fail-fast", "stop at the first file that fails");

export const removeCommand = command(declared, removeFiles);

async function removeFiles(
  card: string,
  names: readonly string[],
  options: EachOptions,
  context: Context,
): Promise<void> {
  const client = await context.client();
  const changes = eachOf(names, options, context, (name) =>
    perform(
      context,
      client.attachments.remove(card, name),
      (): Change => ({
        id: name,
        document: { "file-name": name },
        sentence: `Removed ${name} from card ${card}`,
      }),
    ),
  );
  await printChanges(context, listings.attachments, changes, names.length > 1);
}
