import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { check, isMap } from "../../schema/check.ts";
import { listings } from "../../schema/resources.ts";
import {
  fieldTypes,
  type TemplateCreate,
  template,
  templateCreate,
  textAlignments,
} from "../../schema/template.ts";
import { refuseBesideFrom } from "../cards/card-options.ts";
import {
  collect,
  command,
  declare,
  defined,
  type OptionsOf,
  oneOf,
  option,
  typedValue,
} from "../shared/command.ts";
import { printChanges } from "../shared/items.ts";
import { parseDocument, readText } from "../shared/text.ts";

const declared = () =>
  declare(`Create a template: a layout with named fields that cards fill in.

  deckhand templates create Capital --field name=Country \\
    --field capital=Capital:text --content "# << Country >>
---
<< Capital >>"
  deckhand templates create Word --content "<< Word >>" --field name=Word \\
    --field note=Note:text --option note.multi-line?=true
  deckhand templates create --from template.yaml`)
    .argument("[name]", "its name, 1 to 64 characters")
    .option("--content <markdown>", "the layout, with placeholders << Field name >>")
    .option("--content-file <path>", "read the layout from a file, or - for standard input")
    .option("--field <id[=name][:type]>", "a field (repeatable)", collect)
    .option("--option <id.option=value>", "an option of a field (repeatable)", collect)
    .option("--pos <pos>", "position: templates sort by it")
    .addOption(option("--text-alignment <k>", "how text is aligned").choices(textAlignments))
    .option("--show-sides-separately", "review shows one side at a time")
    .option("--from <path>", "a whole template from a JSON or YAML file, or - for standard input");

type CreateOptions = OptionsOf<typeof declared>;

export const createCommand = command(declared, async (name, options, context) => {
  const { from } = options;
  if (from !== undefined) {
    const what = "the whole template: it excludes the name and the other options";
    refuseBesideFrom(options, [], what);
    if (name !== undefined) throw new UsageError(`--from gives ${what}`);
    return createOne(checked(await bodyOf(from, context)), context);
  }
  await createOne(checked(await bodyFrom(name, options, context)), context);
});

async function createOne(body: TemplateCreate, context: Context): Promise<void> {
  await warnOfPlaceholders(body, context);
  const client = await context.client();
  const template = await client.templates.create(body);
  (await context.names()).noteTemplate(template);
  const sentence = `Created template ${body.name} (${template.id})`;
  const change = { id: template.id, document: template, sentence };
  await printChanges(context, listings.templates, [change], false);
}

async function bodyFrom(name: string | undefined, options: CreateOptions, context: Context) {
  if (name === undefined) throw new UsageError("what is the template called? Give its name, or --from");
  const { contentFile, textAlignment: alignment, showSidesSeparately: separately } = options;
  oneOf({ "--content": options.content, "--content-file": contentFile });
  const content = contentFile === undefined ? options.content : await readText(contentFile, context);
  if (content === undefined) throw new UsageError("what is its layout? Give --content or --content-file");
  return {
    name,
    content,
    fields: declaredFields(options.field ?? [], options.option ?? []),
    ...defined({
      pos: options.pos,
      style: alignment && { "text-alignment": alignment },
      options: separately && { "show-sides-separately?": separately },
    }),
  };
}

/** What is sent of a document, which may be a template as it was received. */
async function bodyOf(path: string, context: Context): Promise<unknown> {
  const value = await parseDocument(await readText(path, context), path);
  if (!isMap(value)) return value;
  for (const field of Object.keys(value).filter((name) => !Object.hasOwn(template.fields, name)))
    context.io.warn(`the API has no field ${JSON.stringify(field)}; it is not sent`);
  const sent = Object.entries(value).filter(
    ([name, given]) => given !== null && Object.hasOwn(templateCreate.fields, name),
  );
  return Object.fromEntries(sent);
}

function checked(body: unknown): TemplateCreate {
  const problems = check(templateCreate, body, "sent");
  if (problems === undefined) return body as TemplateCreate;
  const list = Object.entries(problems).map(([field, message]) => (field ? `${field} ${message}` : message));
  throw new UsageError(`the template is not valid: ${list.join("; ")}`);
}

/** A placeholder that no field fills would stay as it is on every card. */
async function warnOfPlaceholders(body: TemplateCreate, context: Context): Promise<void> {
  const { unknownPlaceholders } = await import("../../cards/template.ts");
  for (const name of unknownPlaceholders(body.content, body.fields))
    context.io.warn(`the placeholder << ${name} >> names no field of the template`);
}

type Fields = TemplateCreate["fields"];
type Field = Fields[string];

/**
 * The fields that `--field <id>[=<name>][:<type>]` and `--option <id>.<option>=<value>` declare, in their order.
 * @throws UsageError that names the option that is wrong
 */
export function declaredFields(fields: readonly string[], options: readonly string[]): Fields {
  const declared = new Map<string, Field>();
  for (const text of fields) {
    const field = parseField(text);
    if (declared.has(field.id)) throw new UsageError(`--field ${JSON.stringify(field.id)} is given twice`);
    declared.set(field.id, field);
  }
  for (const text of options) {
    const { id, name, value } = parseOption(text, [...declared.keys()]);
    const field = declared.get(id) as Field;
    declared.set(id, { ...field, options: { ...field.options, [name]: value } });
  }
  return Object.fromEntries(declared);
}

/** What stands behind the last colon is the type; a name may hold colons before it. */
function parseField(text: string): Field {
  const colon = text.lastIndexOf(":");
  const [declared, type] = colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
  if (type !== undefined && !isFieldType(type))
    throw new UsageError(
      `--field ${JSON.stringify(text)}: the type must be one of ${fieldTypes.join(", ")}, not ${JSON.stringify(type)}`,
      declared.includes("=") ? { hint: "A name that holds a colon needs the type after it." } : {},
    );
  const equals = declared.indexOf("=");
  const id = equals < 0 ? declared : declared.slice(0, equals);
  if (id.trim() === "") throw new UsageError(`--field ${JSON.stringify(text)}: it has no id`);
  return {
    id,
    ...(equals < 0 ? {} : { name: declared.slice(equals + 1) }),
    ...(type === undefined ? {} : { type }),
  };
}

function parseOption(text: string, ids: readonly string[]) {
  const wrong = (why: string) => new UsageError(`--option ${JSON.stringify(text)}: ${why}`);
  const equals = text.indexOf("=");
  if (equals < 0) throw wrong("it takes <id>.<option>=<value>");
  const path = text.slice(0, equals);
  // An id may hold dots: the longest one that fits is meant.
  const id = ids.filter((each) => path.startsWith(`${each}.`)).sort((a, b) => b.length - a.length)[0];
  if (id === undefined) throw wrong("no --field declares that id");
  const name = path.slice(id.length + 1);
  if (name === "") throw wrong("the option has no name");
  return { id, name, value: typedValue(text.slice(equals + 1)) };
}

const isFieldType = (text: string): text is (typeof fieldTypes)[number] =>
  (fieldTypes as readonly string[]).includes(text);
