import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { areSeveral, type EachOptions, eachItem } from "../shared/items.ts";
import { deckArgument, findDeck } from "./items.ts";

export function deleteCommand(start: StartContext): Command {
  return new Command("delete")
    .description(
      "Delete decks permanently. Their cards and child decks stay without a deck, unless --recursive is given. Trash keeps all of it.",
    )
    .argument("<deck...>", `${deckArgument} (needs --yes)`)
    .option("-r, --recursive", "delete the decks and cards under them too")
    .option("--fail-fast", "stop at the first deck that fails")
    .addHelpText(
      "after",
      `
Examples:
  deckhand decks delete Drafts
  deckhand decks delete Geography/Oceania --recursive --yes`,
    )
    .action((decks: string[], options: DeleteOptions, command: Command) =>
      deleteDecks(decks, options, start(command)),
    );
}

interface DeleteOptions extends EachOptions {
  readonly recursive?: boolean;
}

async function deleteDecks(
  decks: readonly string[],
  options: DeleteOptions,
  context: Context,
): Promise<void> {
  if (options.recursive) return deleteWholeDecks(decks, options, context);
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

async function deleteWholeDecks(
  decks: readonly string[],
  options: DeleteOptions,
  context: Context,
): Promise<void> {
  if (decks.includes("-")) throw new UsageError("--recursive does not read decks from standard input");
  const found = new Map<string, string>();
  for (const text of decks) {
    const { id, label } = await findDeck(text, context, { writing: true });
    found.set(id, label);
  }
  const { counted, deletePermanently, wholeDecks } = await import("../shared/removal.ts");
  const removal = await wholeDecks([...found.keys()], context);
  const labels = [...found.values()];
  const named = `the ${labels.length === 1 ? "deck" : "decks"} ${labels.slice(0, 3).join(", ")}${labels.length > 3 ? ` and ${labels.length - 3} more` : ""}`;
  const below = [
    counted(removal.cards.length, "card"),
    counted(removal.decks.filter((id) => !found.has(id)).length, "child deck"),
  ].filter((part) => part !== "");
  const what = below.length === 0 ? named : `${named} with ${below.join(" and ")}`;
  await deletePermanently(removal, options, context, what);
}

/** Names the deck that was found, not the word that was typed: the name may mean another deck than expected. */
async function question(decks: readonly string[], context: Context): Promise<string> {
  const rest =
    "cards and child decks stay without a deck (--recursive deletes them too). It cannot be undone.";
  if (decks.includes("-")) return `Delete the decks named on standard input permanently? Their ${rest}`;
  if (decks.length > 1) return `Delete ${decks.length} decks permanently? Their ${rest}`;
  const [text = ""] = decks;
  const label =
    context.io.interactive && !context.options.yes
      ? (await findDeck(text, context, { writing: true })).label
      : text;
  return `Delete the deck ${label} permanently? Its ${rest}`;
}
