import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import type { Document } from "../../output/index.ts";
import type { Deck } from "../../schema/deck.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { wholeNumber } from "../shared/options.ts";
import { printPages, sayNone } from "../shared/pages.ts";
import { whileCounting } from "../shared/progress.ts";
import { isShown, withDeckPaths } from "../shared/shown.ts";

interface ListOptions {
  readonly tree?: boolean;
  readonly limit?: number;
  readonly bookmark?: string;
}

export const listCommand = command(
  () =>
    declare(`List all decks.

\`deckhand due\` lists the cards that are due, and how many each deck has.

Examples:
  deckhand decks list --tree
  deckhand decks list -o json
  deckhand decks list --columns deck,due
  deckhand decks list --columns name,id -o csv`)
      .option("--tree", "draw which deck is under which")
      .option("-l, --limit <n>", "how many decks in all", wholeNumber(1))
      .option("--bookmark <cursor>", "continue where an earlier list stopped"),
  listDecks,
);

async function listDecks(options: ListOptions, context: Context): Promise<void> {
  if (options.tree) return drawTree(options, context);
  const { limit, bookmark } = options;
  const client = await context.client();
  const { listing, complete } = withDeckPaths(listings.decks, { id: "id", instead: ["name"] }, context);
  const wantsDue = context.options.columns !== undefined && isShown("due", context);
  let due: ReadonlyMap<string, number> | undefined;
  const withDue = async (page: readonly Document[]) => {
    const shown = await complete(page);
    if (!wantsDue) return shown;
    due ??= await dueByDeck(context);
    const counts = due;
    return shown.map((deck) => ({ ...deck, due: counts.get(String(deck["id"])) ?? 0 }));
  };
  const whole = limit === undefined && bookmark === undefined;
  const inTree = whole && context.print.table && isShown("deck", context);
  const pages = inTree ? treePage(context) : client.decks.pages({ limit, bookmark });
  await printPages(pages, listing, { limit, complete: withDue }, context);
}

/** All decks as one page, each above those below it, as people read a list of paths. */
async function* treePage(context: Context) {
  const docs = await (await context.client()).decks.all();
  const places = await placesInTree(docs, context);
  const placeOf = ({ id }: Deck) => places.get(id) ?? docs.length;
  yield { docs: docs.toSorted((a, b) => placeOf(a) - placeOf(b)), bookmark: null };
}

/** The place of each deck by its id; none where a deck cannot be looked up: an order must not make the list fail. */
async function placesInTree(docs: readonly Deck[], context: Context): Promise<ReadonlyMap<string, number>> {
  const names = await context.names();
  names.noteDeckList(docs);
  try {
    const decks = await whileCounting("Reading decks", context, (progress) => names.decks({ progress }));
    const { decksInOrder } = await import("../../output/tree.ts");
    return new Map(decksInOrder(decks).map(({ id }, index) => [id, index]));
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
    return new Map();
  }
}

/** How many cards are due in each deck and those under it, as `due <deck>` counts them; decks without any are absent. */
async function dueByDeck(context: Context): Promise<ReadonlyMap<string, number>> {
  const client = await context.client();
  const names = await context.names();
  const decks = await whileCounting("Reading decks", context, (progress) => names.decks({ progress }));
  const above = new Map(decks.map(({ id, parent }) => [id, parent]));
  const counts = new Map<string, number>();
  for await (const { docs } of client.due.list({}).pages())
    for (const card of docs) {
      const seen = new Set<string>();
      for (let id = card["deck-id"]; id != null && !seen.has(id); id = above.get(id)) {
        seen.add(id);
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    }
  return counts;
}

async function drawTree(options: ListOptions, context: Context): Promise<void> {
  if (options.limit !== undefined || options.bookmark !== undefined)
    throw new UsageError("--tree draws all decks: it excludes --limit and --bookmark");
  const { output = "table" } = context.options;
  if (output !== "table") throw new UsageError(`--tree is a drawing: it excludes --output ${output}`);
  for (const name of ["columns", "jq"] as const)
    if (context.options[name] !== undefined)
      throw new UsageError(`--tree is a drawing: it excludes --${name}`);
  const names = await context.names();
  const decks = await whileCounting("Reading decks", context, (progress) => names.decks({ progress }));
  const [{ deckTree }, { loadStyle }] = await Promise.all([
    import("../../output/tree.ts"),
    import("../../output/style.ts"),
  ]);
  if (decks.length === 0) return sayNone("No decks found", context);
  const width = context.io.stdout.isTTY === true ? context.io.width : Number.POSITIVE_INFINITY;
  const lines = deckTree(decks, {
    width,
    unicode: context.io.unicode,
    style: await loadStyle(context.io.colour),
  });
  await context.io.write(lines.map((line) => `${line}\n`).join(""));
}
