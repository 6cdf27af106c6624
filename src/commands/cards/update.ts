import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import type { Card, CardUpdate } from "../../schema/card.ts";
import { listings } from "../../schema/resources.ts";
import type { Template } from "../../schema/template.ts";
import { attachFiles, checkFiles } from "../shared/attach-files.ts";
import { addBulkOptions, type BulkOptions, runBulk } from "../shared/bulk.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { command, type Declared, described } from "../shared/command.ts";
import { areSeveral, eachItem } from "../shared/items.ts";
import { destinationFrom, templateFrom } from "../shared/names.ts";
import { collectTags } from "../shared/options.ts";
import { detachFrom } from "../shared/record.ts";
import {
  addCardOptions,
  assertOneInput,
  type CardOptions,
  contentFrom,
  fieldsFrom,
  isOneSide,
  plainBody,
  tagsFrom,
  withSide,
} from "./card-options.ts";
import { positionFrom } from "./position.ts";
import { changeAsItIs, manualTags } from "./tags.ts";
import { warnOfTemplate, warnOfUnseen } from "./unseen.ts";

interface UpdateOptions extends CardOptions, BulkOptions {
  readonly addTag?: readonly string[];
  readonly removeTag?: readonly string[];
  readonly clearTags?: boolean;
  readonly trashed?: string;
  readonly failFast?: boolean;
}

export const updateCommand = command(
  () =>
    addBulkOptions(
      addCardOptions(
        described(`Change cards: only what the options name. --tag replaces the tags of a card, --add-tag adds one.

Examples:
  deckhand cards update x7Rw2kQp --front "Capital of Norway?" --back Oslo
  deckhand cards update x7Rw2kQp --back Oslo
  deckhand cards list --deck Geography -o id |
    deckhand cards update - --add-tag geography
  deckhand cards update x7Rw2kQp --no-archived --clear-tags
  deckhand cards update --from changes.ndjson`),
      ),
      "stop at the first card that fails",
    )
      .argument("[card...]", "card ids, or - for one id a line on standard input")
      .option("--no-archived", "take it out of the archive")
      .option("--no-review-reverse", "review it in one direction only")
      .option("--add-tag <tag>", "add a tag to those it has (repeatable, or a,b)", collectTags)
      .option("--remove-tag <tag>", "remove one of its tags (repeatable, or a,b)", collectTags)
      .option("--clear-tags", "remove all manual tags")
      .option("--detach", "cards of followed files: let go of the files")
      .option(
        "--trashed <when>",
        "put it in the trash as of then (ISO timestamp, today, -1w)",
      ) as unknown as Declared<[cards: string[]], UpdateOptions>,
  updateCards,
);

/** Options that say something about one card only. */
const single = [
  "content",
  "contentFile",
  "front",
  "back",
  "field",
  "fieldFile",
  "pos",
  "after",
  "before",
  "attach",
] as const;

/** What the file of a followed card says of it. */
const inFile = [
  ...(["content", "contentFile", "front", "back", "field", "fieldFile"] as const),
  ...(["deck", "deckId", "template", "templateId", "reviewReverse"] as const),
] as const;

async function updateCards(ids: readonly string[], options: UpdateOptions, context: Context): Promise<void> {
  if (options.from !== undefined) return updateFrom(ids, options, context);
  if (ids.length === 0) throw new UsageError("no cards were given: name their ids, or use --from");
  const several = areSeveral(ids);
  const wrong = single.find((name) => several && options[name] !== undefined);
  if (wrong !== undefined)
    throw new UsageError(
      `--${wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} takes exactly one card`,
    );
  assertOneInput(options);
  await checkFiles(options.attach ?? []);
  const common = await commonBody(options, context);
  const changesFile = inFile.some((name) => options[name] !== undefined);
  const client = await context.client();
  const changes = eachItem(ids, options, context, (id) =>
    needsCard(options)
      ? changeAsItIs(id, client, (card, ifMatch) => change(id, { before: card, ifMatch }))
      : change(id, {}),
  );
  await printChanges(context, listings.cards, changes, several);

  async function change(id: string, { before, ifMatch }: Seen): Promise<Change | undefined> {
    if (changesFile) await detachFrom(id, options, context);
    const own =
      before === undefined
        ? await newContent(options, context)
        : await ownBody(before, options, common, context);
    const body = { ...common.body, ...own };
    const attach = options.attach ?? [];
    if (Object.keys(body).length === 0 && attach.length > 0) {
      await attachFiles(id, attach, context);
      return context.options.dryRun ? undefined : { id, sentence: `Updated ${id}` };
    }
    let templateId: string | null | undefined;
    const made = await perform(
      context,
      client.cards.update(id, body, ifMatch),
      async (document): Promise<Change> => {
        templateId = document?.["template-id"];
        await attachFiles(id, attach, context);
        return { id, document, sentence: `Updated ${id}` };
      },
    );
    if (context.options.dryRun) await attachFiles(id, attach, context);
    if (body.content !== undefined && templateId) await warnOfTemplate(id, templateId, context);
    else await warnOfUnseen(id, body, context.io, before);
    return made;
  }
}

