import { Command } from "commander";
import { aliasesIn } from "../../config/aliases.ts";
import type { Context, StartContext } from "../../context/context.ts";
import { object, string } from "../../schema/kinds.ts";
import type { Listing } from "../../schema/resources.ts";
import { sayCount } from "../shared/pages.ts";

const listing: Listing = {
  name: "aliases",
  kind: object({ name: string({ about: "What is typed." }), command: string({ about: "What it means." }) }),
  columns: ["name", "command"],
};

export function listCommand(start: StartContext): Command {
  return new Command("list")
    .description("List your aliases.")
    .addHelpText(
      "after",
      `
Examples:
  deckhand alias list
  deckhand alias list -o json`,
    )
    .action((_options: object, command: Command) => listAliases(start(command)));
}

async function listAliases(context: Context): Promise<void> {
  const aliases = [...aliasesIn(context.sources().config)].map(([name, command]) => ({ name, command }));
  await context.print.list(listing, aliases);
  sayCount(aliases.length, listing.name, context);
}
