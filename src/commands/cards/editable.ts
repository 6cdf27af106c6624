import { deckLabel } from "../../context/names.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import type { Card, CardUpdate } from "../../schema/card.ts";
import { isMap } from "../../schema/check.ts";
import type { Template } from "../../schema/template.ts";
import { cardFields, idFields } from "../shared/fields.ts";
import { tagsFrom } from "./card-options.ts";
import { manualTags } from "./tags.ts";

/** A card as it stands in the editor: names where people know names. */
export interface Editable {
  readonly deck: string;
  readonly tags: readonly string[];
  readonly template: string | null;
  /** By field name, or by id where the template names none. */
  readonly fields: Readonly<Record<string, string>>;
  readonly archived: boolean;
  readonly "review-reverse": boolean;
  readonly content: string;
}

/** The card with its names looked up. What cannot be looked up stays an id. */
export async function editableOf(card: Card, context: Context): Promise<Editable> {
  const template = card["template-id"] ? await templateOf(card["template-id"], context) : undefined;
  const fields: Record<string, string> = {};
  for (const [id, field] of Object.entries(template?.fields ?? {}))
    fields[field?.name ?? id] = card.fields?.[id]?.value ?? "";
  for (const [id, field] of Object.entries(card.fields ?? {}))
    if (!Object.hasOwn(template?.fields ?? {}, id)) fields[id] = field?.value ?? "";
  return {
    deck: card["deck-id"] ? await deckLabel(card["deck-id"], context) : "",
    tags: await manualTags(card),
    template: template?.name ?? card["template-id"] ?? null,
    fields,
    archived: card["archived?"] ?? false,
    "review-reverse": card["review-reverse?"] ?? false,
    content: card.content ?? "",
  };
}

async function templateOf(id: string, context: Context): Promise<Template | undefined> {
  return (await context.client()).templates
    .get(id)
    .send()
    .catch(() => undefined);
}

const fence = "---";

export async function writeEditable({ content, ...settings }: Editable): Promise<string> {
  const { stringify } = await import("yaml");
  const shown = Object.keys(settings.fields).length === 0 ? { ...settings, fields: undefined } : settings;
  return `${fence}\n${stringify(shown, { lineWidth: 0 })}${fence}\n${content}`;
}

/** @throws UsageError that says what is wrong with the front matter */
export async function parseEditable(text: string): Promise<Editable> {
  const lines = text.replace(/^\uFEFF/, "").split(/(?<=\n)/);
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === fence);
  if (lines[0]?.trimEnd() !== fence || end < 0)
    throw new UsageError("the settings at the top are gone: they stand between two lines of ---");
  const { parse } = await import("yaml");
  let settings: unknown;
  try {
    settings = parse(lines.slice(1, end).join(""));
  } catch (cause) {
    throw new UsageError(
      `the settings at the top are not valid YAML: ${String((cause as Error).message).split("\n")[0]}`,
      { cause },
    );
  }
  if (!isMap(settings)) throw new UsageError("the settings at the top are not a map");
  const { deck, tags, template, fields, archived, "review-reverse": reverse } = settings;
  return {
    deck: textOf("deck", deck),
    tags: tagsFrom((Array.isArray(tags) ? tags : []).map((tag) => textOf("tags", tag))),
    template: template == null || template === "" ? null : textOf("template", template),
    fields: Object.fromEntries(
      Object.entries(isMap(fields) ? fields : {}).map(([name, value]) => [
        name,
        value == null ? "" : textOf(name, value),
      ]),
    ),
    archived: flagOf("archived", archived),
    "review-reverse": flagOf("review-reverse", reverse),
    content: lines.slice(end + 1).join(""),
  };
}

/** The update that makes the card what the editor left. */
export async function changedParts(before: Editable, after: Editable, context: Context): Promise<CardUpdate> {
  const names = await context.names();
  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const moved = after.deck !== before.deck ? (await names.deck(after.deck, { writing: true })).id : undefined;
  const templated = after.template !== before.template;
  const templateId =
    after.template === null ? null : (await names.template(after.template, { writing: templated })).id;
  const fieldsChanged = !same(before.fields, after.fields);
  const content = editedContent(before.content, after.content);
  return {
    ...(content === before.content ? {} : { content }),
    ...(moved === undefined ? {} : { "deck-id": moved }),
    ...(templated ? { "template-id": templateId } : {}),
    ...(same([...before.tags].sort(), [...after.tags].sort()) ? {} : { "manual-tags": after.tags }),
    ...(fieldsChanged ? { fields: await fieldsOf(after.fields, templateId, context) } : {}),
    ...(after.archived === before.archived ? {} : { "archived?": after.archived }),
    ...(after["review-reverse"] === before["review-reverse"]
      ? {}
      : { "review-reverse?": after["review-reverse"] }),
  };
}

/** What an editor left of a content: most end a file with a line break, which was not there before and is no edit. */
export function editedContent(before: string, after: string): string {
  return before.endsWith("\n") ? after : after.replace(/\r?\n$/, "");
}

async function fieldsOf(fields: Editable["fields"], templateId: string | null, context: Context) {
  const values = new Map(Object.entries(fields));
  if (templateId === null) return idFields(values);
  return cardFields(values, await (await context.client()).templates.get(templateId).send());
}

function textOf(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new UsageError(`${name} must be text`);
}

function flagOf(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  throw new UsageError(`${name} must be true or false`);
}
