import type { Context } from "../../context/context.ts";
import { deckLabel } from "../../context/names.ts";
import { UsageError } from "../../errors.ts";
import type { Card, CardUpdate } from "../../schema/card.ts";
import { isMap } from "../../schema/check.ts";
import type { Template } from "../../schema/template.ts";
import { parseYaml } from "../shared/text.ts";
import { manualTags } from "../tags.ts";
import { cardFields, tagsFrom } from "./card-options.ts";
import { type FrontMatter, readSettings, splitMatter } from "./front-matter.ts";

/** A card as it is in the editor: names where people know names. */
export interface Opened {
  readonly card: Card;
  readonly text: string;
  /** What its fields are called: those of its template, and those that it has besides. */
  readonly template: Pick<Template, "id" | "name" | "fields">;
}

/** Looks up the names of a card. What cannot be looked up stays an id. */
export async function openCard(card: Card, context: Context): Promise<Opened> {
  const id = card["template-id"];
  const found = id ? await templateOf(id, context).catch(() => undefined) : undefined;
  const others = Object.fromEntries(Object.keys(card.fields ?? {}).map((each) => [each, { id: each }]));
  const template = { id: "", ...found, fields: { ...others, ...found?.fields } };
  const fields = labelledFields(template).map(
    ([label, each]) => [label, card.fields?.[each]?.value ?? ""] as const,
  );
  const settings = {
    deck: card["deck-id"] ? await deckLabel(card["deck-id"], context) : "",
    tags: await manualTags(card),
    template: found?.name ?? id ?? null,
    fields: fields.length === 0 ? undefined : new Map(fields),
    archived: card["archived?"] ?? false,
    "review-reverse": card["review-reverse?"] ?? false,
  };
  const { stringify } = await import("yaml");
  return { card, template, text: `---\n${stringify(settings, { lineWidth: 0 })}---\n${card.content ?? ""}` };
}

/** What fields are called in the editor, with their ids: by name where no other field is called so, too. */
function labelledFields({ fields }: Opened["template"]): (readonly [label: string, id: string])[] {
  const ids = Object.keys(fields ?? {});
  const nameOf = (id: string) => fields?.[id]?.name || id;
  const isTaken = (id: string) =>
    ids.some((other) => other !== id && [other, nameOf(other)].includes(nameOf(id)));
  return ids.map((id) => [isTaken(id) ? id : nameOf(id), id]);
}

const templateOf = async (id: string, context: Context): Promise<Template> =>
  (await context.client()).templates.get(id);

interface Edit {
  readonly matter: FrontMatter;
  readonly content: string;
}

/** @throws UsageError that says what is wrong with the front matter */
export async function parseEditable(text: string): Promise<Edit> {
  const split = splitMatter(text);
  if (split === undefined)
    throw new UsageError("the settings at the top are missing: they are between two lines of ---");
  const settings = await parseYaml(split.yaml, "the settings at the top are", 2);
  if (!isMap(settings)) throw new UsageError("the settings at the top are not a map");
  return { matter: readSettings(settings), content: split.content };
}

export async function changedParts(opened: Opened, edited: string, context: Context): Promise<CardUpdate> {
  const { documentOf, updateBody, valuesOf } = await import("../../cards/document.ts");
  const there = await documentOf(opened.card);
  const { matter: before } = await parseEditable(opened.text);
  const { matter: after, content } = await parseEditable(edited);
  const names = await context.names();
  // Another name of the deck or the template that it has changes nothing.
  const deck = after.deck === before.deck ? there.deck : (await names.deck(after.deck ?? "")).id;
  const named = async () => (after.template ? (await names.template(after.template)).id : null);
  const template = after.template === before.template ? there.template : await named();
  const isSame = JSON.stringify([...(before.fields ?? [])]) === JSON.stringify([...(after.fields ?? [])]);
  return updateBody(there, {
    content: editedContent(there.content, content),
    deck,
    template,
    pos: after.pos,
    tags: tagsFrom(after.tags ?? []).sort(),
    archived: after.archived ?? false,
    reverse: after.reviewReverse ?? false,
    fields: isSame ? undefined : valuesOf(await changedFields(opened, after, template, context)),
  });
}

/** What an editor left of a content: most end a file with a line break, which was not there before and is no edit. */
export function editedContent(before: string, after: string): string {
  return before.endsWith("\n") ? after : after.replace(/\r?\n$/, "");
}

/** All fields, as a service may replace them whole; what was not there and stays empty is left out. */
async function changedFields(
  { card, template: known }: Opened,
  { fields: values = new Map() }: FrontMatter,
  templateId: string | null,
  context: Context,
) {
  const isOther = templateId !== null && templateId !== (card["template-id"] ?? null);
  const template = isOther ? await templateOf(templateId, context) : known;
  const fields = cardFields(values, template);
  for (const [id, { value }] of Object.entries(fields))
    if (value === "" && !Object.hasOwn(card.fields ?? {}, id)) delete fields[id];
  return fields;
}
