import type { Context } from "../../context/context.ts";
import { inTree, sumsInTree } from "../../deck-tree.ts";
import { orElse, UsageError } from "../../errors.ts";
import type { Document } from "../../output/index.ts";
import { figuresByDeck } from "../../schedule/figures.ts";
import type { Deck } from "../../schema/deck.ts";
import { listings } from "../../schema/resources.ts";
import { wholeDay } from "../due/day.ts";
import { command, declare, defined, type OptionsOf, wholeNumber } from "../shared/command.ts";
import { allDecks, isShown, printPages, sayNone, withDeckPaths } from "../shared/lists.ts";

const declared = () =>
  declare(`List all decks.

The columns due and new say what a review asks today of a deck and those under it.

  deckhand decks list --tree
  deckhand decks list --columns name,id -o csv`)
    .option("--tree", "draw which deck is under which")
    .option("-l, --limit <n>", "how many decks in all", wholeNumber(1))
    .option("--bookmark <cursor>", "continue where an earlier list stopped");

type ListOptions = OptionsOf<typeof declared>;

export const listCommand = command(declared, listDecks);

async function listDecks(options: ListOptions, context: Context): Promise<void> {
  if (options.tree) return drawTree(options, context);
  const { limit, bookmark } = options;
  const client = await context.client();
  const { listing, complete } = withDeckPaths(
    listings.decks,
    { id: "id", instead: ["name", "sort"] },
    context,
  );
  let figures: FiguresOf | undefined;
  const withToday = async (page: readonly Document[]) => {
    const shown = await complete(page);
    if (!areFiguresShown(context)) return shown;
    figures ??= await orElse(todayByDeck(context), unknownFigures);
    const of = figures;
    return shown.map((deck) => ({ ...deck, ...of(deck["id"]) }));
  };
  const whole = limit === undefined && bookmark === undefined;
  const inTree = whole && context.print.table && isShown("deck", context);
  // What the figures need of all decks is then read only once.
  const atOnce = inTree || (whole && areFiguresShown(context));
  const pages = atOnce ? onePage(inTree, context) : client.decks.pages({ limit, bookmark });
  await printPages(pages, listing, { limit, complete: withToday }, context);
}

/** Whether the figures of today are among the columns: they cost requests. Documents have them where --columns asks. */
const areFiguresShown = (context: Context): boolean =>
  context.options.columns === undefined
    ? context.options.jq === undefined && [undefined, "table", "csv", "tsv"].includes(context.print.format)
    : ["due", "new", "cards"].some((name) => isShown(name, context));

/** All decks as one page; as people read a list of paths, each above those below it. */
async function* onePage(isSorted: boolean, context: Context) {
  const docs = await (await context.client()).decks.all();
  (await context.names()).noteDeckList(docs);
  // An order must not make the list fail where a deck cannot be looked up.
  const ordered = isSorted ? inTree(await orElse(allDecks(context), [])) : [];
  const places = new Map(ordered.map(({ deck }, index) => [deck.id, index]));
  const placeOf = ({ id }: Deck) => places.get(id) ?? docs.length;
  yield { docs: docs.toSorted((a, b) => placeOf(a) - placeOf(b)), bookmark: null };
}

/** Figures that cannot be found out must not make the list fail. */
export const unknownFigures: FiguresOf = () => ({ due: null, new: null, cards: null });

type FiguresOf = (deck: unknown) => Readonly<Record<"due" | "new" | "cards", number | null>>;

/** What a review asks today of each deck and those under it, and how many cards they have, where the service says so. */
export async function todayByDeck(context: Context): Promise<FiguresOf> {
  const { todayFigures } = await import("../due/today.ts");
  const day = await todayFigures(wholeDay, context, 1);
  const sums = sumsInTree(inTree(await allDecks(context)), figuresByDeck(day));
  return (deck) => {
    const sum = sums.get(String(deck)) ?? { due: 0, new: 0, cards: 0 };
    return day.cards === undefined ? { ...sum, cards: null } : sum;
  };
}

async function drawTree(options: ListOptions, context: Context): Promise<void> {
  const { output = "table", columns, jq } = context.options;
  const others = { limit: options.limit, bookmark: options.bookmark, columns, jq };
  const [other] = Object.keys(defined(others));
  if (other !== undefined || output !== "table")
    throw new UsageError(`--tree draws all decks: it excludes --${other ?? `output ${output}`}`);
  const decks = await allDecks(context);
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
