import type { Context } from "../../context/context.ts";
import { findNamed } from "../../decks/find.ts";
import { UsageError } from "../../errors.ts";
import type { Card } from "../../schema/card.ts";
import { positionBetween } from "../../schema/position.ts";
import type { Template } from "../../schema/template.ts";
import {
  collect,
  collectTags,
  declare,
  defined,
  type LooseOptionsOf,
  oneOf,
  option,
  ownOptionsIn,
} from "../shared/command.ts";
import { readText } from "../shared/text.ts";

export const reviewReverseOption = () =>
  option("--review-reverse", "review it in both directions: also from its last side to its first");

/** Begins the declaration of `cards create` and `cards update`. */
export const declareCard = (text: string) =>
  declare(text)
    .option("-d, --deck <deck>", "the deck (id, name or path)")
    .option("--deck-id <id>", "the deck by id, not looked up")
    .option("--content <markdown>", "the content")
    .option("--content-file <path>", "read the content from a file, or - for standard input")
    .option("--front <markdown>", "the first side")
    .option("--back <markdown>", "the second side")
    .option("--template <template>", "the template (id or name)")
    .option("--template-id <id>", "the template, by id, not looked up; fields then by id only")
    .option("--field <name=value>", "the value of a template field (repeatable)", collect)
    .option("--field-file <name=path>", "the same from a file, or - for standard input (repeatable)", collect)
    .option("--tag <tag>", "a tag, with or without its # (repeatable, or a,b)", collectTags)
    .option("--pos <pos>", "position in the deck: cards sort by it")
    .option("--after <card>", "place it after this card")
    .option("--before <card>", "place it before this card")
    .option("--archived", "archive it")
    .addOption(reviewReverseOption())
    .option("--attach <file>", "store a file on it (repeatable)", collect);

const declareAny = () => declareCard("");
type CardOptions = LooseOptionsOf<typeof declareAny>;

/** Standard input is there once: what is read from it second would be empty. */
export function assertOneInput({ contentFile, fieldFile = [] }: CardOptions): void {
  const inputs = [contentFile, ...fieldFile.map((text) => text.slice(text.indexOf("=") + 1))];
  if (inputs.filter((path) => path === "-").length > 1)
    throw new UsageError("standard input can be read only once: give - to one option");
}

/** The content that the options give, undefined if none. Front and back are joined by a side separator. */
export async function contentFrom(options: CardOptions, context: Context): Promise<string | undefined> {
  const { content, contentFile, front, back } = options;
  oneOf({ "--content": content, "--content-file": contentFile, "--front/--back": front ?? back });
  if (back !== undefined && front === undefined) throw new UsageError("--back needs --front");
  if (contentFile !== undefined) return readText(contentFile, context);
  if (front === undefined) return content;
  if (front.trim() === "" && (back ?? "").trim() === "")
    throw new UsageError("the card has no content: its front and back are blank");
  if (back === undefined) return front;
  const { joinSides } = await import("../../cards/index.ts");
  return joinSides([front, back]);
}

/** Whether the options give one of the two sides: the others of the card are to stay as they are. */
export const isOneSide = ({ content, contentFile, front, back }: CardOptions): boolean =>
  content === undefined && contentFile === undefined && (front === undefined) !== (back === undefined);

/** The content of a card with its first or second side replaced. */
export async function withSide(card: Card, { front, back }: CardOptions): Promise<string> {
  const { joinSides, splitSides } = await import("../../cards/index.ts");
  const sides = splitSides(card.content ?? "");
  sides[front === undefined ? 1 : 0] = front ?? back ?? "";
  const content = joinSides(sides);
  if (content.trim().replace(/^---$/, "") === "") throw new UsageError("the card would have no content");
  return content;
}

/** The parts of a body that need nothing looked up. */
export function plainBody({ archived, reviewReverse, pos, tag, after, before }: CardOptions) {
  oneOf({ "--pos": pos, "--after": after, "--before": before });
  if (pos?.trim() === "") throw new UsageError("--pos cannot be blank");
  return defined({
    "archived?": archived,
    "review-reverse?": reviewReverse,
    pos,
    "manual-tags": tag && tagsFrom(tag),
  });
}

