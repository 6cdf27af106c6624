import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { command, declare, type OptionsOf } from "../shared/command.ts";
import { areSeveral, eachItem } from "../shared/items.ts";
import { counted } from "../shared/removal.ts";
import { deckArgument, findDeck } from "./items.ts";

const declared = () =>
  declare(`Delete decks permanently. Their cards stay without a deck and are no longer reviewed, nor are those in decks below; --recursive deletes all of them. \`decks trash\` keeps everything together.

A deck below is reviewed again after \`deckhand decks update <deck> --no-parent\`.
Moving all orphaned cards, as in the last example, takes them out of such decks.

Examples:
  deckhand decks delete Drafts
  deckhand decks delete Geography/Oceania --recursive --yes
  deckhand cards list --state orphaned -o id |
    deckhand cards move - --deck Drafts`)
    .argument("<deck...>", `${deckArgument} (needs --yes)`)
    .option("-r, --recursive", "delete the decks and cards under them too")
    .option("--fail-fast", "stop at the first deck that fails");

type DeleteOptions = OptionsOf<typeof declared>;

export const deleteCommand = command(declared, deleteDecks);

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
  let cards = 0;
  const below = new Set<string>();
  const changes = eachItem(decks, options, context, async (text) => {
    const { id, label } = await findDeck(text, context);
    const inside = dryRun ? undefined : await contentsOf(id, context);
    return perform(context, client.decks.delete(id), (): Change => {
      names.forgetDeck(id);
      cards += inside?.cards ?? 0;
      for (const each of inside?.decks ?? []) below.add(each);
      below.delete(id);
      return { id, sentence: `Deleted ${label}` };
    });
  });
  try {
    await printChanges(context, listings.deck, changes, areSeveral(decks));
  } finally {
    noteLeft(cards, [...below], context);
  }
}

/** Names the commands that find what was left without the deck above it. */
function noteLeft(cards: number, decks: readonly string[], { io }: Context): void {
  const are = cards === 1 ? ["has", "is"] : ["have", "are"];
  if (cards > 0)
    io.note(
      `${counted(cards, "card")} ${are[0]} no deck now and ${are[1]} no longer reviewed; to list: deckhand cards list --state orphaned`,
    );
  if (decks.length > 0)
    io.note(
      `Cards in ${counted(decks.length, "deck")} below are not reviewed until you run: deckhand decks update ${decks.join(" ")} --no-parent`,
    );
}

/** How many cards a deck has, and the decks directly below; an error is left to the deletion. */
async function contentsOf(id: string, context: Context) {
  const client = await context.client();
  const names = await context.names();
  try {
    const cards = (await client.decks.get(id).send())["card-count"] ?? 0;
    const below = (await names.decks()).filter(({ parent }) => parent === id);
    return { cards, decks: below.map((deck) => deck.id) };
  } catch (error) {
    if (error instanceof DeckhandError) return undefined;
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
    const { id, label } = await findDeck(text, context);
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

/** On a terminal it names the deck that was found: a name may mean another than expected. */
async function question(decks: readonly string[], context: Context): Promise<string> {
  const [first = ""] = decks;
  const several = decks.length > 1 || first === "-";
  const label = several || !context.io.interactive ? first : (await findDeck(first, context)).label;
  const named = decks.includes("-")
    ? "the decks named on standard input"
    : several
      ? `${decks.length} decks`
      : `the deck ${label}`;
  return `Delete ${named} permanently? Cards directly in ${several ? "them" : "it"} will have no deck and will not be reviewed; cards in decks below will not be reviewed until \`deckhand decks update --no-parent\`. --recursive deletes all of them; \`deckhand decks trash\` keeps everything together. It cannot be undone.`;
}
