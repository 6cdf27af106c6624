import type { Context } from "../../context/context.ts";
import { inTree, sumsInTree } from "../../deck-tree.ts";
import { SilentError, UsageError } from "../../errors.ts";
import { visible } from "../../output/sanitize.ts";
import { displayWidth, pad } from "../../output/width.ts";
import { askedText, durationText, figuresByDeck, type TodayNumbers } from "../../schedule/figures.ts";
import { command, type OptionsOf, option } from "../shared/command.ts";
import { openingLine, type TodayOptions } from "./day.ts";
import { deckOfArgument, declareForDeck } from "./due-cards.ts";
import { todayFigures } from "./today.ts";

const declared = () =>
  declareForDeck(`Show what there is to do today: what a review asks now, by deck.

"deckhand due list" lists the cards, "deckhand review" asks them.

  deckhand due
  deckhand due Geography
  deckhand due ~/notes
  deckhand due --check || deckhand review
  deckhand due --count`)
    .option("--count", "print only the number of cards that a review asks now")
    .option("--check", "print nothing; end with 1 where nothing is to be done")
    .addOption(option("--date <when>", "of due list").hideHelp())
    .addOption(option("--limit <n>", "of due list").hideHelp());

export const summaryCommand = command(declared, async (argument, options, context) => {
  refuseList(options, context);
  const part = { deck: await deckOfArgument(argument, options, context), recursive: options.recursive };
  const day = await todayFigures(part, context);
  if (options.check) {
    if (day.today.count === 0) throw new SilentError();
    return;
  }
  if (options.count) return context.print.value(day.today.count);
  const { output } = context.options;
  if (context.print.json || output === "yaml") return context.print.value(await documentOf(day, context));
  await context.io.write(`${(await textOf(day, part, context)).join("\n")}\n`);
});

/** @throws UsageError for what only the list of the cards has */
function refuseList(given: OptionsOf<typeof declared>, { options: { output } }: Context): void {
  const named = (["date", "limit"] as const).find((name) => given[name] !== undefined);
  const isList = ["id", "csv", "tsv", "ndjson"].includes(output ?? "");
  const asked = named === undefined ? isList && `-o ${output}` : `--${named}`;
  if (asked)
    throw new UsageError(`${asked} is for the cards, and "deckhand due" is a summary`, {
      hint: "`deckhand due list` lists the cards.",
    });
}

async function documentOf(day: TodayNumbers, context: Context): Promise<unknown> {
  const names = await context.names();
  const decks: unknown[] = [];
  for (const { id, reviews, new: fresh, forgotten } of day.decks)
    if (reviews + fresh + forgotten > 0)
      decks.push({ id, deck: (await names.path(id)) ?? id, reviews, new: fresh, forgotten });
  return { today: day.today, decks, done: day.done, tomorrow: day.tomorrow };
}

async function textOf(day: TodayNumbers, part: TodayOptions, context: Context): Promise<string[]> {
  const { today, tomorrow } = day;
  if (today.count === 0) {
    const done = day.done.reviews + day.done.new > 0;
    if (done && part.deck === undefined)
      return [`Done for today.${tomorrow === null ? "" : ` ${tomorrow} tomorrow.`}`];
    const { nextDue } = await import("./plan-here.ts");
    return [`Nothing is due${await nextDue(part, context)}.`];
  }
  const opening = openingLine(day);
  return [
    `Today   ${askedText(today)}   about ${durationText(today.seconds)}`,
    ...(opening === undefined ? [] : [opening]),
    ...(await deckRows(day, context)),
    ...(tomorrow === null ? [] : [`Tomorrow ${tomorrow}`]),
  ];
}

/** Decks that are nested more deeply are not indented further. */
const mostIndented = 20;

/** The decks as a tree, each with the reviews, what comes back today among them, and the new cards of it and below it. */
async function deckRows(day: TodayNumbers, context: Context): Promise<string[]> {
  const decks = inTree(await (await context.names()).decks());
  const sums = sumsInTree(decks, figuresByDeck(day));
  const known = new Set(decks.map(({ deck }) => deck.id));
  const unknown = day.decks.filter(({ id }) => !known.has(id)).map(({ id }) => ({ deck: { id, name: id } }));
  const rows = [...decks, ...unknown.map((each) => ({ ...each, depth: 0 }))].flatMap(({ deck, depth }) => {
    const sum = sums.get(deck.id);
    const label = `${"  ".repeat(Math.min(depth, mostIndented))}${visible(deck.name)}`;
    return sum === undefined ? [] : [{ label, due: sum.due, fresh: sum.new }];
  });
  const width = Math.max(16, ...rows.map(({ label }) => displayWidth(label)));
  return rows.map(
    ({ label, due, fresh }) =>
      `${pad(label, width)}  ${String(due).padStart(4)} ${String(fresh).padStart(4)}`,
  );
}
