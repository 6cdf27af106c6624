import type { Context } from "../../context/context.ts";
import { deckPlace } from "../../context/names.ts";
import { type DeckLine, isArchived, isTrashed } from "../../decks/lines.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import type { Card } from "../../schema/card.ts";
import type { Template } from "../../schema/template.ts";

export interface NamedDeck {
  readonly id: string;
  /** How people know it: its path, or the id where nothing was looked up. */
  readonly label: string;
}

/** The deck that `--deck` or `--deck-id` name, undefined if neither is given. */
export async function deckFrom(
  options: { readonly deck?: string; readonly deckId?: string },
  context: Context,
  { again = false } = {},
): Promise<NamedDeck | undefined> {
  if (options.deck !== undefined && options.deckId !== undefined)
    throw new UsageError("--deck and --deck-id exclude each other");
  if (options.deckId !== undefined) return { id: options.deckId, label: options.deckId };
  if (options.deck === undefined) return undefined;
  const names = await context.names();
  const deck = await names.deck(options.deck, { again });
  return { id: deck.id, label: (await names.path(deck.id)) ?? deck.name };
}

/** As `deckFrom`, for a deck that cards go into. Warns of a deck whose cards are not due. */
export async function destinationFrom(
  options: { readonly deck?: string; readonly deckId?: string },
  context: Context,
): Promise<NamedDeck | undefined> {
  const deck = await deckFrom(options, context);
  if (deck !== undefined && options.deck !== undefined) await warnIfKeptBack(deck, context);
  return deck;
}

/**
 * Warns of a deck in the trash or in the archive, itself or with one above it: its cards are not due. A failed lookup is
 * ignored: a warning must not prevent a change.
 */
export async function warnIfKeptBack({ id, label }: NamedDeck, context: Context): Promise<void> {
  const line = await deckPlace(id, context);
  if (typeof line === "string" || !(isTrashed(line) || isArchived(line))) return;
  const why = isTrashed(line) ? "in the trash" : "archived";
  context.io.warn(`the deck ${JSON.stringify(label)} is ${why}: its cards are not due`);
}

/** Whether a deck has this name, path or id. A failed lookup counts as none: it only helps to explain. */
export async function namesDeck(text: string, context: Context): Promise<boolean> {
  try {
    await (await context.names()).deck(text);
    return true;
  } catch (error) {
    if (error instanceof DeckhandError) return false;
    throw error;
  }
}

export interface NamedTemplate {
  readonly id: string;
  /** Absent with `--template-id`: nothing was looked up. */
  readonly template: Template | undefined;
}

/** The template that `--template` or `--template-id` name, undefined if neither is given. */
export async function templateFrom(
  options: { readonly template?: string; readonly templateId?: string },
  context: Context,
): Promise<NamedTemplate | undefined> {
  if (options.template !== undefined && options.templateId !== undefined)
    throw new UsageError("--template and --template-id exclude each other");
  if (options.templateId !== undefined) return { id: options.templateId, template: undefined };
  if (options.template === undefined) return undefined;
  const names = await context.names();
  const { id } = await names.template(options.template);
  const template = await (await context.client()).templates.get(id).send();
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
