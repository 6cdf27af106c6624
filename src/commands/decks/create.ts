import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { shellWord } from "../../output/words.ts";
import type { DeckCreate } from "../../schema/deck.ts";
import { listings } from "../../schema/resources.ts";
import { addBulkOptions, type BulkOptions, refuseLoneBulkOptions, runBulk } from "../shared/bulk.ts";
import { type Change, perform, printChange } from "../shared/changes.ts";
import { command, type Declared, described } from "../shared/command.ts";
import { namesDeck } from "../shared/names.ts";
import { addDeckOptions, assertName, type DeckOptions, deckBody, deckOptionNames } from "./deck-options.ts";
import { noteDeck } from "./items.ts";

type CreateOptions = DeckOptions & BulkOptions;

export const createCommand = command(
  () =>
    addBulkOptions(
      addDeckOptions(
        described(`Create a deck.

Examples:
  deckhand decks create Languages
  deckhand decks create Spanish --parent Languages --sort 3 --sort-by created-at
  deck=$(deckhand decks create Drafts --archived)
  deckhand decks create --from decks.ndjson`),
      ),
    ).argument(
      "[name]",
      "its name; a slash is part of it, and --parent puts it below another deck",
    ) as unknown as Declared<[name: string | undefined], CreateOptions>,
  createDeck,
);

async function createDeck(name: string | undefined, options: CreateOptions, context: Context): Promise<void> {
  if (options.from !== undefined) {
    if (name !== undefined || deckOptionNames.some((each) => options[each] !== undefined))
      throw new UsageError("--from gives whole decks: it excludes the name and the other options");
    return runBulk("decks create", options, context);
  }
  refuseLoneBulkOptions(options);
  if (name === undefined) throw new UsageError("the deck has no name: give one, or use --from");
  assertName(name);
  const body = { ...(await deckBody(options, context)), name };
  const client = await context.client();
  const created = await perform(context, client.decks.create(body), async (deck): Promise<Change> => {
    await noteDeck(deck.id, deck, context);
    const place = options.parent ? ` in ${options.parent}` : "";
    return { id: deck.id, document: deck, sentence: `Created deck ${name} (${deck.id})${place}` };
  });
  await printChange(context, listings.deck, created);
  if (name.includes("/") && created !== undefined) await explainSlash(created.id, name, context);
  if (created !== undefined) await warnOfSameName(created.id, body, context);
}

/** A name that would be the path of a deck below one that exists is most likely meant as that. */
async function explainSlash(id: string, name: string, context: Context): Promise<void> {
  const at = name.lastIndexOf("/");
  const [parent, own] = [name.slice(0, at), name.slice(at + 1)];
  if (parent.trim() !== "" && own.trim() !== "" && (await namesDeck(parent, context)))
    return context.io.warn(
      `the slash is part of the name of this deck; to make it the deck ${own} below ${parent}: deckhand decks update ${id} --name ${shellWord(own)} --parent ${shellWord(parent)}`,
    );
  context.io.say(
    `The slash is part of its name, written \\/ in paths; --parent puts a deck below another, and --create-deck of \`add\` creates all of a path`,
  );
}

/**
 * Warns of another deck with the same name and parent: from now on neither can be named without its id. Only in
 * the local collection: an account on the network should not pay for reading the decks. A failure to do so is ignored.
 */
async function warnOfSameName(id: string, body: DeckCreate, context: Context): Promise<void> {
  if (context.account().kind !== "local") return;
  try {
    const decks = await (await context.client()).decks.all();
    const same = decks.find(
      (deck) =>
        deck.id !== id &&
        deck.name === body.name &&
        (deck["parent-id"] ?? null) === (body["parent-id"] ?? null) &&
        deck["trashed?"] == null,
    );
    if (same !== undefined)
      context.io.warn(`deck ${same.id} has the same name; from now on both need their ids`);
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
  }
}
