import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { areSeveral, type EachOptions, eachItem } from "../shared/items.ts";
import { counted } from "../shared/removal.ts";
import { deckArgument, findDeck } from "./items.ts";

export function deleteCommand(start: StartContext): Command {
  return new Command("delete")
    .description(
      "Delete decks permanently. Their cards have no deck afterwards and are not asked any more, and child decks move to the root, unless --recursive deletes them too. `decks trash` keeps all together.",
    )
    .argument("<deck...>", `${deckArgument} (needs --yes)`)
    .option("-r, --recursive", "delete the decks and cards under them too")
    .option("--fail-fast", "stop at the first deck that fails")
    .addHelpText(
      "after",
      `
Examples:
  deckhand decks delete Drafts
  deckhand decks delete Geography/Oceania --recursive --yes
  deckhand cards list --state orphaned -o id |
    deckhand cards move - --deck Drafts`,
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
  const { dryRun } = context.options;
  if (!dryRun) await context.io.confirm(await question(decks, context), "nothing was deleted");
  const client = await context.client();
  const names = await context.names();
  let orphans = 0;
  const changes = eachItem(decks, options, context, async (text) => {
    const { id, label } = await findDeck(text, context, { writing: true });
    const cards = dryRun ? 0 : await cardCount(id, context);
    return perform(context, client.decks.delete(id), (): Change => {
      names.forgetDeck(id);
      orphans += cards;
      return { id, sentence: `Deleted ${label}` };
    });
  });
  try {
    await printChanges(context, listings.deck, changes, areSeveral(decks));
  } finally {
    if (orphans > 0)
      context.io.note(
        `${counted(orphans, "card")} ${orphans === 1 ? "has no deck now and is" : "have no deck now and are"} not asked: deckhand cards list --state orphaned`,
      );
  }
}

/** The cards directly in a deck; 0 where the service does not say. Another error is left to the deletion. */
async function cardCount(id: string, context: Context): Promise<number> {
  const client = await context.client();
  try {
    return (await client.decks.get(id).send())["card-count"] ?? 0;
  } catch (error) {
    if (error instanceof DeckhandError) return 0;
    throw error;
  }
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
  const { deletePermanently, wholeDecks } = await import("../shared/removal.ts");
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

/** Names the decks that were found, not the words that were typed: a name may mean another deck than expected. */
async function question(decks: readonly string[], context: Context): Promise<string> {
  const [first = ""] = decks;
  const typed = decks.includes("-")
    ? "the decks named on standard input"
    : decks.length > 1
      ? `${decks.length} decks`
      : `the deck ${first}`;
  const will = "will have no deck and will not be asked";
  const rest =
    "Child decks move to the root. --recursive deletes all of it; `deckhand decks trash` keeps all together. It cannot be undone.";
  const asks = context.io.interactive && !context.options.yes && !decks.includes("-");
  if (!asks) return `Delete ${typed} permanently? Cards directly in ${them(decks)} ${will}. ${rest}`;
  let cards = 0;
  let label = typed;
  for (const text of decks) {
    const found = await findDeck(text, context, { writing: true });
    if (decks.length === 1) label = `the deck ${found.label}`;
    cards += await cardCount(found.id, context);
  }
  const directly = cards === 0 ? "" : ` ${counted(cards, "card")} directly in ${them(decks)} ${will}.`;
  return `Delete ${label} permanently?${directly} ${rest}`;
}

const them = (decks: readonly string[]) => (decks.length === 1 && decks[0] !== "-" ? "it" : "them");
