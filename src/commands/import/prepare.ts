import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import type { JournalRead } from "../../transfer/import/journal-lines.ts";
import type { KnownKeys } from "../../transfer/import/known.ts";
import type { MatchCounts, Matches } from "../../transfer/import/match.ts";
import type { ImportPlan } from "../../transfer/import/plan.ts";
import type { Scratch } from "../../transfer/import/scratch.ts";
import type { Source, SourceDeck } from "../../transfer/model.ts";
import { accountName, numberedJournal } from "../shared/journal.ts";
import { whileCounting } from "../shared/progress.ts";

interface Preparation {
  readonly source: Source;
  readonly plan: ImportPlan;
  /** The id of the deck for cards and decks without one above them. */
  readonly deck: string | undefined;
  /** The path of the journal. */
  readonly journal: string;
  /** The path of the journal of the first import of this input. */
  readonly first: string;
  readonly duplicate: boolean;
  readonly update: boolean;
  /** Whether cards that were edited in the account are updated, too. */
  readonly overwrite: boolean;
  /** For what is known of each card; the caller closes it. */
  readonly scratch: Scratch;
}

/** What an import will do to the account. */
export interface Prepared {
  /** As it was given, or with a deck for its cards that have none. */
  readonly source: Source;
  /** What will be created. */
  readonly plan: ImportPlan;
  readonly newDecks: readonly SourceDeck[];
  /** The decks of the account that the source has, by their keys in the source. */
  readonly decks: ReadonlyMap<string, string>;
  readonly matches: Matches;
  readonly known: KnownKeys;
  /** Whether an earlier run has begun, and this one continues it. */
  readonly resumed: boolean;
  /** Cards that the earlier run created. */
  readonly done: number;
}

/** Finds out what the account has already: decks by id or name, cards by id, by earlier imports or by their fronts. */
export async function prepare(preparation: Preparation, context: Context): Promise<Prepared> {
  const { source, plan, deck, journal, first, duplicate, update, overwrite, scratch } = preparation;
  const [known, { matchCards, noMatches }, { readJournal }] = await Promise.all([
    openKnown(context, scratch),
    import("../../transfer/import/match.ts"),
    import("../../transfer/import/journal-lines.ts"),
  ]);
  const decks = source.decks.length === 0 ? new Map() : await findDecks(source, known, deck, context);
  const newDecks = source.decks.filter(({ key }) => !decks.has(key));
  const resumed = existsSync(journal);
  const earlier = resumed ? await readJournal(journal, journal, journalHeader(context), scratch) : undefined;
  const result = { source, newDecks, decks, known, resumed };
  const withRest = (matches: Matches, pending: Partial<ImportPlan>): Prepared => {
    const done = earlier === undefined ? 0 : createdBy(earlier, matches);
    const cards = plan.cards - matches.size - done;
    return { ...result, plan: { ...plan, decks: newDecks.length, cards, ...pending }, matches, done };
  };
  const pending = async (matches: Matches): Promise<Partial<ImportPlan>> => {
    if (matches.size === 0 && earlier === undefined) return {};
    const { countPending } = await import("../../transfer/import/pending.ts");
    const client = await context.client();
    return countPending(source, { matches, overwrite, earlier, client, scratch });
  };
  // A run that continues does as the first one: what that created is no card that was there.
  if (duplicate || (earlier && !earlier.updates && !update))
    return withRest(noMatches, await pending(noMatches));
  const inventory = await readInventory({ plan, deck, decks, scratch }, context);
  const { references } = plan;
  const { EarlierImports } = await import("../../transfer/import/earlier-imports.ts");
  const finished = await EarlierImports.read(journalsBefore(first, journal), journalHeader(context), scratch);
  const matches =
    inventory === undefined
      ? noMatches
      : await matchCards(source, { inventory, scratch, known, decks, deck, references, earlier, finished });
  return withRest(matches, await pending(matches));
}

/**
 * The same where the user names no deck. Cards that are there by their ids need none; others go to a deck of their own
 * if some cards of the source have one.
 *
 * @returns also how many cards go to that deck
 * @throws UsageError if no card of the source has a deck, and some are new
 */
