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
  const asked = new Map<string, Contents>();
  if (!dryRun) await context.io.confirm(await question(decks, context, asked), "nothing was deleted");
  const client = await context.client();
  const names = await context.names();
  const left = { cards: noCards, decks: new Set<string>() };
  const changes = eachItem(decks, options, context, async (text) => {
    const { id, label } = await findDeck(text, context);
    const inside = dryRun ? undefined : (asked.get(id) ?? (await contentsOf(id, context)));
    return perform(context, client.decks.delete(id), (): Change => {
      names.forgetDeck(id);
      left.cards = sum(left.cards, inside?.cards);
      for (const each of inside?.decks ?? []) left.decks.add(each);
      left.decks.delete(id);
      return { id, sentence: `Deleted ${label}` };
    });
  });
  try {
    await printChanges(context, listings.deck, changes, areSeveral(decks));
  } finally {
    noteLeft(left, context);
  }
}

/** Names the commands that find what was left without the deck above it. */
function noteLeft(
  left: { readonly cards: CardCount; readonly decks: ReadonlySet<string> },
  { io }: Context,
): void {
  const { cards, decks } = left;
  if (cards.all > 0) {
    const one = cards.all === 1;
    const reviewed = cards.trashed === cards.all ? "" : ` and ${one ? "is" : "are"} no longer reviewed`;
    io.note(
      `${cardsText(cards)} ${one ? "has" : "have"} no deck now${reviewed}; to list: deckhand cards list --state orphaned`,
    );
  }
  if (decks.size > 0)
    io.note(
      `Cards in ${counted(decks.size, "deck")} below are not reviewed until you run: deckhand decks update ${[...decks].join(" ")} --no-parent`,
    );
}

interface CardCount {
  readonly all: number;
  /** Those of them that are in the trash; 0 in a deck of more than `readToCount`. */
  readonly trashed: number;
}

/** Up to so many cards, which are one request, those in the trash are counted. */
const readToCount = 100;

const noCards: CardCount = { all: 0, trashed: 0 };

const sum = (a: CardCount, b = noCards): CardCount => ({
  all: a.all + b.all,
  trashed: a.trashed + b.trashed,
});

/** "3 cards", "3 cards (and 1 in the trash)", "1 card in the trash"; empty for none. */
function cardsText({ all, trashed }: CardCount, where = ""): string {
  if (all === trashed) return all === 0 ? "" : `${counted(all, "card")} in the trash`;
  return `${counted(all - trashed, "card")}${where}${trashed === 0 ? "" : ` (and ${trashed} in the trash)`}`;
}

interface Contents {
  /** The cards directly in the deck, as far as the service says. */
  readonly cards: CardCount;
  /** The ids of the decks directly below it. */
  readonly decks: readonly string[];
}

/** What a deck holds; nothing where that cannot be read: an error is left to the deletion. */
async function contentsOf(id: string, context: Context): Promise<Contents> {
  const client = await context.client();
  const names = await context.names();
  try {
    const cards = (await client.decks.get(id).send())["card-count"] ?? 0;
    const below = (await names.decks()).filter(({ parent }) => parent === id);
    const onePage = cards > 0 && cards <= readToCount;
    return {
      // The count of the service has those in the trash.
      cards: onePage ? await countCards(id, context) : { all: cards, trashed: 0 },
      decks: below.map((deck) => deck.id),
    };
  } catch (error) {
    if (error instanceof DeckhandError) return { cards: noCards, decks: [] };
    throw error;
  }
}

async function countCards(deckId: string, context: Context): Promise<CardCount> {
  const client = await context.client();
  let count = noCards;
  for await (const { docs } of client.cards.pages({ deckId })) {
    const trashed = docs.filter((card) => card["trashed?"] != null).length;
    count = sum(count, { all: docs.length, trashed });
  }
  return count;
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
    cardsText({ all: removal.cards.length, trashed: removal.trashed }),
    counted(removal.decks.filter((id) => !found.has(id)).length, "child deck"),
  ].filter((part) => part !== "");
  const what = below.length === 0 ? named : `${named} with ${below.join(" and ")}`;
  await deletePermanently(removal, options, context, what);
}

/**
 * Names the decks that were found, not the words that were typed: a name may mean another deck than expected.
 *
 * @param asked gets what the decks hold, by their ids, where the question says it
 */
async function question(
  decks: readonly string[],
  context: Context,
  asked: Map<string, Contents>,
): Promise<string> {
  const [first = ""] = decks;
  const typed = decks.includes("-")
    ? "the decks named on standard input"
    : decks.length > 1
      ? `${decks.length} decks`
      : `the deck ${first}`;
  const will = "will have no deck and will not be reviewed";
  const rest =
    "--recursive deletes all of them; `deckhand decks trash` keeps everything together. It cannot be undone.";
  const asks = context.io.interactive && !context.options.yes && !decks.includes("-");
  if (!asks)
    return `Delete ${typed} permanently? Cards directly in ${them(decks)} ${will}; ${below(undefined)}. ${rest}`;
  let cards = noCards;
  const children = new Set<string>();
  let label = typed;
  for (const text of decks) {
    const found = await findDeck(text, context);
    if (decks.length === 1) label = `the deck ${found.label}`;
    const inside = await contentsOf(found.id, context);
    asked.set(found.id, inside);
    cards = sum(cards, inside.cards);
    for (const each of inside.decks) children.add(each);
  }
  const left = [
    ...(cards.all === 0 ? [] : [`${cardsText(cards, ` directly in ${them(decks)}`)} ${will}`]),
    ...(children.size === 0 ? [] : [below(children.size)]),
  ].join("; ");
  return `Delete ${label} permanently?${left === "" ? "" : ` ${left.replace(/^c/, "C")}.`} ${rest}`;
}

/** @param count of the decks below; undefined where they were not counted */
const below = (count: number | undefined) =>
  `${count === undefined ? "cards in decks" : `cards in ${counted(count, "deck")}`} below will not be reviewed until \`deckhand decks update --no-parent\``;

const them = (decks: readonly string[]) => (decks.length === 1 && decks[0] !== "-" ? "it" : "them");
