import { basename } from "node:path";
import type { OriginRecord } from "../../client/apply/record.ts";
import type { Context } from "../../context/context.ts";
import { deckPlace } from "../../context/names.ts";
import { isTrashed, pathOf } from "../../decks/lines.ts";
import { UsageError } from "../../errors.ts";
import { isSameTemplate, matchDecks } from "../../transfer/import/decks.ts";
import { compareFiles } from "../../transfer/import/files.ts";
import { matchCards } from "../../transfer/import/match.ts";
import { type ImportPlan, planOf } from "../../transfer/import/plan.ts";
import type { Stage } from "../../transfer/import/stage.ts";
import type { ImportMode } from "../../transfer/import/target.ts";
import type { Source, SourceDeck } from "../../transfer/model.ts";
import { whileCounting } from "../shared/lists.ts";
import { type Destination, deckOrMissing, type NamedDeck } from "../shared/names.ts";
import type { ImportOptions } from "./options.ts";

/** What an import will do to the account. */
export interface Prepared {
  readonly stage: Stage;
  readonly plan: ImportPlan;
  readonly mode: ImportMode;
  /** Where cards and decks go that have no deck above them. */
  readonly deck: Destination | undefined;
  readonly newDecks: readonly SourceDeck[];
  /** How many new cards go to a deck of their own, since they have none. */
  readonly deckless: number;
  /** How many new cards go to decks of the source that are in the trash of the account, by their paths. */
  readonly toTrash: ReadonlyMap<string, number>;
  readonly record: OriginRecord;
  /** What the record knows the source by. */
  readonly origin: string;
}

export interface ImportInput {
  readonly stage: Stage;
  readonly record: OriginRecord;
  /** As it was given. */
  readonly name: string;
  /** What the record knows it by. */
  readonly origin: string;
  /** Whether the last import of it was stopped. */
  readonly resumed: boolean;
}

/**
 * Finds out what the account has already.
 *
 * @throws UsageError if cards need a deck, and none is named
 */
export async function prepare(
  { stage, record, name: path, origin, resumed }: ImportInput,
  options: ImportOptions,
  context: Context,
): Promise<Prepared> {
  const client = await context.client();
  const mode = { ...modeOf(options, context), resumed };
  const without = stage.value<number>("select count(*) from source where deck is null");
  const none = without === stage.value("select count(*) from source");
  const keyed = stage.value("select exists (select 1 from source where length(key) >= 8)") === 1;
  const ask = without > 0 && none && !keyed && options.deck === undefined && options.deckId === undefined;
  const named = ask ? { ...options, ...(await askForDeck(path, context)) } : options;
  const deck = await deckOrMissing(named, context);
  // Cards that are there by their ids need no deck; others get one where some cards of the source have one.
  const added = deck === undefined && without > 0 && !none ? stage.deckForAll() : undefined;
  const decks = await decksThere(stage, { record, origin }, deck?.id, context);
  if (!options.duplicate)
    await whileCounting("Reading cards", context, (progress) =>
      matchCards(stage, {
        client,
        record,
        origin,
        decks,
        deck: deck?.id,
        overwrite: mode.overwrite,
        progress: (cards) => progress(cards, 0),
      }),
    );
  const isNew = "select count(*) from source where kind = 'new' and";
  if (deck === undefined && none && stage.value<number>(`${isNew} deck is null`) > 0) throw whichDeck();
  const deckless = stage.value<number>(`${isNew} deckless = 1`);
  if (added !== undefined && stage.value<number>(`${isNew} deck = ?`, added) === 0 && !decks.has(added))
    stage.source = { ...stage.source, decks: stage.source.decks.filter(({ key }) => key !== added) };
  await compareFiles(stage, client, mode);
  const newDecks = stage.source.decks.filter(({ key }) => !decks.has(key));
  const templates = stage.source.templates.length === 0 ? [] : await client.templates.all();
  const newTemplates = stage.source.templates.filter(
    ({ body }) => !templates.some((each) => isSameTemplate(each, body)),
  );
  const plan = planOf(stage, mode, newDecks.length, newTemplates.length);
  const toTrash = await cardsToTrash(stage, decks, context);
  if (plan.cards + newDecks.length > 0 && deck?.id !== undefined) await refuseTrash(deck, context);
  return { stage, plan, mode, deck, newDecks, deckless, toTrash, record, origin };
}

/** Where nobody said what is to become of cards that only the file changed, a terminal asks. */
function modeOf({ update, overwrite }: ImportOptions, context: Context) {
  const asks = context.io.interactive && context.options.yes !== true;
  return { update: overwrite === true || (update ?? asks), overwrite: overwrite === true };
}

const whichDeck = () => new UsageError("which deck do the cards go to? Name it with --deck");

async function askForDeck(path: string, { io }: Context) {
  if (!io.interactive) throw whichDeck();
  const proposal = path === "-" ? "Imported" : basename(path).replace(/(?<=.)\.[^.]*$/, "");
  const given = await io.ask(`Deck for the cards (Enter for ${JSON.stringify(proposal)})`);
  return { deck: given || proposal.replaceAll("/", "\\/"), createDeck: true };
}

/** The decks of the account that the source has now, by their keys. @param deck the one below which those without a parent go */
export async function decksThere(
  { source }: { readonly source: Pick<Source, "decks"> },
  known: Pick<Prepared, "record" | "origin">,
  deck: string | undefined,
  context: Context,
): Promise<ReadonlyMap<string, string>> {
  if (source.decks.length === 0) return new Map();
  const names = await context.names();
  const decks = await whileCounting("Reading decks", context, (progress) =>
    names.decks({ now: true, progress }),
  );
  const there = decks.map(({ id, name, parent, trashed }) => ({
    ...{ id, name, parent: parent ?? undefined, trashed: Boolean(trashed) },
  }));
  return matchDecks(source, there, known, deck);
}

/** @throws UsageError: new cards and decks would not be seen in a deck that is in the trash */
async function refuseTrash({ id, label }: NamedDeck, context: Context): Promise<void> {
  const place = await deckPlace(id, context);
  if (typeof place === "object" && isTrashed(place))
    throw new UsageError(`the deck ${JSON.stringify(label)} is in the trash: nothing new is put there`, {
      hint: "Restore it, or the deck above it that is in the trash, with `deckhand decks restore`, or name another deck.",
    });
}

/** A source names decks by their ids, or by what an earlier import made of them: those that it has in the trash are meant. */
async function cardsToTrash(stage: Stage, decks: ReadonlyMap<string, string>, context: Context) {
  const found = new Map<string, number>();
  const meant = new Set(
    stage.source.decks.flatMap(({ key, body }) => (body["trashed?"] == null ? [] : [key])),
  );
  const counts =
    "select deck, count(*) cards from source where kind = 'new' and deck is not null group by deck";
  for (const { deck, cards } of stage.all<{ deck: string; cards: number }>(counts)) {
    const id = decks.get(deck);
    if (id === undefined || meant.has(deck)) continue;
    const line = await (await context.names()).line(id);
    if (isTrashed(line)) found.set(pathOf(line), cards);
  }
  return found;
}
