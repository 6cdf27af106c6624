import type { Context } from "../../context/context.ts";
import { deckLabel } from "../../context/names.ts";
import { UsageError } from "../../errors.ts";
import type { Card, CardUpdate } from "../../schema/card.ts";
import { isMap } from "../../schema/check.ts";
import type { Template } from "../../schema/template.ts";
import { warnIfKeptBack } from "../shared/names.ts";
import { parseYaml } from "../shared/text.ts";
import { manualTags } from "../tags.ts";
import { cardFields, tagsFrom } from "./card-options.ts";
import { noList, readSettings, splitMatter } from "./front-matter.ts";

/** A card as it stands in the editor: names where people know names. */
interface Editable {
  readonly deck: string;
  readonly tags: readonly string[];
  readonly template: string | null;
  /** By field name, or by id where the template names none. */
  readonly fields: Readonly<Record<string, string>>;
  readonly archived: boolean;
  readonly "review-reverse": boolean;
  readonly content: string;
}

/** A card, what the editor shows of it, and the ids of its fields by what they are called there. */
export interface Opened {
  readonly card: Card;
  readonly shown: Editable;
  readonly fieldIds: ReadonlyMap<string, string>;
}

/** Looks up the names of a card. What cannot be looked up stays an id. */
export async function openCard(card: Card, context: Context): Promise<Opened> {
  const template = card["template-id"] ? await templateOf(card["template-id"], context) : undefined;
  const fieldIds = labelledFields(card, template);
  const fields = Object.create(null) as Record<string, string>;
  for (const [label, id] of fieldIds) fields[label] = card.fields?.[id]?.value ?? "";
  const shown = {
    deck: card["deck-id"] ? await deckLabel(card["deck-id"], context) : "",
    tags: await manualTags(card),
    template: template?.name ?? card["template-id"] ?? null,
    fields,
    archived: card["archived?"] ?? false,
    "review-reverse": card["review-reverse?"] ?? false,
    content: card.content ?? "",
  };
  return { card, shown, fieldIds };
}

/** The fields of the template, then what the card has besides: by name where no other field is called so, too. */
function labelledFields(card: Card, template: Template | undefined): Map<string, string> {
  const ids = [...new Set([...Object.keys(template?.fields ?? {}), ...Object.keys(card.fields ?? {})])];
  const nameOf = (id: string) => template?.fields?.[id]?.name || id;
  const labelOf = (id: string) =>
    ids.some((other) => other !== id && [other, nameOf(other)].includes(nameOf(id))) ? id : nameOf(id);
  return new Map(ids.map((id) => [labelOf(id), id]));
}

async function templateOf(id: string, context: Context): Promise<Template | undefined> {
  return (await context.client()).templates
    .get(id)
    .send()
    .catch(() => undefined);
}

export async function writeEditable({ content, ...settings }: Editable): Promise<string> {
  const { stringify } = await import("yaml");
  const shown = Object.keys(settings.fields).length === 0 ? { ...settings, fields: undefined } : settings;
  return `---\n${stringify(shown, { lineWidth: 0 })}---\n${content}`;
}

const settingNames = ["deck", "tags", "template", "fields", "archived", "review-reverse"];

/** @throws UsageError that says what is wrong with the front matter */
export async function parseEditable(text: string): Promise<Editable> {
  const split = splitMatter(text);
  if (split === undefined)
    throw new UsageError("the settings at the top are missing: they are between two lines of ---");
  const settings = await parseYaml(split.yaml, "the settings at the top are", 2);
  if (!isMap(settings)) throw new UsageError("the settings at the top are not a map");
  // A tag may hold a space: words are not taken apart here.
  if (typeof settings["tags"] === "string") throw noList();
  const { deck, tags, template, fields, archived, reviewReverse } = readSettings(settings, settingNames);
  return {
    deck: deck ?? "",
    tags: tagsFrom(tags ?? []),
    template: template || null,
    fields: Object.fromEntries(fields ?? []),
    archived: archived ?? false,
    "review-reverse": reviewReverse ?? false,
    content: split.content,
  };
}

/** The update that makes the card what the editor left. */
export async function changedParts(opened: Opened, after: Editable, context: Context): Promise<CardUpdate> {
  const { card, shown } = opened;
  const { documentOf, updateBody, valuesOf } = await import("../../cards/document.ts");
  const there = await documentOf(card);
  const names = await context.names();
  // Another name of the deck or the template that it has changes nothing.
  const deck = after.deck === shown.deck ? there.deck : (await names.deck(after.deck)).id;
  if (deck !== there.deck && deck !== null)
    await warnIfKeptBack({ id: deck, label: await deckLabel(deck, context) }, context);
  const template =
    after.template === shown.template
      ? there.template
      : after.template && (await names.template(after.template)).id;
  const isSame = JSON.stringify(shown.fields) === JSON.stringify(after.fields);
  const newFields = () =>
    template === there.template
      ? changedFields(opened, after, context)
      : fieldsOf(new Map(Object.entries(after.fields)), template, context);
  return updateBody(there, {
    content: editedContent(shown.content, after.content),
    deck,
    template,
    tags: [...after.tags].sort(),
    archived: after.archived,
    reverse: after["review-reverse"],
    fields: isSame ? undefined : valuesOf(await newFields()),
  });
}

/** What an editor left of a content: most end a file with a line break, which was not there before and is no edit. */
export function editedContent(before: string, after: string): string {
  return before.endsWith("\n") ? after : after.replace(/\r?\n$/, "");
}

/** All fields, as a service may replace them whole; what was not there and stays empty is left out. */
async function changedFields({ card, fieldIds }: Opened, { fields }: Editable, context: Context) {
  const known = Object.entries(fields).filter(([label]) => fieldIds.has(label));
  const values = known.map(([label, value]) => [fieldIds.get(label) as string, value] as const);
  const isKept = ([id, value]: (typeof values)[number]) =>
    value !== "" || Object.hasOwn(card.fields ?? {}, id);
  const kept = cardFields(new Map(values.filter(isKept)), undefined);
  const others = new Map(Object.entries(fields).filter(([label]) => !fieldIds.has(label)));
  if (others.size === 0) return kept;
  return Object.assign(kept, await fieldsOf(others, card["template-id"] ?? null, context));
}

async function fieldsOf(values: ReadonlyMap<string, string>, templateId: string | null, context: Context) {
  const { templates } = await context.client();
  return cardFields(values, templateId === null ? undefined : await templates.get(templateId).send());
}
