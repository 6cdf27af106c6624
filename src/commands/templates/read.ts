import { listings } from "../../schema/resources.ts";
import { command, declare, wholeNumber } from "../shared/command.ts";
import { areSeveral, eachItem } from "../shared/items.ts";
import { printPages } from "../shared/lists.ts";

const declaredList = () =>
  declare(`List all templates.

Examples:
  deckhand templates list
  deckhand templates list --columns id,name,fields -o ndjson`)
    .option("-l, --limit <n>", "how many templates in all", wholeNumber(1))
    .option("--bookmark <cursor>", "continue where an earlier list stopped");

export const listCommand = command(declaredList, async ({ limit, bookmark }, context) => {
  const client = await context.client();
  await printPages(client.templates.pages({ limit, bookmark }), listings.templates, { limit }, context);
});

const declaredGet = () =>
  declare(`Show templates with their content and fields.

Examples:
  deckhand templates get Capital
  deckhand templates list -o id | deckhand templates get - -o json`)
    .argument("<template...>", "templates (id or name), or - for one a line on standard input")
    .option("--fail-fast", "stop at the first item that fails");

export const getCommand = command(declaredGet, async (templates, options, context) => {
  const client = await context.client();
  const names = await context.names();
  const found = eachItem(templates, options, context, async (text) => {
    const { id } = await names.template(text);
    return client.templates.get(id).send();
  });
  await context.print.documents(listings.templates, found, areSeveral(templates));
});
