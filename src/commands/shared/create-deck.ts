import { join } from "node:path";
import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import type { Held } from "../../files/lock.ts";
import type { Deck } from "../../schema/index.ts";
import { perform } from "./changes.ts";
import { deckFrom, type NamedDeck, warnIfKeptBack } from "./names.ts";

/** A deck that is there, or the names of those to create below one that is. */
export type Destination =
  | { readonly id: string; readonly label: string; readonly missing?: undefined }
  | { readonly id?: undefined; readonly label: string; readonly missing: MissingDecks };

interface MissingDecks {
  /** The id of the deck above the first of them; undefined for the root. */
  readonly parent: string | undefined;
  /** Each below the one before it; at least one. */
  readonly names: readonly string[];
}

interface DeckOptions {
  readonly deck?: string;
  readonly deckId?: string;
  readonly createDeck?: boolean;
}

/**
 * The deck that the options name; with `createDeck` it need not be there. Creates nothing.
 *
 * @param again whether to list the decks again, even if this process has
 */
export async function deckOrMissing(
  options: DeckOptions,
  context: Context,
  again = false,
): Promise<Destination | undefined> {
  try {
    return await deckFrom(options, context, { again });
  } catch (error) {
    const missing =
      error instanceof DeckhandError && error.code === "not-found" && options.deck !== undefined;
    if (!missing) throw error;
    if (!options.createDeck)
      throw error.with({
        // Where there are no decks at all its hint names another way to create one.
        hint: [error.hint?.startsWith("There are no") ? "" : error.hint, "--create-deck creates it."]
          .filter(Boolean)
          .join(" "),
      });
    return missingDecks(options.deck ?? "", context);
  }
}

/**
 * Creates the deck of a path that was missing, and those above it. Where another process of this machine has created it
 * meanwhile, that one is used: a lock of the account is held from a second look until all are created. A dry run prints
 * the requests, with a placeholder for ids.
 *
 * @param created called for each deck as soon as it is there
 */
export async function createMissing(
  { label, missing }: Destination & { readonly missing: MissingDecks },
  context: Context,
  created: (deck: Deck) => void = () => {},
): Promise<NamedDeck> {
  if (context.options.dryRun) return { id: await createDecks(missing, context, created), label };
  return whileOthersCreateNone(context, async () => {
    const found = await deckOrMissing({ deck: label, createDeck: true }, context, true);
    if (found?.id !== undefined) return found;
    return { id: await createDecks(found?.missing ?? missing, context, created), label };
  });
}

/** Holds the lock of the account under which decks are looked up by their names and created. */
export const whileOthersCreateNone = <T>(context: Context, work: () => Promise<T>): Promise<T> =>
  whileLocked({ name: "create-deck", doing: "creating a deck" }, context, work);

/** Holds a lock of the account. @param doing what another process that holds it does */
export async function whileLocked<T>(
  lock: { readonly name: string; readonly doing: string },
  context: Context,
  work: () => Promise<T>,
): Promise<T> {
  const held = await takeAccountLock(lock, context);
  try {
    return await work();
  } finally {
    held?.release();
  }
}

/** Undefined where the state folder cannot hold a lock: requests are sent without their lock there, too. */
async function takeAccountLock(
  { name, doing }: { readonly name: string; readonly doing: string },
  context: Context,
): Promise<Held | undefined> {
  const [{ LockUnusable, takeLock }, { accountName }] = await Promise.all([
    import("../../files/lock.ts"),
    import("./record.ts"),
  ]);
  const status = await context.io.status();
  let end = () => {};
  const onWait = (holder: string) => {
    end = status.begin({ label: `Waiting: ${holder} is ${doing}` }).end;
  };
  try {
    const path = join(context.folders.state, `${name}-${accountName(context)}`);
    return await takeLock(path, { signal: context.signal, onWait });
  } catch (error) {
    if (error instanceof LockUnusable) return undefined;
    throw error;
  } finally {
    end();
  }
}

/** Creates decks, each below the one before. @returns the id of the last */
export async function createDecks(
  { parent, names }: MissingDecks,
  context: Context,
  created: (deck: Deck) => void = () => {},
): Promise<string> {
  const client = await context.client();
  const index = await context.names();
  let above = parent;
  for (const name of names) {
    const body = { name, ...(above === undefined ? {} : { "parent-id": above }) };
    const id: string | undefined = await perform(context, client.decks.create(body), (deck) => {
      created(deck);
      index.noteDeck(deck);
      return deck.id;
    });
    above = id ?? "DECK-ID";
  }
  return above ?? "";
}

/** The deck that new cards go into; with --create-deck it is created if it does not exist. */
export async function destinationOrNew(
  options: DeckOptions,
  context: Context,
): Promise<NamedDeck | undefined> {
  const found = await deckOrMissing(options, context);
  if (found === undefined) return undefined;
  if (found.missing === undefined) {
    if (options.deck !== undefined) await warnIfKeptBack(found, context);
    return found;
  }
  let isNew = false;
  const deck = await createMissing(found, context, () => {
    isNew = true;
  });
  if (isNew) context.io.say(`Created deck ${deck.label}`);
  return deck;
}

/** The names in the path of a deck to create: a leading slash is the root, `\/` a slash in a name. */
export const namesIn = (path: string) => path.replace(/^\//, "").split(/(?<!\\)\//);

/** Whether a deck can be created at a path: no name in it is blank. */
export const canCreate = (path: string): boolean => namesIn(path).every((name) => name.trim() !== "");

/** @throws UsageError for a path with a blank name, before the decks above that are created */
export function assertCanCreate(path: string): void {
  if (!canCreate(path))
    throw new UsageError(`cannot create the deck "${path}": a name in the path is blank`, {
      hint: "Names are separated by one slash; \\/ is a slash within a name.",
    });
}

async function missingDecks(path: string, context: Context): Promise<Destination> {
  assertCanCreate(path);
  const parts = namesIn(path);
  const index = await context.names();
  for (let length = parts.length - 1; length > 0; length--)
    try {
      const { id } = await index.deck(parts.slice(0, length).join("/"));
      return { label: path, missing: { parent: id, names: parts.slice(length).map(plain) } };
    } catch (error) {
      if (!(error instanceof DeckhandError && error.code === "not-found")) throw error;
    }
  return { label: path, missing: { parent: undefined, names: parts.map(plain) } };
}

/** A name of a path as it is. */
export const plain = (part: string) => part.replaceAll("\\/", "/");
