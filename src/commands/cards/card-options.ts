import { type Command, Option } from "commander";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import type { Card, CardUpdate } from "../../schema/card.ts";
import type { Template } from "../../schema/template.ts";
import { cardFields, type FieldValues, idFields } from "../shared/fields.ts";
import { collect, collectTags } from "../shared/options.ts";
import { readText } from "../shared/text.ts";

/** What `cards create` and `cards update` have in common. */
export interface CardOptions {
  readonly deck?: string;
  readonly deckId?: string;
  readonly content?: string;
  readonly contentFile?: string;
  readonly front?: string;
  readonly back?: string;
  readonly template?: string;
  readonly templateId?: string;
  readonly field?: readonly string[];
  readonly fieldFile?: readonly string[];
  readonly tag?: readonly string[];
  readonly pos?: string;
  readonly after?: string;
  readonly before?: string;
  readonly archived?: boolean;
  readonly reviewReverse?: boolean;
  readonly attach?: readonly string[];
}

export function addCardOptions(command: Command): Command {
  return command
    .option("-d, --deck <deck>", "the deck (id, name or path)")
    .option("--deck-id <id>", "the deck, by id, not looked up")
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
}

/** Of `add`, too. */
export const reviewReverseOption = () =>
  new Option("--review-reverse", "review it in both directions: also from its last side to its first");

/** Standard input is there once: what is read from it second would be empty. */
export function assertOneInput({ contentFile, fieldFile = [] }: CardOptions): void {
  const inputs = [contentFile, ...fieldFile.map((text) => text.slice(text.indexOf("=") + 1))];
  if (inputs.filter((path) => path === "-").length > 1)
    throw new UsageError("standard input can be read only once: give - to one option");
}

/** The content that the options give, undefined if none. Front and back are joined by a side separator. */
export async function contentFrom(options: CardOptions, context: Context): Promise<string | undefined> {
  const ways = [options.content, options.contentFile, options.front ?? options.back];
  if (ways.filter((way) => way !== undefined).length > 1)
    throw new UsageError("--content, --content-file and --front/--back exclude each other");
  if (options.back !== undefined && options.front === undefined) throw new UsageError("--back needs --front");
  if (options.contentFile !== undefined) return readText(options.contentFile, context);
  if (options.front === undefined) return options.content;
  if (options.front.trim() === "" && (options.back ?? "").trim() === "")
    throw new UsageError("the card has no content: its front and back are blank");
  if (options.back === undefined) return options.front;
  const { joinSides } = await import("../../cards/index.ts");
  return joinSides([options.front, options.back]);
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

/** The field values that the options give, by field id; undefined if none. */
export async function fieldsFrom(
  options: CardOptions,
  template: Template | undefined,
  context: Context,
): Promise<FieldValues | undefined> {
  const given = [
    ...(options.field ?? []).map((text) => ({ text, option: "--field", file: false })),
    ...(options.fieldFile ?? []).map((text) => ({ text, option: "--field-file", file: true })),
  ];
  if (given.length === 0) return undefined;
  const values = new Map<string, string>();
  for (const { text, option, file } of given) {
    const at = text.indexOf("=");
    if (at < 1)
      throw new UsageError(
        `${option} takes <name>=<${file ? "path" : "value"}>, not ${JSON.stringify(text)}`,
      );
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    if (values.has(name)) throw new UsageError(`the field ${JSON.stringify(name)} is given twice`);
    values.set(name, file ? await readText(value, context) : value);
  }
  return template === undefined ? idFields(values) : cardFields(values, template);
}

type PlainBody = Pick<CardUpdate, "archived?" | "review-reverse?" | "pos" | "manual-tags">;

/** The parts of a body that need nothing looked up. */
export function plainBody(options: CardOptions): PlainBody {
  if ([options.pos, options.after, options.before].filter((way) => way !== undefined).length > 1)
    throw new UsageError("--pos, --after and --before exclude each other");
  if (options.pos !== undefined && options.pos.trim() === "") throw new UsageError("--pos cannot be blank");
  return {
    ...(options.archived === undefined ? {} : { "archived?": options.archived }),
    ...(options.reviewReverse === undefined ? {} : { "review-reverse?": options.reviewReverse }),
    ...(options.pos === undefined ? {} : { pos: options.pos }),
    ...(options.tag === undefined ? {} : { "manual-tags": tagsFrom(options.tag) }),
  };
}

/** Tags as the API takes them: without the leading `#`, each once. */
export function tagsFrom(given: readonly string[]): string[] {
  const tags = given.map((tag) => tag.trim().replace(/^#/, ""));
  if (tags.some((tag) => tag === "")) throw new UsageError("a tag cannot be blank");
  return [...new Set(tags)];
}
