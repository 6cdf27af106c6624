import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { listings } from "../../schema/resources.ts";
import { areSeveral, type EachOptions, eachItem } from "../shared/items.ts";

export function getCommand(start: StartContext): Command {
  return new Command("get")
    .description("Show templates with their content and fields.")
    .argument("<template...>", "templates (id or name), or - for one a line on standard input")
    .option("--fail-fast", "stop at the first template that fails")
    .addHelpText(
      "after",
      `
Examples:
  deckhand templates get Capital
  deckhand templates list -o id | deckhand templates get - -o json`,
    )
    .action((templates: string[], options: EachOptions, command: Command) =>
      getTemplates(templates, options, start(command)),
    );
}

async function getTemplates(
  templates: readonly string[],
  options: EachOptions,
  context: Context,
): Promise<void> {
  const client = await context.client();
  const names = await context.names();
  const found = eachItem(templates, options, context, async (text) => {
    const { id } = await names.template(text);
    return client.templates.get(id).send();
  });
  await context.print.documents(listings.templates, found, areSeveral(templates));
}
