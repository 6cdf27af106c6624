import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { command, type Declared, described } from "../shared/command.ts";
import { areSeveral, type EachOptions, eachItem } from "../shared/items.ts";
import { addDeckOptions, assertName, type DeckOptions, deckBody, refuseTwoParents } from "./deck-options.ts";
import { deckArgument, findDeck, noteDeck } from "./items.ts";

interface UpdateOptions extends DeckOptions, EachOptions {
  readonly name?: string;
}

export const updateCommand = command(
  () =>
    refuseTwoParents(
      addDeckOptions(
        described(`Change decks: only what the options name.

Examples:
  deckhand decks update Geography/Europe --name "The old world"
  deckhand decks update Geography --retention 0.85 --new-per-day 10
  deckhand decks update Geography --retention inherit
  deckhand decks update Drafts --no-parent --no-archived --cards-view grid
  deckhand decks list -o id | deckhand decks update - --sort-by created-at`),
      ),
    )
      .argument("<deck...>", deckArgument)
      .option("--name <name>", "give it another name")
      .option("--no-parent", "put it at the root")
      .option("--no-sort-by-direction", "sort its cards in the usual direction")
      .option("--no-show-sides", "show one side of its cards")
      .option("--no-review-reverse", "review its cards in one direction only")
      .option("--no-archived", "take it out of the archive")
      .option("--fail-fast", "stop at the first deck that fails") as unknown as Declared<
      [decks: string[]],
      UpdateOptions
    >,
  updateDecks,
);

async function updateDecks(
  decks: readonly string[],
  options: UpdateOptions,
  context: Context,
): Promise<void> {
  if (options.name !== undefined && areSeveral(decks)) throw new UsageError("--name takes exactly one deck");
  if (options.name !== undefined) assertName(options.name);
  const body = {
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(await deckBody(options, context)),
  };
  if (Object.keys(body).length === 0)
    throw new UsageError("nothing to change", { hint: 'See "deckhand decks update --help".' });
  const client = await context.client();
  const changes = eachItem(decks, options, context, async (text) => {
    const { id, label } = await findDeck(text, context);
    return perform(context, client.decks.update(id, body), async (deck): Promise<Change> => {
      await noteDeck(id, deck, context);
      const renamed = options.name === undefined ? "" : `: its name is ${options.name} now`;
      return { id, document: deck, sentence: `Updated ${label}${renamed}` };
    });
  });
  await printChanges(context, listings.deck, changes, areSeveral(decks));
}
