import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { check, isMap } from "../../schema/check.ts";
import { listings } from "../../schema/resources.ts";
import { type TemplateCreate, templateCreate, textAlignments } from "../../schema/template.ts";
import { refuseLoneBulkOptions, runBulk } from "../shared/bulk.ts";
import { type Change, perform, printChange } from "../shared/changes.ts";
import { command, declare, option } from "../shared/command.ts";
import { collect } from "../shared/options.ts";
import { readText } from "../shared/text.ts";
import { declaredFields } from "./field-options.ts";

interface CreateOptions {
  readonly content?: string;
  readonly contentFile?: string;
  readonly field?: readonly string[];
  readonly option?: readonly string[];
  readonly pos?: string;
  readonly textAlignment?: (typeof textAlignments)[number];
  readonly showSidesSeparately?: boolean;
  readonly from?: string;
  readonly failFast?: boolean;
}

export const createCommand = command(
  () =>
    declare(`Create a template: a layout with named fields that cards fill in.

Examples:
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
      .option("--from <path>", "whole templates from a JSON, ndjson or YAML file, or - for standard input")
      .option("--fail-fast", "with --from: stop at the first template that fails"),
  createTemplate,
);

async function createTemplate(
  name: string | undefined,
  options: CreateOptions,
  context: Context,
): Promise<void> {
  if (options.from !== undefined) {
    const text = await readWhole(options.from, name, options, context);
    if (holdsSeveral(text)) return runBulk("templates create", { ...options, text }, context);
    return createOne(checked(await bodyOf(text, options.from, context)), context);
  }
  refuseLoneBulkOptions(options);
  await createOne(checked(await bodyFrom(name, options, context)), context);
}

async function createOne(body: TemplateCreate, context: Context): Promise<void> {
  await warnOfPlaceholders(body, context);
  const client = await context.client();
  const created = await perform(context, client.templates.create(body), async (template): Promise<Change> => {
    (await context.names()).noteTemplate(template);
    const sentence = `Created template ${body.name} (${template.id})`;
    return { id: template.id, document: template, sentence };
  });
  await printChange(context, listings.templates, created);
}

async function bodyFrom(
  name: string | undefined,
  options: CreateOptions,
  context: Context,
): Promise<TemplateCreate> {
  if (name === undefined) throw new UsageError("what is the template called? Give its name, or --from");
  if (options.content !== undefined && options.contentFile !== undefined)
    throw new UsageError("--content and --content-file exclude each other");
  const content =
    options.contentFile === undefined ? options.content : await readText(options.contentFile, context);
  if (content === undefined) throw new UsageError("what is its layout? Give --content or --content-file");
  return {
    name,
    content,
    fields: declaredFields(options.field ?? [], options.option ?? []),
    ...(options.pos === undefined ? {} : { pos: options.pos }),
    ...(options.textAlignment === undefined ? {} : { style: { "text-alignment": options.textAlignment } }),
    ...(options.showSidesSeparately === undefined
      ? {}
      : { options: { "show-sides-separately?": options.showSidesSeparately } }),
  };
}

/** What `--from` says already. */
const parts = [
  "content",
  "contentFile",
  "field",
  "option",
  "pos",
  "textAlignment",
  "showSidesSeparately",
] as const satisfies readonly (keyof CreateOptions)[];

async function readWhole(
  path: string,
  name: string | undefined,
  options: CreateOptions,
  context: Context,
): Promise<string> {
  if (name !== undefined || parts.some((part) => options[part] !== undefined))
    throw new UsageError("--from gives the whole template: it excludes the name and the other options");
  return readText(path, context);
}

/** What is sent of one document, by the rules of many: it may be a template as it was received. */
async function bodyOf(text: string, path: string, context: Context): Promise<unknown> {
  const [{ parseDocument }, { bulkItem }] = await Promise.all([
    import("../shared/document.ts"),
    import("../shared/bulk-item.ts"),
  ]);
  const value = await parseDocument(text, path);
  if (!isMap(value)) return value;
  const { body, unknown } = await bulkItem({ line: 1, nth: 1, value, text }, "templates create", undefined);
  for (const field of unknown)
    context.io.warn(`the API has no field ${JSON.stringify(field)}; it is not sent`);
  return body;
}

/** Whether a text is a JSON array, or a JSON document on each line. */
function holdsSeveral(text: string): boolean {
  const whole = text.trim();
  const [first = "", ...rest] = whole.split("\n");
  if (!/^[[{]/.test(first) || (first.startsWith("{") && rest.length === 0)) return false;
  try {
    JSON.parse(first.startsWith("[") ? whole : first);
    return true;
  } catch {
    return false;
  }
}

/** What the service would refuse is refused here, before anything is sent. */
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
