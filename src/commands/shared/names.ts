import { join } from "node:path";
import type { Context } from "../../context/context.ts";
import { type DeckLine, isTrashed } from "../../decks/lines.ts";
import { joinPath, splitPath } from "../../decks/match.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import type { Card } from "../../schema/card.ts";
import type { Deck } from "../../schema/index.ts";
import type { Template } from "../../schema/template.ts";
import { oneOf } from "./command.ts";

export interface NamedDeck {
  readonly id: string;
  /** How people know it: its path, or the id where nothing was looked up. */
  readonly label: string;
}

/** The deck that `--deck` or `--deck-id` name, undefined if neither is given. */
export async function deckFrom(
  options: DeckOptions,
  context: Context,
  { again = false } = {},
): Promise<NamedDeck | undefined> {
  oneOf({ "--deck": options.deck, "--deck-id": options.deckId });
  if (options.deckId !== undefined) return { id: options.deckId, label: options.deckId };
  if (options.deck === undefined) return undefined;
  const names = await context.names();
  const deck = await names.deck(options.deck, { again });
  return { id: deck.id, label: (await names.path(deck.id)) ?? deck.name };
}

export interface NamedTemplate {
  readonly id: string;
  /** Absent with `--template-id`: nothing was looked up. */
  readonly template: Template | undefined;
}

/** The template that `--template` or `--template-id` name, undefined if neither is given. */
export async function templateFrom(
  options: { readonly template?: string | undefined; readonly templateId?: string | undefined },
  context: Context,
): Promise<NamedTemplate | undefined> {
  oneOf({ "--template": options.template, "--template-id": options.templateId });
  if (options.templateId !== undefined) return { id: options.templateId, template: undefined };
  if (options.template === undefined) return undefined;
  const names = await context.names();
  const { id } = await names.template(options.template);
  const template = await (await context.client()).templates.get(id);
  names.noteTemplate(template);
  return { id, template };
}

/**
 * Looks up the decks of cards, to decide by which cards are kept back. The returned function answers for these cards.
 *
 * @throws DeckhandError if a deck cannot be looked up
 */
export function deckLines(
  context: Context,
): (cards: readonly Card[]) => Promise<(deckId: string | null | undefined) => DeckLine> {
  const lines = new Map<string, DeckLine>();
  return async (cards) => {
    for (const { "deck-id": id } of cards)
      if (id != null && !lines.has(id)) lines.set(id, await (await context.names()).line(id));
    return (id) => lines.get(id ?? "") ?? [];
  };
}

/** Whether a card is in the trash, itself or with its deck or one above that. */
export type InTrash = (card: Card) => boolean;

/** The same for cards in the trash; the decks of those that are there themselves are not looked up. */
export function trashOf(context: Context): (cards: readonly Card[]) => Promise<InTrash> {
  const look = deckLines(context);
  const isItself = (card: Card) => card["trashed?"] != null;
  return async (cards) => {
    const lineOf = await look(cards.filter((card) => !isItself(card)));
    return (card) => isItself(card) || isTrashed(lineOf(card["deck-id"]));
  };
}

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
  readonly deck?: string | undefined;
  readonly deckId?: string | undefined;
  readonly createDeck?: boolean | undefined;
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
    if (!options.createDeck) throw error.with({ hint: "--create-deck creates it." });
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

/**
 * Holds a lock of the account; none where the state folder cannot hold one: requests are sent without theirs there, too.
 *
 * @param doing what another process that holds it does
 */
export async function whileLocked<T>(
  { name, doing }: { readonly name: string; readonly doing: string },
  context: Context,
  work: () => Promise<T>,
): Promise<T> {
  const [{ LockUnusable, takeLock }, { accountName }] = await Promise.all([
    import("../../files/lock.ts"),
    import("./account.ts"),
  ]);
  const status = await context.io.status();
  let end = () => {};
  const onWait = (holder: string) => {
    end = status.begin({ label: `Waiting: ${holder} is ${doing}` }).end;
  };
  const path = join(context.folders.state, `${name}-${accountName(context)}`);
  const unlessUnusable = (error: unknown) =>
    error instanceof LockUnusable ? undefined : Promise.reject(error);
  const held = await takeLock(path, { signal: context.signal, onWait })
    .catch(unlessUnusable)
    .finally(() => end());
  try {
    return await work();
  } finally {
    held?.release();
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
    const deck = await client.decks.create(body);
    created(deck);
    index.noteDeck(deck);
    above = deck.id;
  }
  return above ?? "";
}

/** The deck that new cards go into; with --create-deck it is created if it does not exist. */
export async function destinationOrNew(
  options: DeckOptions,
  context: Context,
): Promise<NamedDeck | undefined> {
  const found = await deckOrMissing(options, context);
  if (found?.missing === undefined) return found;
  let isNew = false;
  const deck = await createMissing(found, context, () => {
    isNew = true;
  });
  if (isNew) context.io.say(`Created deck ${deck.label}`);
  return deck;
}

/** The names in the path of a deck to create: a leading slash is the root. */
export const namesIn = (path: string) => splitPath(path.replace(/^\//, ""));

/** @throws UsageError for a path with a blank name, before the decks above that are created */
export function assertCanCreate(path: string): void {
  if (namesIn(path).some((name) => name.trim() === ""))
    throw new UsageError(`cannot create the deck "${path}": a name in the path is blank`, {
      hint: "Names are separated by one slash; \\/ is a slash within a name.",
    });
}

async function missingDecks(path: string, context: Context): Promise<Destination> {
  assertCanCreate(path);
  const names = namesIn(path);
  const index = await context.names();
  for (let length = names.length - 1; length > 0; length--)
    try {
      const { id } = await index.deck(joinPath(names.slice(0, length)));
      return { label: path, missing: { parent: id, names: names.slice(length) } };
    } catch (error) {
      if (!(error instanceof DeckhandError && error.code === "not-found")) throw error;
    }
  return { label: path, missing: { parent: undefined, names } };
}
