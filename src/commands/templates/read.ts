import type { Context } from "../../context/context.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare, type OptionsOf, wholeNumber } from "../shared/command.ts";
import { areSeveral, type EachOptions, eachItem } from "../shared/items.ts";
import { printPages } from "../shared/lists.ts";

const listDeclared = () =>
  declare(`List all templates.

Examples:
  deckhand templates list
  deckhand templates list --columns id,name,fields -o ndjson`)
    .option("-l, --limit <n>", "how many templates in all", wholeNumber(1))
    .option("--bookmark <cursor>", "continue where an earlier list stopped");

type ListOptions = OptionsOf<typeof listDeclared>;

export const listCommand = command(listDeclared, listTemplates);

async function listTemplates({ limit, bookmark }: ListOptions, context: Context): Promise<void> {
  const client = await context.client();
  await printPages(client.templates.pages({ limit, bookmark }), listings.templates, { limit }, context);
}

export const getCommand = command(
  () =>
    declare(`Show templates with their content and fields.

Examples:
  deckhand templates get Capital
  deckhand templates list -o id | deckhand templates get - -o json`)
      .argument("<template...>", "templates (id or name), or - for one a line on standard input")
      .option("--fail-fast", "stop at the first item that fails"),
  getTemplates,
);

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
