import { Document, isNode, isMap as isYamlMap, parseDocument } from "yaml";
import { manualTagsOf } from "../../../cards/document.ts";
import { type Card, isMap } from "../../../schema/index.ts";
import type { Skip, SourceCard } from "../../model.ts";
import { cardOf } from "../documents.ts";
import { matterText, readMatter, splitMatter, yamlMap } from "./front-matter.ts";

/**
 * A card as a markdown file: YAML front matter, then the content. Export, import and sync read and write cards only
 * through this file (docs/design/cards.md, Markdown folders).
 */

/** Keys of the front matter that are the card's, in the order in which they are written. */
const cardKeys = [
  "id",
  "template",
  "tags",
  "pos",
  "archived?",
  "review-reverse?",
  "trashed?",
  "fields",
  "attachments",
  "reviews",
] as const;

/** Keys of a file that is there already which no card changes. */
const onlyRead: ReadonlySet<string> = new Set(["trashed?", "attachments", "reviews"]);

/** A file of a card, as the front matter lists it under its name. */
export interface ListedAttachment {
  readonly "file-name": string;
  /** Content type. */
  readonly type?: string | undefined;
  /** Its name on the disk, in the folder `<name of the card's file>.files`; undefined if it could not be fetched. */
  readonly file?: string | undefined;
}

/** What the card document itself does not say. */
interface CardContext {
  /** How the file names the card's template: by its name where that is unique, else by its id. */
  readonly template?: string | undefined;
  readonly attachments?: readonly ListedAttachment[];
}

interface ReadCard {
  readonly id: string | undefined;
  /** The same, and the numbers that people give to their notes. */
  readonly writtenId: string | undefined;
  /** The card's template as the file names it: a name or an id. */
  readonly template: string | undefined;
  /** The `attachments` of the front matter by file name, as they were written. */
  readonly attachments: Readonly<Record<string, unknown>>;
  /** Body, trash and reviews, without deck, template and attachments. */
  readonly card: SourceCard;
}

/**
 * Reads the text of a card's file.
 *
 * @param place names the file in messages
 * @param skip receives keys and values that no card has
 * @throws UsageError naming the line for YAML that cannot be read or is not a map
 */
export async function readCardFile(text: string, place: string, skip: Skip): Promise<ReadCard> {
  const { matter, content } = readMatter(text, place);
  const { template, attachments, tags, id: given, ...rest } = matter ?? {};
  const id = typeof given === "string" && given !== "" ? given : undefined;
  return {
    id,
    writtenId: typeof given === "number" ? String(given) : id,
    template: typeof template === "string" && template !== "" ? template : undefined,
    attachments: isMap(attachments) ? attachments : {},
    card: await cardOf({ ...rest, "manual-tags": listOfTags(tags), content }, id, { place, skip }),
  };
}

/**
 * The text of a card's file: the same bytes for the same card.
 *
 * @param before the file as it is: keys that are not a card's, comments and the order of keys stay
 */
export async function writeCardFile(card: Card, context: CardContext = {}, before?: string): Promise<string> {
  const matter = await cardMatter(card, context);
  const content = card.content ?? "";
  const yaml = before === undefined ? undefined : splitMatter(before)?.yaml;
  // Notes without front matter stay so.
  const isBare = before !== undefined && yaml === undefined && Object.keys(matter).length === 0;
  if (isBare && splitMatter(`${content}\n`) === undefined) return `${content}\n`;
  if (yaml === undefined) return matterText(yamlMap(matter), content);
  return matterText(changedYaml(yaml, matter, card.id) ?? yamlMap({ ...matter, ...othersIn(yaml) }), content);
}

/** The values of front matter that are not the card's; none of what cannot be read. */
function othersIn(yaml: string): Readonly<Record<string, unknown>> {
  const document = parseDocument(yaml);
  const values: unknown = document.errors.length === 0 ? document.toJSON() : undefined;
  if (!isMap(values)) return {};
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isCardKey(key) || onlyRead.has(key)));
}

const isCardKey = (key: string) => (cardKeys as readonly string[]).includes(key);

