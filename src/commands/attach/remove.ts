import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { listings } from "../../schema/resources.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { type EachOptions, eachOf } from "../shared/items.ts";

export function removeCommand(start: StartContext): Command {
  return new Command("remove")
    .description("Remove files from a card. It does not ask.")
    .argument("<card>", "card id")
    .argument("<file-name...>", "names of files on the card")
    .option("--fail-fast", "stop at the first file that fails")
    .addHelpText(
      "after",
      `
Examples:
  deckhand attach remove x7Rw2kQp map.png
  deckhand attach remove x7Rw2kQp map.png flag.svg --dry-run`,
    )
    .action((card: string, names: string[], options: EachOptions, command: Command) =>
      removeFiles(card, names, options, start(command)),
    );
}

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