/** Tags as the API takes them: without the leading `#`, each once. */
export function tagsFrom(given: readonly string[]): string[] {
  const tags = given.map((tag) => tag.trim().replace(/^#/, ""));
  if (tags.some((tag) => tag === "")) throw new UsageError("a tag cannot be blank");
  return [...new Set(tags)];
}

/** With --from the documents say all: only these options go with it. */
export function refuseBesideFrom(options: object, allowed: readonly string[], what: string): void {
  const others = ownOptionsIn(options).filter((name) => !["from", "failFast", ...allowed].includes(name));
  if (others.length > 0) throw new UsageError(`--from gives ${what}`);
}

export type FieldValues = Record<string, { readonly id: string; readonly value: string }>;

/** The field values that the options give, by field id; undefined if none. */
export async function fieldsFrom(
  { field = [], fieldFile = [] }: CardOptions,
  template: Template | undefined,
  context: Context,
): Promise<FieldValues | undefined> {
  const values = new Map<string, string>();
  for (const [index, text] of [...field, ...fieldFile].entries()) {
    const isFile = index >= field.length;
    const at = text.indexOf("=");
    const form = isFile ? "--field-file takes <name>=<path>" : "--field takes <name>=<value>";
    if (at < 1) throw new UsageError(`${form}, not ${JSON.stringify(text)}`);
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    if (values.has(name)) throw new UsageError(`the field ${JSON.stringify(name)} is given twice`);
    values.set(name, isFile ? await readText(value, context) : value);
  }
  if (values.size === 0) return undefined;
  return cardFields(values, template);
}

/**
 * Field values by the ids or names of a template's fields: ids first, then names exactly, then without regard to case.
 * Without a template they are ids (`--template-id`).
 * @throws UsageError that lists the fields, for a name that is none of them or stands for several
 */
export function cardFields(values: ReadonlyMap<string, string>, template: Template | undefined): FieldValues {
  const fields = Object.create(null) as FieldValues;
  for (const [name, value] of values) {
    const id = template === undefined ? name : fieldId(name, template);
    if (Object.hasOwn(fields, id)) throw new UsageError(`the field ${JSON.stringify(name)} is given twice`);
    fields[id] = { id, value };
  }
  return fields;
}

const namedFields = ({ fields }: Template) =>
  Object.entries(fields ?? {}).map(([id, field]) => ({ id, name: field?.name ?? id }));

/** The fields of a template for people, each with its id. */
export const fieldList = (template: Template): string =>
  namedFields(template)
    .map(({ id, name }) => `${name} (${id})`)
    .join(", ") || "none";

function fieldId(name: string, template: Template): string {
  const [found, ...others] = findNamed(name, namedFields(template));
  if (found !== undefined && others.length === 0) return found.id;
  const which = found === undefined ? "no field" : "more than one field";
  throw new UsageError(
    `${which} of the template ${JSON.stringify(template.name ?? template.id)} is called ${JSON.stringify(name)}`,
    { hint: `The fields are: ${fieldList(template)}` },
  );
}

/**
 * The `pos` that `--after` or `--before` ask for: between the named card and its neighbour in the deck; undefined if
 * neither is given. Reads the deck's cards, since only they tell who the neighbour is.
 */
export async function positionFrom(
  { after, before }: CardOptions,
  deckId: string,
  context: Context,
): Promise<string | undefined> {
  const named = after ?? before;
  if (named === undefined) return undefined;
  const { cards } = await context.client();
  const anchor = await cards.get(named);
  const card = `card ${JSON.stringify(named)}`;
  if (anchor["deck-id"] !== deckId) throw new UsageError(`${card} is in another deck`);
  const pos = anchor.pos ?? "";
  if (pos === "") throw new UsageError(`${card} has no position`);
  const isAfter = after !== undefined;
  let neighbour: string | undefined;
  for await (const page of cards.pages({ deckId }))
    for (const { id, pos: other } of page.docs) {
      if (id === named || !other) continue;
      const nearer = neighbour === undefined || (isAfter ? other < neighbour : other > neighbour);
      if (nearer && (isAfter ? other > pos : other < pos)) neighbour = other;
    }
  const between = isAfter ? positionBetween(pos, neighbour) : positionBetween(neighbour, pos);
  if (between !== undefined) return between;
  throw new UsageError(`there is no room ${isAfter ? "after" : "before"} ${card}`, {
    hint: "Give the neighbouring card another --pos first.",
  });
}
