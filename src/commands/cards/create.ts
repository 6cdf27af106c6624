import { splitSides } from "../../cards/sides.ts";
import type { Context, Edited } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { shellWord } from "../../output/words.ts";
import type { CardCreate } from "../../schema/card.ts";
import { listings } from "../../schema/resources.ts";
import { attachFiles, checkFiles } from "../shared/attach-files.ts";
import { command, defined, type LooseOptionsOf } from "../shared/command.ts";
import { type Change, printChanges } from "../shared/items.ts";
import { destinationOrNew, type NamedDeck, templateFrom } from "../shared/names.ts";
import {
  assertOneInput,
  cardFields,
  contentFrom,
  declareCard,
  fieldsFrom,
  plainBody,
  positionFrom,
  refuseBesideFrom,
} from "./card-options.ts";
import { keepingText } from "./edit.ts";
import { editedContent } from "./editable.ts";
import { splitFrontMatter } from "./front-matter.ts";

const declared = () =>
  declareCard(`Create a card. Without content and fields, on a terminal, your editor opens.

"deckhand help cards" describes what a card's content can hold. YAML front matter
in it sets deck, tags, template, fields, archived and review-reverse.

  deckhand cards create --deck Geography --front "Capital of Peru?" --back Lima
  deckhand cards create --deck Geography --template Capital --tag europe \\
    --field Country=Norway --field Capital=Oslo
  deckhand cards create --deck Geography --content-file card.md --attach map.png
  deckhand cards create --deck Geography --from cards.ndjson`)
    .option("--from <file>", "documents from a file, or - for standard input: ndjson or a JSON array")
    .option("--fail-fast", "stop at the first item that fails")
    .option("--create-deck", "create the deck if it does not exist");

type CreateOptions = LooseOptionsOf<typeof declared>;

export const createCommand = command(declared, createCard);

export async function createCard(options: CreateOptions, context: Context): Promise<void> {
  if (options.from !== undefined) return createFrom(options, context);
  if (options.failFast) throw new UsageError("--fail-fast goes with --from only");
  assertOneInput(options);
  await checkFiles(options.attach ?? []);
  const fielded = options.field !== undefined || options.fieldFile !== undefined;
  const given = (await contentFrom(options, context)) ?? (fielded ? "" : undefined);
  // The file may be what was kept of an editor.
  if (given !== undefined)
    return createFromText(given.startsWith(comment) ? contentOf(given) : given, options, context);
  const edited = await written(options, context);
  await keepingText(
    edited,
    context,
    () => createFromText(contentOf(edited.text), options, context),
    hasDeck(options)
      ? undefined
      : `Your text is kept; run the command again with --deck <deck> --content-file ${shellWord(edited.path)}`,
  );
  await edited.discard();
}

/** Creates the card of a text. Options win over its front matter. */
async function createFromText(given: string, options: CreateOptions, context: Context): Promise<void> {
  const sides = options.front !== undefined;
  const { matter, content } = sides ? { matter: {}, content: given } : splitFrontMatter(given);
  const { deck: matterDeck, fields: matterFields, tags: tag, ...settings } = matter;
  const matterOptions = { ...settings, tag, deck: options.deckId === undefined ? matterDeck : undefined };
  const merged: CreateOptions = { ...matterOptions, ...defined(options) };
  const deck = await destinationOrNew(merged, context);
  if (deck === undefined) throw withoutDeck();
  const template = await templateFrom(merged, context);
  const fields =
    (await fieldsFrom(merged, template?.template, context)) ??
    (matterFields && cardFields(matterFields, template?.template));
  if (fields !== undefined && template === undefined)
    throw new UsageError("--field needs --template or --template-id");
  if (content.trim() === "" && fields === undefined) throw new UsageError("the card has no content");
  const pos = await positionFrom(merged, deck.id, context);
  const looked = defined({ "template-id": template?.id, pos, fields });
  const body = { content, "deck-id": deck.id, ...plainBody(merged), ...looked };
  const id = await send(body, deck, merged, context);
  if (template === undefined) await warnOfEmptySide(id, content, context);
}

/** A card is created all the same, as by an import; an empty variable of a shell leads to one. */
async function warnOfEmptySide(id: string, content: string, { io }: Context): Promise<void> {
  const { emptySide } = await import("../../cards/index.ts");
  const empty = emptySide(content);
  if (empty !== undefined) io.warn(`card ${id} has an empty ${empty}`);
  else if (!content.includes("{{") && splitSides(content).length < 2)
    io.warn(`card ${id} has no answer: a line of three dashes is between front and back`);
}

const hasDeck = ({ deck, deckId }: CreateOptions) => deck !== undefined || deckId !== undefined;

const withoutDeck = () =>
  new UsageError("no deck was given", {
    hint: "Name it with --deck or in the front matter; `deckhand decks list` lists them.",
  });

/** @returns the id of the card; a placeholder in a dry run */
async function send(body: CardCreate, deck: NamedDeck, { attach = [] }: CreateOptions, context: Context) {
  const { cards } = await context.client();
  const card = await cards.create(body);
  const { id } = card;
  const tagged = card.tags?.length ? `, tagged ${card.tags.join(", ")}` : "";
  /** The card is reported before its files are sent: it exists even if they cannot be stored. */
  async function* created(): AsyncGenerator<Change> {
    yield { id, document: card, sentence: `Created ${id} in ${deck.label}${tagged}` };
    try {
      await attachFiles(id, attach, context);
    } catch (error) {
      throw error instanceof DeckhandError ? withHint(error, id) : error;
    }
  }
  await printChanges(context, listings.cards, created(), false);
  return id;
}

/** Repeating the command would create a second card. */
function withHint(error: DeckhandError, id: string): DeckhandError {
  const hint = `The card ${id} was created; add its files with: deckhand attach add ${id} <file>`;
  return error.with({ hint });
}

async function createFrom(options: CreateOptions, context: Context): Promise<void> {
  const beside = ["deck", "deckId", "createDeck"];
  const what =
    "whole cards: of the other options only --deck, --deck-id, --create-deck and --fail-fast go with it";
  refuseBesideFrom(options, beside, what);
  const deck = await destinationOrNew(options, context);
  const { runBulk } = await import("../shared/bulk.ts");
  await runBulk({ ...options, deckId: deck?.id }, context);
}

/** What the user writes in the editor. Options are checked first, so that no text is written in vain. */
async function written(options: CreateOptions, context: Context): Promise<Edited> {
  if (!context.io.interactive)
    throw new UsageError("no content was given", {
      hint: "Give --front and --back, --content, --content-file or --field.",
    });
  plainBody(options);
  // Without one the front matter may name it.
  const deck = options.createDeck || !hasDeck(options) ? undefined : await destinationOrNew(options, context);
  if (deck !== undefined) await positionFrom(options, deck.id, context);
  const edited = await context.io.edit(comment, "new-card.md");
  if (withoutComment(edited.text).trim() !== "") return edited;
  await edited.discard();
  throw new UsageError("the card was left empty; nothing was created");
}

const comment = `<!--
Write the front, a line with three dashes, then the back:

Capital of Norway?
---
Oslo

"deckhand help cards" describes the rest. This comment is removed.
-->
`;

const contentOf = (text: string): string => editedContent("", withoutComment(text));

/** The text without the comment that the editor was opened on, and the blank lines around it. */
const withoutComment = (text: string): string => text.replace(comment, "").replace(/^\s*\n/, "");
