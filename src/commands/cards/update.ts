import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import type { Card, CardUpdate } from "../../schema/card.ts";
import { listings } from "../../schema/resources.ts";
import type { Template } from "../../schema/template.ts";
import { detachFrom } from "../shared/account.ts";
import { attachFiles, checkFiles } from "../shared/attach-files.ts";
import { collectTags, command, defined, type LooseOptionsOf, oneOf } from "../shared/command.ts";
import { areSeveral, type Change, changeEach } from "../shared/items.ts";
import { deckFrom, templateFrom } from "../shared/names.ts";
import { trashDate } from "../shared/time.ts";
import { changeAsItIs, manualTags } from "../tags.ts";
import {
  assertOneInput,
  contentFrom,
  declareCard,
  fieldsFrom,
  isOneSide,
  plainBody,
  positionFrom,
  tagsFrom,
  withSide,
} from "./card-options.ts";

const declared = () =>
  declareCard(`Change cards: only what the options name. --tag replaces the tags of a card, --add-tag adds one.

  deckhand cards update x7Rw2kQp --front "Capital of Norway?" --back Oslo
  deckhand cards update x7Rw2kQp --back Oslo
  deckhand cards list --deck Geography -o id |
    deckhand cards update - --add-tag geography
  deckhand cards update x7Rw2kQp --no-archived --clear-tags`)
    .argument("[card...]", "card ids, or - for one id a line on standard input")
    .option("--no-archived", "take it out of the archive")
    .option("--no-review-reverse", "review it in one direction only")
    .option("--add-tag <tag>", "add a tag to those it has (repeatable, or a,b)", collectTags)
    .option("--remove-tag <tag>", "remove one of its tags (repeatable, or a,b)", collectTags)
    .option("--clear-tags", "remove all manual tags")
    .option("--detach", "cards of followed files: let go of the files")
    .option("--trashed <when>", "put it in the trash as of then (ISO timestamp, today, -1w)")
    .option("--fail-fast", "stop at the first item that fails");

type UpdateOptions = LooseOptionsOf<typeof declared>;

export const updateCommand = command(declared, async (ids, options, context) => {
  if (ids.length === 0) throw new UsageError("no cards were given: name their ids");
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
  await changeEach(ids, options, context, listings.cards, (id) =>
    needsCard(options) ? changeAsItIs(id, client, (card, ifMatch) => change(id, card, ifMatch)) : change(id),
  );

  /** @param before the card as it was read, if it was */
  async function change(id: string, before?: Card, ifMatch?: string): Promise<Change> {
    if (changesFile) await detachFrom(id, options, context);
    const own =
      before === undefined
        ? defined({ content: await contentFrom(options, context) })
        : await ownBody(before, options, common, context);
    const body = { ...common.body, ...own };
    const { attach = [] } = options;
    const isFilesOnly = Object.keys(body).length === 0 && attach.length > 0;
    const document = isFilesOnly ? undefined : await client.cards.update(id, body, ifMatch);
    await attachFiles(id, attach, context);
    return { id, document, sentence: `Updated ${id}` };
  }
});

const texts = ["content", "contentFile", "front", "back", "field", "fieldFile"] as const;

/** Options that say something about one card only. */
const single = [...texts, "pos", "after", "before", "attach"] as const;

/** What the file of a followed card says of it. */
const inFile = [...texts, "deck", "deckId", "template", "templateId", "reviewReverse"] as const;

/** What is the same for every card. Refuses an update that changes nothing. */
async function commonBody(options: UpdateOptions, context: Context) {
  const { tag, clearTags: clear, addTag, removeTag } = options;
  oneOf({ "--tag": tag, "--clear-tags": clear, "--add-tag/--remove-tag": addTag ?? removeTag });
  const plain = plainBody(options);
  const deck = await deckFrom(options, context);
  const template = await templateFrom(options, context);
  const { trashed } = options;
  const body: CardUpdate = {
    ...plain,
    ...defined({
      "deck-id": deck?.id,
      "template-id": template?.id,
      "manual-tags": clear ? [] : plain["manual-tags"],
      "trashed?": trashed === undefined ? undefined : trashDate(trashed, context),
    }),
  };
  const perCard = [...single, "addTag", "removeTag"] as const;
  if (Object.keys(body).length === 0 && perCard.every((name) => options[name] === undefined))
    throw new UsageError("nothing to change", { hint: 'See "deckhand cards update --help".' });
  return { body, template: template?.template };
}

/** Whether what is sent depends on what the card is. */
const needsCard = (options: UpdateOptions): boolean =>
  isOneSide(options) ||
  (["field", "fieldFile", "addTag", "removeTag", "after", "before"] as const).some(
    (name) => options[name] !== undefined,
  );

/** What depends on the card: one side of its content, fields, position, added and removed tags. */
async function ownBody(
  card: Card,
  options: UpdateOptions,
  common: Awaited<ReturnType<typeof commonBody>>,
  context: Context,
): Promise<CardUpdate> {
  const fields = await mergedFields(card, options, common.template, context);
  const tags = await changedTags(card, options, context);
  const deckId = common.body["deck-id"] ?? card["deck-id"] ?? "";
  const pos = await positionFrom(options, deckId, context);
  const content = isOneSide(options) ? await withSide(card, options) : await contentFrom(options, context);
  return defined({ content, fields, "manual-tags": tags, pos });
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
    : (given ?? (await (await context.client()).templates.get(templateId ?? "")));
  const { fieldsOf, valuesOf } = await import("../../cards/document.ts");
  const changed = await fieldsFrom(options, template, context);
  return fieldsOf({ ...valuesOf(card.fields), ...valuesOf(changed) });
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