/** The card as it was read, if it was, and what it must still be. */
interface Seen {
  readonly before?: Card;
  readonly ifMatch?: string | undefined;
}

async function updateFrom(ids: readonly string[], options: UpdateOptions, context: Context): Promise<void> {
  const known = ["from", "failFast", "detach"];
  if (ids.length > 0 || Object.keys(options).some((name) => !known.includes(name) && isGiven(name, options)))
    throw new UsageError(
      "--from gives whole changes, with the id of each card: it excludes ids and other options",
    );
  await runBulk("cards update", options, context);
}

/** Global options stand among those of the command. */
const isGiven = (name: string, options: UpdateOptions) =>
  [
    ...single,
    "addTag",
    "removeTag",
    "clearTags",
    "trashed",
    "deck",
    "deckId",
    "tag",
    "template",
    "templateId",
    "archived",
    "reviewReverse",
  ].includes(name) && options[name as keyof UpdateOptions] !== undefined;

interface Common {
  readonly body: CardUpdate;
  readonly template: Template | undefined;
}

/** What is the same for every card. Refuses an update that changes nothing. */
async function commonBody(options: UpdateOptions, context: Context): Promise<Common> {
  checkTagOptions(options);
  const plain = plainBody(options);
  const deck = await destinationFrom(options, context);
  const template = await templateFrom(options, context);
  const body: CardUpdate = {
    ...plain,
    ...(deck === undefined ? {} : { "deck-id": deck.id }),
    ...(template === undefined ? {} : { "template-id": template.id }),
    ...(options.clearTags ? { "manual-tags": [] } : {}),
    ...(options.trashed === undefined ? {} : { "trashed?": await trashedFrom(options.trashed, context) }),
  };
  const perCard = [...single, "addTag", "removeTag"] as const;
  if (Object.keys(body).length === 0 && perCard.every((name) => options[name] === undefined))
    throw new UsageError("nothing to change", { hint: 'See "deckhand cards update --help".' });
  return { body, template: template?.template };
}

function checkTagOptions(options: UpdateOptions): void {
  const changes = options.addTag !== undefined || options.removeTag !== undefined;
  if ([options.tag !== undefined, options.clearTags === true, changes].filter(Boolean).length > 1)
    throw new UsageError("--tag, --clear-tags and --add-tag/--remove-tag exclude each other");
}

async function trashedFrom(text: string, context: Context): Promise<string> {
  const { instantFrom } = await import("../shared/when.ts");
  return new Date(instantFrom(text, "--trashed", context)).toJSON();
}

/** Whether what is sent depends on what the card is. */
const needsCard = (options: UpdateOptions): boolean =>
  isOneSide(options) ||
  (["field", "fieldFile", "addTag", "removeTag", "after", "before"] as const).some(
    (name) => options[name] !== undefined,
  );

async function newContent(options: UpdateOptions, context: Context): Promise<CardUpdate> {
  const content = isOneSide(options) ? undefined : await contentFrom(options, context);
  return content === undefined ? {} : { content };
}

/** What depends on the card: one side of its content, fields, position, added and removed tags. */
async function ownBody(
  card: Card,
  options: UpdateOptions,
  common: Common,
  context: Context,
): Promise<CardUpdate> {
  const fields = await mergedFields(card, options, common.template, context);
  const tags = await changedTags(card, options, context);
  const deckId = common.body["deck-id"] ?? card["deck-id"] ?? "";
  const pos = await positionFrom(options, deckId, context);
  return {
    ...(isOneSide(options) ? { content: await withSide(card, options) } : await newContent(options, context)),
    ...(fields === undefined ? {} : { fields }),
    ...(tags === undefined ? {} : { "manual-tags": tags }),
    ...(pos === undefined ? {} : { pos }),
  };
}

/** The card's fields with the given ones changed: whether the service merges is not documented, so all are sent. */
async function mergedFields(
  card: Card,
  options: UpdateOptions,
  given: Template | undefined,
  context: Context,
) {
  if (options.field === undefined && options.fieldFile === undefined) return undefined;
  const templateId = card["template-id"];
  const byId = options.templateId !== undefined || (given === undefined && !templateId);
  const template = byId
    ? undefined
    : (given ?? (await (await context.client()).templates.get(templateId ?? "").send()));
  const changed = await fieldsFrom(options, template, context);
  const merged = Object.create(null) as Record<string, { id: string; value: string }>;
  for (const [key, field] of Object.entries(card.fields ?? {}))
    merged[key] = { id: key, value: field?.value ?? "" };
  for (const [key, field] of Object.entries(changed ?? {})) merged[key] = field;
  return merged;
}

async function changedTags(card: Card, options: UpdateOptions, context: Context) {
  if (options.addTag === undefined && options.removeTag === undefined) return undefined;
  const removed = new Set(tagsFrom(options.removeTag ?? []));
  const manual = await manualTags(card);
  for (const tag of card.tags ?? [])
    if (removed.has(tag) && !manual.includes(tag))
      context.io.warn(`the tag ${JSON.stringify(tag)} is in the content of ${card.id} and stays`);
  const kept = manual.filter((tag) => !removed.has(tag));
  return [...new Set([...kept, ...tagsFrom(options.addTag ?? [])])];
}
