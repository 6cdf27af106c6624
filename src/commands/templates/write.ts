import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import type { TemplateUpdate } from "../../schema/template.ts";
import { collect, command, declare, defined, type OptionsOf, oneOf, wholeNumber } from "../shared/command.ts";
import { areSeveral, changeEach, eachItem, printChanges } from "../shared/items.ts";
import { printPages } from "../shared/lists.ts";
import { readText } from "../shared/text.ts";
import { declaredFields } from "./create.ts";

const declaredUpdate = () =>
  declare(`Change a template: only what the options name. Cards made with it show the change.

  deckhand templates update Word --content-file word.md
  deckhand templates update Word --field gender=Gender:text --name Noun`)
    .argument("<template>", "the template (id or name)")
    .option("--name <name>", "give it another name")
    .option("--content <markdown>", "the layout, with placeholders << Field name >>")
    .option("--content-file <path>", "read the layout from a file, or - for standard input")
    .option("--field <id[=name][:type]>", "add or change a field (repeatable)", collect)
    .option("--option <id.option=value>", "an option of a field of --field (repeatable)", collect)
    .option("--remove-field <id>", "remove a field (repeatable); cards keep its values", collect)
    .option("--show-sides-separately", "review shows one side at a time")
    .option("--no-show-sides-separately", "review shows all sides so far");

type UpdateOptions = OptionsOf<typeof declaredUpdate>;

export const updateCommand = command(declaredUpdate, async (text, options, context) => {
  const client = await writable(context);
  const names = await context.names();
  const { id } = await names.template(text);
  const document = await client.templates.update(id, await bodyOf(id, options, client, context));
  names.noteTemplate(document);
  const sentence = `Updated template ${document.name} (${id})`;
  await printChanges(context, listings.templates, [{ id, document, sentence }], false);
});

async function bodyOf(
  id: string,
  options: UpdateOptions,
  client: Client,
  context: Context,
): Promise<TemplateUpdate> {
  const { contentFile, field = [], removeField = [], showSidesSeparately: separately } = options;
  oneOf({ "--content": options.content, "--content-file": contentFile });
  const content = contentFile === undefined ? options.content : await readText(contentFile, context);
  const changesFields = field.length > 0 || removeField.length > 0;
  const body: TemplateUpdate = {
    ...defined({
      name: options.name,
      content,
      options: separately === undefined ? undefined : { "show-sides-separately?": separately },
    }),
  };
  if (!changesFields && Object.keys(body).length === 0)
    throw new UsageError("nothing to change", { hint: 'See "deckhand templates update --help".' });
  if (!changesFields) return body;
  const { fields: before } = await client.templates.get(id);
  const fields = { ...before, ...declaredFields(field, options.option ?? []) };
  for (const each of removeField) {
    if (!Object.hasOwn(fields, each))
      throw new UsageError(`the template has no field ${JSON.stringify(each)}`);
    delete fields[each];
  }
  return { ...body, fields: fields as NonNullable<TemplateUpdate["fields"]> };
}

const declaredDelete = () =>
  declare(`Delete templates that no card uses.

  deckhand templates delete Word
  deckhand templates list -o id | deckhand templates delete - --yes`)
    .argument("<template...>", "templates (id or name), or - for one a line on standard input (needs --yes)")
    .option("--fail-fast", "stop at the first item that fails");

export const deleteCommand = command(declaredDelete, async (templates, options, context) => {
  const client = await writable(context);
  const named =
    templates.length === 1 && templates[0] !== "-" ? `the template ${templates[0]}` : "these templates";
  await context.io.confirm(`Delete ${named}? It cannot be undone.`, "nothing was deleted");
  const names = await context.names();
  await changeEach(templates, options, context, listings.templates, async (text) => {
    const { id, name } = await names.template(text);
    await client.templates.delete(id);
    names.forgetTemplate(id);
    return { id, sentence: `Deleted template ${name} (${id})` };
  });
});

/** @throws UsageError for a service whose templates cannot be changed */
async function writable(context: Context): Promise<Client> {
  const client = await context.client();
  if (!(await client.service.has("template-writes")))
    throw new UsageError("this service has no way to change templates: the API creates and lists them only", {
      hint: "The service's own app changes them.",
    });
  return client;
}

const declaredList = () =>
  declare(`List all templates.

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

  deckhand templates get Capital
  deckhand templates list -o id | deckhand templates get - -o json`)
    .argument("<template...>", "templates (id or name), or - for one a line on standard input")
    .option("--fail-fast", "stop at the first item that fails");

export const getCommand = command(declaredGet, async (templates, options, context) => {
  const client = await context.client();
  const names = await context.names();
  const found = eachItem(templates, options, context, async (text) => {
    const { id } = await names.template(text);
    return client.templates.get(id);
  });
  await context.print.documents(listings.templates, found, areSeveral(templates));
});
