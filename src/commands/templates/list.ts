import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { listings } from "../../schema/resources.ts";
import { wholeNumber } from "../shared/options.ts";
import { printPages } from "../shared/pages.ts";

interface ListOptions {
  readonly limit?: number;
  readonly bookmark?: string;
}

export function listCommand(start: StartContext): Command {
  return new Command("list")
    .description("List all templates.")
    .option("-l, --limit <n>", "how many templates in all", wholeNumber(1))
    .option("--bookmark <cursor>", "continue where an earlier list stopped")
    .addHelpText(
      "after",
      `
Examples:
  deckhand templates list
  deckhand templates list --columns id,name,fields -o ndjson`,
    )
    .action((options: ListOptions, command: Command) => listTemplates(options, start(command)));
}

async function listTemplates({ limit, bookmark }: ListOptions, context: Context): Promise<void> {
  const client = await context.client();
  await printPages(client.templates.pages({ limit, bookmark }), listings.templates, { limit }, context);
}