/** The YAML with the card's keys as they are in `matter`; undefined where that cannot be done key by key. */
function changedYaml(
  yaml: string,
  matter: Readonly<Record<string, unknown>>,
  id: string,
): string | undefined {
  const { contents, errors } = parseDocument(yaml);
  if (contents === null) return yaml + yamlMap(matter);
  if (errors.length > 0 || !isYamlMap(contents) || contents.flow) return undefined;
  const pairs = contents.items.map(({ key, value }) => ({ key, value, start: startOf(key) }));
  if (pairs.some(({ start }) => start === undefined)) return undefined;
  let text = yaml.slice(0, pairs[0]?.start ?? 0);
  const left = new Map(Object.entries(matter));
  for (const [index, { key, value, start }] of pairs.entries()) {
    const source = yaml.slice(start, pairs[index + 1]?.start).replace(/(?<!\n)$/, "\n");
    const name = String(key);
    const wanted = left.get(name);
    left.delete(name);
    if (!isCardKey(name)) text += source;
    else if (wanted === undefined ? isOwn(name, plain(value), id) : isSame(name, value, wanted))
      text += source;
    else text += (wanted === undefined ? "" : yamlMap({ [name]: wanted })) + commentsBelow(source);
  }
  text += yamlMap(Object.fromEntries(left));
  // An alias whose anchor was at a value that is gone.
  return parseDocument(text).errors.length === 0 ? text : undefined;
}

const startOf = (key: unknown): number | undefined => (isNode(key) ? key.range?.[0] : undefined);

/** Comments and blank lines after a value: they belong to the key below. */
const commentsBelow = (source: string): string => /(?<=\n)(?:[ \t]*(?:#.*)?\n)*$/.exec(source)?.[0] ?? "";

const plain = (node: unknown): unknown => (isNode(node) ? node.toJSON() : node);

/** Whether a node of the document says what is to be written: then its notation stays, and the order of tags. */
function isSame(key: string, node: unknown, wanted: unknown): boolean {
  const there = plain(node);
  const tags = key === "tags" ? listOfTags(there) : undefined;
  const same = Array.isArray(tags) ? [...new Set(tags)].sort(byCode) : there;
  return JSON.stringify(same) === JSON.stringify(new Document(wanted).toJSON());
}

/** Whether a value that the card has not is the user's own: none that a card could have, or the id of something else. */
function isOwn(key: string, value: unknown, id: string): boolean {
  if (value === null || onlyRead.has(key)) return true;
  if (key === "id") return value !== id;
  if (key === "tags") return isMap(value) || (Array.isArray(value) && value.length === 0);
  if (key === "fields") return !isMap(value);
  if (key === "template" || key === "pos") return typeof value !== "string";
  return typeof value !== "boolean";
}

async function cardMatter(card: Card, context: CardContext): Promise<Record<string, unknown>> {
  const matter: Record<string, unknown> = { id: card.id };
  if (context.template !== undefined) matter["template"] = context.template;
  const tags = await manualTagsOf(card);
  if (tags.length > 0) matter["tags"] = tags;
  if (card.pos != null) matter["pos"] = card.pos;
  for (const flag of ["archived?", "review-reverse?"] as const) if (card[flag]) matter[flag] = true;
  if (card["trashed?"]) matter["trashed?"] = card["trashed?"];
  const fields = Object.entries(card.fields ?? {}).sort(([a], [b]) => byCode(a, b));
  if (fields.length > 0) matter["fields"] = new Map(fields.map(([id, { value }]) => [id, value ?? ""]));
  if (context.attachments?.length) matter["attachments"] = attachmentEntries(context.attachments);
  const reviews = (card.reviews ?? []).map((review) => ({
    date: review.date,
    "remembered?": review["remembered?"],
    ...(review.duration == null ? {} : { duration: review.duration }),
    ...(review.due == null ? {} : { due: review.due }),
  }));
  if (reviews.length > 0) matter["reviews"] = reviews;
  return matter;
}

function attachmentEntries(attachments: readonly ListedAttachment[]): Map<string, unknown> {
  const sorted = [...attachments].sort((a, b) => byCode(a["file-name"], b["file-name"]));
  return new Map(
    sorted.map(({ "file-name": fileName, type, file }) => {
      if (file === undefined) return [fileName, { missing: true }];
      if (file === fileName) return [fileName, type ?? {}];
      return [fileName, { ...(type ? { type } : {}), file }];
    }),
  );
}

/** Tags as a list, or as words between commas or spaces, as people write them. */
export function listOfTags(tags: unknown): unknown {
  // A year is a number in YAML, and a tag all the same.
  const textOf = (tag: unknown) => (typeof tag === "number" || typeof tag === "boolean" ? String(tag) : tag);
  if (typeof tags !== "string") return Array.isArray(tags) ? tags.map(textOf) : textOf(tags);
  return tags.split(tags.includes(",") ? "," : /\s+/).map((tag) => tag.trim().replace(/^#+/, ""));
}

const byCode = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
