import type { Command } from "commander";
import { UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { command, defined } from "../shared/command.ts";
import { areSeveral, changeEach } from "../shared/items.ts";
import { assertName, deckArgument, deckBody, declareDeck, findDeck, noteDeck } from "./deck-options.ts";

const declared = () =>
  declareDeck(`Change decks: only what the options name.

Examples:
  deckhand decks update Geography/Europe --name "The old world"
  deckhand decks update Geography --retention 0.85 --new-per-day 10
  deckhand decks update Geography --retention inherit
  deckhand decks update Drafts --no-parent --no-archived --cards-view grid
  deckhand decks list -o id | deckhand decks update - --sort-by created-at`)
    .argument("<deck...>", deckArgument)
    .option("--name <name>", "give it another name")
    .option("--no-parent", "put it at the root")
    .option("--no-sort-by-direction", "sort its cards in the usual direction")
    .option("--no-show-sides", "show one side of its cards")
    .option("--no-review-reverse", "review its cards in one direction only")
    .option("--no-archived", "take it out of the archive")
    .option("--fail-fast", "stop at the first item that fails");

const declaredUpdate = () => refuseTwoParents(declared());

export const updateCommand = command(declaredUpdate, async (args, options, context) => {
  const { name } = options;
  if (name !== undefined && areSeveral(args)) throw new UsageError("--name takes exactly one deck");
  if (name !== undefined) assertName(name);
  const body = { ...defined({ name }), ...(await deckBody(options, context)) };
  if (Object.keys(body).length === 0)
    throw new UsageError("nothing to change", { hint: 'See "deckhand decks update --help".' });
  const { decks } = await context.client();
  await changeEach(args, options, context, listings.deck, async (text) => {
    const { id, label } = await findDeck(text, context);
    const document = await decks.update(id, body).send();
    await noteDeck(id, document, context);
    const renamed = name === undefined ? "" : `: its name is ${name} now`;
    return { id, document, sentence: `Updated ${label}${renamed}` };
  });
});

/** Watches for `--parent` and `--no-parent` together: the last of them would win without a word. */
function refuseTwoParents<T>(declaration: T): T {
  const command = declaration as unknown as Command;
  const given = new Set<string>();
  for (const name of ["parent", "no-parent"])
    command.on(`option:${name}`, () => {
      if (given.add(name).size === 2) command.error("error: --parent and --no-parent exclude each other");
    });
  return declaration;
}
