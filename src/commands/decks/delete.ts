import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { listings } from "../../schema/resources.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { areSeveral, type EachOptions, eachItem } from "../shared/items.ts";
import { deckArgument, findDeck } from "./items.ts";

export function deleteCommand(start: StartContext): Command {
  return new Command("delete")
    .description(
      "Remove decks for good. Their cards and child decks stay, without the deck. It can't be undone: trash keeps all.",
    )
    .argument("<deck...>", `${deckArgument} (needs --yes)`)
    .option("--fail-fast", "stop at the first deck that fails")
    .addHelpText(
      "after",
      `
Examples:
  deckhand decks delete Drafts
  deckhand decks delete Geography/Oceania --yes`,
    )
    .action((decks: string[], options: EachOptions, command: Command) =>
      deleteDecks(decks, options, start(command)),
    );
}

export async function deleteDecks(
  decks: readonly string[],
  options: EachOptions,
  context: Context,
): Promise<void> {
  if (!context.options.dryRun)
    await context.io.confirm(await question(decks, context), "nothing was deleted");
  const client = await context.client();
  const names = await context.names();
  const changes = eachItem(decks, options, context, async (text) => {
    const { id, label } = await findDeck(text, context, { writing: true });
    return perform(context, client.decks.delete(id), (): Change => {
      names.forgetDeck(id);
      return { id, sentence: `Deleted ${label}` };
    });
  });
  await printChanges(context, listings.deck, changes, areSeveral(decks));
}

/** Asks with the deck that was found, not with the word that was typed: a name may fit another deck than was meant. */
async function question(decks: readonly string[], context: Context): Promise<string> {
  const rest = "cards and child decks stay, pointing to a deck that is no more, and it can't be undone.";
  if (decks.includes("-")) return `Remove the decks named on standard input for good? Their ${rest}`;
  if (decks.length > 1) return `Remove ${decks.length} decks for good? Their ${rest}`;
  const [text = ""] = decks;
  const label =
    context.io.interactive && !context.options.yes
      ? (await findDeck(text, context, { writing: true })).label
      : text;
  return `Remove the deck ${label} for good? Its ${rest}`;
}