export async function prepareWithoutDeck(
  preparation: Preparation,
  context: Context,
): Promise<{ readonly prepared: Prepared; readonly deckless: number }> {
  const { source, plan } = preparation;
  if (plan.withoutDeck === 0) return { prepared: await prepare(preparation, context), deckless: 0 };
  const none = plan.withoutDeck === plan.cards;
  if (none && !plan.keyed) throw whichDeck();
  const { countWithoutDeck, withDeckForAll } = await import("../../transfer/import/without-deck.ts");
  const all = withDeckForAll(source);
  const prepared = await prepare({ ...preparation, source: none ? source : all.source }, context);
  const deckless = await countWithoutDeck(source, prepared.matches);
  if (deckless > 0 && none) throw whichDeck();
  const newDecks = prepared.newDecks.filter(({ key }) => key !== all.key);
  if (deckless > 0 || newDecks.length === prepared.newDecks.length) return { prepared, deckless };
  // Nothing goes to the deck, so it is not created.
  const decks = prepared.source.decks.filter(({ key }) => key !== all.key);
  const created = { ...prepared.plan, decks: newDecks.length };
  return {
    prepared: { ...prepared, source: { ...prepared.source, decks }, plan: created, newDecks },
    deckless,
  };
}

const whichDeck = () => new UsageError("which deck do the cards go to? Name it with --deck");

export async function openKnown(context: Context, scratch: Scratch): Promise<KnownKeys> {
  const { KnownKeys } = await import("../../transfer/import/known.ts");
  return KnownKeys.open(join(context.folders.state, "imported", `${accountName(context)}.ndjson`), scratch);
}

/** The journals of an input before the one of this import. */
function* journalsBefore(first: string, journal: string): Generator<string> {
  for (let number = 1; numberedJournal(first, number) !== journal; number++)
    yield numberedJournal(first, number);
}

/** How many cards of the account an import changes. */
export const updatesOf = (
  { changed, edited, kept, alike }: MatchCounts,
  { update, overwrite }: { readonly update?: boolean; readonly overwrite?: boolean },
): number => (overwrite ? changed + edited + kept + alike : update ? changed : 0);

/** How many cards an earlier run created that do not match any of the account. */
function createdBy({ outcomes }: JournalRead, matches: Matches): number {
  let created = 0;
  for (const [item, { state, id }] of outcomes.entries()) {
    const number = /^card (\d+)$/.exec(item)?.[1];
    if (
      number !== undefined &&
      state === "done" &&
      id !== undefined &&
      matches.get(Number(number)) === undefined
    )
      created++;
  }
  return created;
}

/** Whether nothing is to be created, and no card of the account to be updated. */
export async function isIdle(
  { source, plan, matches }: Prepared,
  overwrite: boolean,
  context: Context,
): Promise<boolean> {
  const { decks, templates, cards, attachments, otherAttachments, reviews } = plan;
  if (updatesOf(matches.counts, { update: true, overwrite }) > 0) return false;
  if (decks + templates + cards + attachments + otherAttachments + reviews > 0) return false;
  if (source.schedule === undefined) return true;
  const { trainedSchedule } = await import("../../transfer/schedule.ts");
  return (await trainedSchedule(await context.client())) !== undefined;
}

/** The cards that may be of the source: all, where it has ids of its own; else those of its decks. */
async function readInventory(
  { plan, deck, decks, scratch }: Pick<Preparation, "plan" | "deck" | "scratch"> & Pick<Prepared, "decks">,
  context: Context,
) {
  const own = new Set(decks.values());
  if (plan.withoutDeck > 0 && deck !== undefined) own.add(deck);
  if (!plan.keyed && own.size === 0) return undefined;
  const { Inventory } = await import("../../transfer/import/inventory.ts");
  const client = await context.client();
  return whileCounting("Reading cards", context, (progress) =>
    Inventory.read(client, plan.keyed ? undefined : own, scratch, (cards) => progress(cards, 0)),
  );
}

/** The decks of a source that the account has now, by their keys. @param deck the one below which those without a parent go */
export async function findDecks(
  source: Source,
  known: KnownKeys,
  deck: string | undefined,
  context: Context,
): Promise<ReadonlyMap<string, string>> {
  const { matchDecks } = await import("../../transfer/import/deck-match.ts");
  return matchDecks(source, await decksThere(context), known, deck);
}

async function decksThere(context: Context) {
  const names = await context.names();
  const decks = await whileCounting("Reading decks", context, (progress) =>
    names.decks({ now: true, progress }),
  );
  return decks.map(({ id, name, parent, trashed }) => ({
    id,
    name,
    parent: parent ?? undefined,
    trashed: Boolean(trashed),
  }));
}

export const journalHeader = (context: Context) => ({ command: "import", account: accountName(context) });

/** The journal beside an input for a new import: the next number after those that describe finished ones. */
export async function freeJournal(path: string): Promise<string> {
  const { endOf } = await import("../../transfer/import/journal.ts");
  for (let number = 1; number < 10_000; number++) {
    const numbered = numberedJournal(path, number);
    if (!existsSync(numbered) || (await endOf(numbered)) === undefined) return numbered;
  }
  throw new UsageError(`there are too many journals beside ${path}`, { hint: "Name one with --journal." });
}
