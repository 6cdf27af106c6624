import type { Context } from "../../context/context.ts";
import { deckLabel } from "../../context/names.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare, type OptionsOf, option } from "../shared/command.ts";
import { flagCommands } from "../shared/flags.ts";
import { areSeveral, changeEach, idsFrom } from "../shared/items.ts";
import { counted } from "../shared/removal.ts";
import { deckArgument, findDeck, noteDeck } from "./deck-options.ts";

const declared = () =>
  declare(`Delete decks. What is in them goes to the trash: their cards, and the decks under them with theirs.

The decks themselves cannot be restored; "decks trash" keeps everything together.

  deckhand decks delete Drafts
  deckhand decks delete Geography/Oceania --recursive --yes`)
    .argument("<deck...>", `${deckArgument} (needs --yes)`)
    .option("-r, --recursive", "delete the decks and cards under them permanently, too")
    .addOption(option("--orphan", "leave what is in them: it is not reviewed then").conflicts("recursive"))
    .option("--fail-fast", "stop at the first item that fails");

type DeleteOptions = OptionsOf<typeof declared>;

export const deleteCommand = command(declared, async (decks, options, context) => {
  if (options.recursive) return deleteWholeDecks(decks, options, context);
  await context.io.confirm(await question(decks, options, context), "nothing was deleted");
  const client = await context.client();
  const names = await context.names();
  await changeEach(decks, options, context, listings.deck, async (text) => {
    const { id, label } = await findDeck(text, context);
    const inside = options.orphan ? "" : await trashContents(id, context);
    await client.decks.delete(id);
    names.forgetDeck(id);
    return { id, sentence: `Deleted ${label}${inside === "" ? "" : `; ${inside} in the trash`}` };
  });
});

/** Before the deck is deleted: a run that stops leaves it as it was. @returns how much that is: `3 cards and 1 deck` */
async function trashContents(id: string, context: Context): Promise<string> {
  const { backUpFirst, wholeDecks } = await import("../shared/removal.ts");
  const client = await context.client();
  const names = await context.names();
  const inside = await wholeDecks([id], context, (card) => card["trashed?"] == null);
  await backUpFirst(inside.cards.length, context);
  const trashed = { "trashed?": new Date(context.clock.now()).toJSON() };
  for (const card of inside.cards) await client.cards.update(card, trashed);
  const below = (await names.decks()).filter((deck) => deck.id !== id && inside.decks.includes(deck.id));
  for (const deck of below) {
    // Restored, it is at the root.
    const body = deck.parent === id ? { ...trashed, "parent-id": null } : trashed;
    await noteDeck(deck.id, await client.decks.update(deck.id, body), context);
  }
  return [counted(inside.cards.length, "card"), counted(below.length, "deck")].filter(Boolean).join(" and ");
}

async function deleteWholeDecks(decks: readonly string[], options: DeleteOptions, context: Context) {
  const found: string[] = [];
  for (const text of await idsFrom(decks, context)) found.push((await findDeck(text, context)).id);
  const { deletePermanently, wholeDecks } = await import("../shared/removal.ts");
  const removal = await wholeDecks(found, context);
  const named: string[] = [];
  for (const id of removal.decks) named.unshift(`deck ${await deckLabel(id, context)}`);
  await deletePermanently(removal, named, options, context);
}

/** On a terminal it names the deck that was found: a name may mean another than expected. */
async function question(decks: readonly string[], { orphan }: DeleteOptions, context: Context) {
  const [first = ""] = decks;
  const label = context.io.interactive && !areSeveral(decks) ? (await findDeck(first, context)).label : first;
  const inside = orphan ? "stays without a deck, and is not reviewed" : "goes to the trash";
  const named = areSeveral(decks) ? "these decks" : `the deck ${label}`;
  return `Delete ${named}? What is inside ${inside}; a deck cannot be brought back.`;
}

export const { archiveCommand, unarchiveCommand, trashCommand, restoreCommand } = flagCommands(
  "deck",
  deckArgument,
  ["Geography/Europe", "list"],
  {
    archive: "Archive decks: their cards are neither new nor due.",
    unarchive: "Take decks out of the archive.",
    trash: "Put decks in the trash, and with them their cards and child decks. All of it stays stored.",
    restore: "Take decks out of the trash. Each deck is read back: exit 5 if the service left it there.",
  },
);
