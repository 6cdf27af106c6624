import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import type { ResolveOptions } from "../../names/types.ts";
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
  purpose: ResolveOptions,
): Promise<NamedDeck | undefined> {
  if (options.deck !== undefined && options.deckId !== undefined)
    throw new UsageError("--deck and --deck-id exclude each other");
  if (options.deckId !== undefined) return { id: options.deckId, label: options.deckId };
  if (options.deck === undefined) return undefined;
  const names = await context.names();
  const deck = await names.deck(options.deck, purpose);
  return { id: deck.id, label: (await names.path(deck.id)) ?? deck.name };
}

/** As `deckFrom`, for a deck that cards go into. Warns of a deck whose cards are not due. */
export async function destinationFrom(
  options: { readonly deck?: string; readonly deckId?: string },
  context: Context,
): Promise<NamedDeck | undefined> {
  const deck = await deckFrom(options, context, { writing: true });
  if (deck !== undefined && options.deck !== undefined) await warnIfKeptBack(deck, context);
  return deck;
}

/**
 * Warns of a deck in the trash or in the archive, itself or with one above it: its cards are not due. A failed lookup is
 * ignored: a warning must not prevent a change.
 */
export async function warnIfKeptBack({ id, label }: NamedDeck, context: Context): Promise<void> {
  const place = await (await context.names()).place(id).catch((error: unknown) => {
    if (error instanceof DeckhandError) return undefined;
    throw error;
  });
  if (place === undefined || !(place.trashed || place.archived)) return;
  const why = place.trashed ? "in the trash" : "archived";
  context.io.warn(`the deck ${JSON.stringify(label)} is ${why}: its cards are not due`);
}

/** Whether a deck has this name, path or id. A failed lookup counts as none: it only helps to explain. */
export async function namesDeck(text: string, context: Context): Promise<boolean> {
  try {
    await (await context.names()).deck(text, { writing: false });
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
  purpose: { readonly writing: boolean },
): Promise<NamedTemplate | undefined> {
  if (options.template !== undefined && options.templateId !== undefined)
    throw new UsageError("--template and --template-id exclude each other");
  if (options.templateId !== undefined) return { id: options.templateId, template: undefined };
  if (options.template === undefined) return undefined;
  const names = await context.names();
  const { id } = await names.template(options.template, purpose);
  const template = await (await context.client()).templates.get(id).send();
  names.noteTemplate(template);
  return { id, template };
}
