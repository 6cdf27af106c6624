import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import { count } from "../../output/words.ts";
import type { Card, CardUpdate, Deck, DeckUpdate } from "../../schema/index.ts";
import { listings } from "../../schema/resources.ts";
import { findDeck, noteDeck } from "../decks/deck-options.ts";
import { command, declare } from "./command.ts";
import { areSeveral, type Change, changeEach, type EachOptions } from "./items.ts";

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

/**
 * The verbs that set a flag.
 *
 * @param argument how the argument is explained
 * @param example the arguments in the examples: one item, and a list of several
 * @param about what each of them does
 */
export function flagCommands(
  noun: "card" | "deck",
  argument: string,
  [item, list]: readonly [item: string, list: string],
  about: Readonly<Record<FlagVerb, string>>,
) {
  const one = (verb: FlagVerb) =>
    command(
      () =>
        declare(`${about[verb]}

  deckhand ${noun}s ${verb} ${item}
  deckhand ${noun}s ${list} -o id | deckhand ${noun}s ${verb} -`)
          .argument(`<${noun}...>`, argument)
          .option("--fail-fast", "stop at the first item that fails"),
      (args, options, context) => setFlag(verb, noun, args, options, context),
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
  noun: "card" | "deck",
  args: readonly string[],
  options: EachOptions,
  context: Context,
): Promise<void> {
  const { cards, decks } = await context.client();
  const several = areSeveral(args);
  const { back, done, body }: Flag = flags[verb];
  const takesBack = (what: string) => (back ? `; deckhand ${noun}s ${back} ${what} back` : "");
  let changed = 0;
  const change = async (text: string): Promise<Change> => {
    const { id, label } = noun === "card" ? { id: text, label: text } : await findDeck(text, context);
    const calls = noun === "card" ? cards : decks;
    const document = await calls.update(id, body(context));
    changed++;
    if (noun === "deck") await noteDeck(id, document, context);
    if (verb === "restore" && !context.options.dryRun) assertRestored(noun, await calls.get(id));
    return several
      ? { id, document }
      : { id, document, sentence: `${done} ${label}${takesBack(`${id} takes it`)}` };
  };
  try {
    await changeEach(args, options, context, noun === "card" ? listings.cards : listings.deck, change);
  } finally {
    if (several && changed > 0) context.io.say(`${done} ${count(changed, noun)}${takesBack("takes them")}`);
  }
}

/** The API document does not promise that `trashed?: null` restores: the item is read back to see. */
function assertRestored(noun: string, { id, "trashed?": trashed }: Card | Deck): void {
  if (trashed == null) return;
  throw new DeckhandError(
    "conflict",
    `${noun} ${JSON.stringify(id)} is still trashed: the service did not restore it`,
    {
      hint: "Restore it in the service's own app.",
    },
  );
}
