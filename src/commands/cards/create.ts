import { Command } from "commander";
import type { Context, Edited, StartContext } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import type { Card, CardCreate } from "../../schema/card.ts";
import { listings } from "../../schema/resources.ts";
import { attachFiles, checkFiles } from "../shared/attach-files.ts";
import { addBulkOptions, type BulkOptions, refuseLoneBulkOptions, runBulk } from "../shared/bulk.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { destinationFrom, type NamedDeck, noteCard, templateFrom } from "../shared/names.ts";
import {
  addCardOptions,
  assertOneInput,
  type CardOptions,
  contentFrom,
  fieldsFrom,
  plainBody,
} from "./card-options.ts";
import { keepingText } from "./edit.ts";
import { editedContent } from "./editable.ts";
import { positionFrom } from "./position.ts";

export interface CreateOptions extends CardOptions, BulkOptions {}

export function createCommand(start: StartContext): Command {
  return addBulkOptions(addCardOptions(new Command("create")))
    .description("Create a card. Without content and fields, on a terminal, your editor opens.")
    .addHelpText(
      "after",
      `
Examples:
  deckhand cards create --deck Geography --front "Capital of Norway?" --back Oslo
  deckhand cards create --deck Geography --template Capital --field Country=Norway --field Capital=Oslo --tag europe
  deckhand cards create --deck Geography --content-file card.md --attach map.png
  deckhand cards create --deck Geography --from cards.ndjson --journal cards.journal`,
    )
    .action((options: CreateOptions, command: Command) => createCard(options, start(command)));
}

export async function createCard(options: CreateOptions, context: Context): Promise<void> {
  if (options.from !== undefined) return createFrom(options, context);
  refuseLoneBulkOptions(options);
  const deck = await destinationFrom(options, context);
  if (deck === undefined)
    throw new UsageError("which deck? Name it with --deck", { hint: 'See "deckhand decks list".' });
  assertOneInput(options);
  await checkFiles(options.attach ?? []);
  const template = await templateFrom(options, context, { writing: true });
  const fields = await fieldsFrom(options, template?.template, context);
  if (fields !== undefined && template === undefined)
    throw new UsageError("--field needs --template or --template-id");
  const content = (await contentFrom(options, context)) ?? (fields === undefined ? undefined : "");
  if (content?.trim() === "" && fields === undefined) throw new UsageError("the card has no content");
  const plain = plainBody(options);
  const pos = await positionFrom(options, deck.id, context);
  const body = {
    "deck-id": deck.id,
    ...(template === undefined ? {} : { "template-id": template.id }),
    ...plain,
    ...(pos === undefined ? {} : { pos }),
    ...(fields === undefined ? {} : { fields }),
  };
  if (content !== undefined) return send({ content, ...body }, deck, options, context);
  const edited = await written(context);
  await keepingText(edited, context, () =>
    send({ content: editedContent("", edited.text), ...body }, deck, options, context),
  );
  await edited.discard();
}

async function send(
  body: CardCreate,
  deck: NamedDeck,
  options: CreateOptions,
  context: Context,
): Promise<void> {
  await printChanges(context, listings.cards, created(body, deck, options.attach ?? [], context), false);
}

/** The card, told before its files are sent: it is there even if they cannot be stored. */
async function* created(
  body: CardCreate,
  deck: NamedDeck,
  files: readonly string[],
  context: Context,
): AsyncGenerator<Change> {
  const client = await context.client();
  const card = await perform(context, client.cards.create(body), (made: Card) => made);
  // A dry run shows the requests that would follow, of a card whose id only its service would have made.
  if (card === undefined) return attachFiles("CARD-ID", files, context);
  await noteCard(card, context);
  yield { id: card.id, document: card, sentence: `Created ${card.id} in ${deck.label}` };
  try {
    await attachFiles(card.id, files, context);
  } catch (error) {
    throw error instanceof DeckhandError ? withHint(error, card.id) : error;
  }
}

/** Run again, the command would make a second card. */
function withHint(error: DeckhandError, id: string): DeckhandError {
  const hint = `The card ${id} was created; store what is missing with: deckhand attach add ${id} <file>`;
  return new DeckhandError(error.code, error.message, { ...error, hint, cause: error.cause });
}

/** What a whole document says already. */
const parts = [
  "content",
  "contentFile",
  "front",
  "back",
  "template",
  "templateId",
  "field",
  "fieldFile",
  "tag",
  "pos",
  "after",
  "before",
  "archived",
  "reviewReverse",
  "attach",
] as const satisfies readonly (keyof CardOptions)[];

async function createFrom(options: CreateOptions, context: Context): Promise<void> {
  if (parts.some((part) => options[part] !== undefined))
    throw new UsageError(
      "--from gives whole cards: beside it only --deck, --deck-id, --journal and --fail-fast make sense",
    );
  const deck = await destinationFrom(options, context);
  await runBulk("cards create", { ...options, deckId: deck?.id }, context);
}

/** What the user writes in the editor. */
async function written(context: Context): Promise<Edited> {
  if (!context.io.interactive)
    throw new UsageError("what is the card to say? Give --content, --content-file, --front or --field");
  const edited = await context.io.edit("", "new-card.md");
  if (edited.text.trim() !== "") return edited;
  await edited.discard();
  throw new UsageError("the card was left empty: nothing was created");
}
