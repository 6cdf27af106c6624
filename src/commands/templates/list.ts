import type { Context } from "../../context/context.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { wholeNumber } from "../shared/options.ts";
import { printPages } from "../shared/pages.ts";

interface ListOptions {
  readonly limit?: number;
  readonly bookmark?: string;
}

const declared = () =>
  declare(`List all templates.

Examples:
  deckhand templates list
  deckhand templates list --columns id,name,fields -o ndjson`)
    .option("-l, --limit <n>", "how many templates in all", wholeNumber(1))
    .option("--bookmark <cursor>", "continue where an earlier list stopped");

export const listCommand = command(declared, listTemplates);

async function listTemplates({ limit, bookmark }: ListOptions, context: Context): Promise<void> {
  const client = await context.client();
  await printPages(client.templates.pages({ limit, bookmark }), listings.templates, { limit }, context);
}
