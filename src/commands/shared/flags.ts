import type { Call } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { deckLabel, deckPlace } from "../../context/names.ts";
import { trashedIn } from "../../decks/lines.ts";
import { ConflictError, DeckhandError } from "../../errors.ts";
import { count } from "../../output/words.ts";
import type { Card, CardUpdate, Deck, DeckUpdate } from "../../schema/index.ts";
import { listings } from "../../schema/resources.ts";
import { findDeck, noteDeck } from "../decks/deck-options.ts";
import { command, declare } from "./command.ts";
import { areSeveral, type Change, changeEach, type EachOptions } from "./items.ts";

/** What these verbs need to know of cards, or of decks. */
interface Flagged {
  readonly noun: "card" | "deck";
  /** How the argument is explained. */
  readonly argument: string;
  /** The arguments in the examples: one item, and a list of several. */
  readonly example: readonly [item: string, list: string];
}

interface Flag {
  readonly done: string;
  body(context: Context): CardUpdate & DeckUpdate;
  /** The verb that takes it back, where newcomers may not find it. */
  readonly back?: FlagVerb;
}

const flags = {
  archive: { done: "Archived", body: () => ({ "archived?": true }), back: "unarchive" },
  unarchive: { done: "Unarchived", body: () => ({ "archived?": false }) },
  trash: {
    done: "Trashed",
    body: ({ clock }) => ({ "trashed?": new Date(clock.now()).toJSON() }),
    back: "restore",
  },
  restore: { done: "Restored", body: () => ({ "trashed?": null }) },
} satisfies Readonly<Record<string, Flag>>;
type FlagVerb = "archive" | "unarchive" | "trash" | "restore";

/** The verbs that set a flag. @param about what each of them does */
export function flagCommands(items: Flagged, about: Readonly<Record<FlagVerb, string>>) {
  const { noun, argument } = items;
  const [item, list] = items.example;
  const one = (verb: FlagVerb) =>
    command(
      () =>
        declare(`${about[verb]}

Examples:
  deckhand ${noun}s ${verb} ${item}
  deckhand ${noun}s ${list} -o id | deckhand ${noun}s ${verb} -`)
          .argument(`<${noun}...>`, argument)
          .option("--fail-fast", "stop at the first item that fails"),
      (args, options, context) => setFlag(verb, items, args, options, context),
    );
  return {
    archiveCommand: one("archive"),
    unarchiveCommand: one("unarchive"),
    trashCommand: one("trash"),
    restoreCommand: one("restore"),
  };
}

async function setFlag(
  verb: FlagVerb,
  { noun }: Flagged,
  args: readonly string[],
  options: EachOptions,
  context: Context,
): Promise<void> {
  const { cards, decks } = await context.client();
  const { io } = context;
  const several = areSeveral(args);
  const { back, done, body }: Flag = flags[verb];
  const takesBack = (what: string) => (back ? `; deckhand ${noun}s ${back} ${what} back` : "");
  const reported = new Set<string>();
  let changed = 0;
  const change = async (text: string): Promise<Change> => {
    const { id, label } = noun === "card" ? { id: text, label: text } : await findDeck(text, context);
    const calls = noun === "card" ? cards : decks;
    const document = await calls.update(id, body(context)).send();
    changed++;
    if (noun === "deck") await noteDeck(id, document, context);
    const restores = verb === "restore" && !context.options.dryRun;
    const after = restores ? await restored(noun, id, calls.get(id)) : undefined;
    // Newcomers try it as the opposite of archive.
    const archived = after?.["archived?"] ? `; it is archived (deckhand ${noun}s unarchive)` : "";
    const hidden = after === undefined ? "" : await deckInTrash(after, context);
    if (hidden !== "" && reported.size < reported.add(hidden).size) io.warn(hidden);
    if (several) return { id, document };
    return { id, document, sentence: `${done} ${label}${archived}${takesBack(`${id} takes it`)}` };
  };
  try {
    await changeEach(args, options, context, noun === "card" ? listings.cards : listings.deck, (text) =>
      change(text).catch((error) => Promise.reject(verb === "restore" ? withTrash(error, noun) : error)),
    );
  } finally {
    if (several && changed > 0) io.say(`${done} ${count(changed, noun)}${takesBack("takes them")}`);
  }
}

/** A search for a card, which the error would name, leaves the trash out. */
function withTrash(error: unknown, noun: string): unknown {
  if (!(error instanceof DeckhandError) || error.code !== "not-found") return error;
  return error.with({ hint: `\`deckhand trash list\` lists the ${noun}s in the trash with their ids.` });
}

/** Why what was restored is not asked: a deck above it is in the trash or was deleted. Empty if it is; a failed lookup is ignored. */
async function deckInTrash(item: Card | Deck, context: Context): Promise<string> {
  const isCard = "deck-id" in item;
  const above = isCard ? item["deck-id"] : (item as Deck)["parent-id"];
  const line = above == null ? "unknown" : await deckPlace(above, context);
  if (line === "deleted" && isCard)
    return "its deck was deleted: give it another one (deckhand cards move <card> --deck <deck>)";
  const deck = typeof line === "string" ? undefined : trashedIn(line);
  if (deck === undefined) return "";
  return `the deck ${await deckLabel(deck.id, context)} is in the trash (deckhand decks restore ${deck.id})`;
}

/** The API document does not promise that `trashed?: null` restores: the item is read back to see. */
async function restored<T extends Card | Deck>(noun: string, id: string, read: Call<T>): Promise<T> {
  const item = await read.send();
  if (item["trashed?"])
    throw new ConflictError(
      `${noun} ${JSON.stringify(id)} is still trashed: the service did not restore it`,
      {
        hint: "Restore it in the service's own app.",
      },
    );
  return item;
}
