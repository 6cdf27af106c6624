import type { Context } from "../../context/context.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { areSeveral, type EachOptions, eachItem } from "../shared/items.ts";

const declared = () =>
  declare(`Show templates with their content and fields.

Examples:
  deckhand templates get Capital
  deckhand templates list -o id | deckhand templates get - -o json`)
    .argument("<template...>", "templates (id or name), or - for one a line on standard input")
    .option("--fail-fast", "stop at the first template that fails");

export const getCommand = command(declared, getTemplates);

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
