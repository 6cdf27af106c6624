import type { Call, Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { trashedIn } from "../../decks/lines.ts";
import { ConflictError, DeckhandError } from "../../errors.ts";
import { count } from "../../output/words.ts";
import type { Listing } from "../../schema/resources.ts";
import { command, declare } from "./command.ts";
import { areSeveral, type Change, changeEach, type EachOptions } from "./items.ts";

/** The flags that cards and decks share. */
interface FlagBody {
  readonly "archived?"?: boolean;
  readonly "trashed?"?: string | null;
}

interface FlagFields {
  readonly "archived?"?: boolean | null | undefined;
  readonly "trashed?"?: string | null | undefined;
  /** Of a card. */
  readonly "deck-id"?: string | null | undefined;
  /** Of a deck. */
  readonly "parent-id"?: string | null | undefined;
}

/** What these verbs need to know of cards, or of decks. */
export interface Flagged {
  readonly noun: "card" | "deck";
  /** How the argument is explained. */
  readonly argument: string;
  readonly listing: Listing;
  /** The arguments in the examples: one item, and a list of several. */
  readonly example: readonly [item: string, list: string];
  /** The item that an argument means. */
  find(text: string, context: Context): Promise<{ readonly id: string; readonly label: string }>;
  update(client: Client, id: string, body: FlagBody): Call<unknown>;
  get(client: Client, id: string): Call<FlagFields>;
  /** Keeps in mind what the service answered, undefined if that was nothing. */
  note?(id: string, document: unknown, context: Context): Promise<void>;
}

interface Flag {
  readonly done: string;
  body(context: Context): FlagBody;
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
  items: Flagged,
  args: readonly string[],
  options: EachOptions,
  context: Context,
): Promise<void> {
  const client = await context.client();
  const { io } = context;
  const several = areSeveral(args);
  const { back, done, body }: Flag = flags[verb];
  const takesBack = (what: string) => (back ? `; deckhand ${items.noun}s ${back} ${what} back` : "");
  const reported = new Set<string>();
  let changed = 0;
  const change = async (text: string): Promise<Change> => {
    const { id, label } = await items.find(text, context);
    const document = await items.update(client, id, body(context)).send();
    changed++;
    await items.note?.(id, document, context);
    const restores = verb === "restore" && !context.options.dryRun;
    const after = restores ? await restored(items, client, id) : undefined;
    // Newcomers try it as the opposite of archive.
    const archived = after?.["archived?"] ? `; it is archived (deckhand ${items.noun}s unarchive)` : "";
    const hidden = after === undefined ? "" : await deckInTrash(after, context);
    if (hidden !== "" && reported.size < reported.add(hidden).size) io.warn(hidden);
    if (several) return { id, document };
    return { id, document, sentence: `${done} ${label}${archived}${takesBack(`${id} takes it`)}` };
  };
  try {
    await changeEach(args, options, context, items.listing, (text) =>
      change(text).catch((error) => Promise.reject(verb === "restore" ? withTrash(error, items) : error)),
    );
  } finally {
    if (several && changed > 0) io.say(`${done} ${count(changed, items.noun)}${takesBack("takes them")}`);
  }
}

/** A search for a card, which the error would name, leaves the trash out. */
function withTrash(error: unknown, { noun }: Flagged): unknown {
  if (!(error instanceof DeckhandError) || error.code !== "not-found") return error;
  return error.with({ hint: `\`deckhand trash list\` lists the ${noun}s in the trash with their ids.` });
}

/** Why what was restored is not asked: a deck above it is in the trash or was deleted. Empty if it is; a failed lookup is ignored. */
async function deckInTrash(item: FlagFields, context: Context): Promise<string> {
  const above = item["deck-id"] ?? item["parent-id"];
  if (above == null) return "";
  try {
    const names = await context.names();
    const line = await names.line(above);
    if (line.length === 0 && item["deck-id"] === above)
      return "its deck was deleted: give it another one (deckhand cards move <card> --deck <deck>)";
    const deck = trashedIn(line);
    if (deck === undefined) return "";
    return `the deck ${(await names.path(deck.id)) ?? deck.name} is in the trash (deckhand decks restore ${deck.id})`;
  } catch (error) {
    if (error instanceof DeckhandError) return "";
    throw error;
  }
}

/** The API document does not promise that `trashed?: null` restores: the item is read back to see. */
async function restored(items: Flagged, client: Client, id: string): Promise<FlagFields> {
  const item = await items.get(client, id).send();
  if (item["trashed?"])
    throw new ConflictError(
      `${items.noun} ${JSON.stringify(id)} is still trashed: the service did not restore it`,
      { hint: "Restore it in the service's own app." },
    );
  return item;
}
