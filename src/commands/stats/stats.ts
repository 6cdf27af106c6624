import { statSync } from "node:fs";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { dateOfDay } from "../../schedule/days.ts";
import { number, string } from "../../schema/index.ts";
import { listingOf } from "../../schema/resources.ts";
import { type CountedCard, StatsCollector } from "../../stats/collect.ts";
import { command, declare, type OptionsOf } from "../shared/command.ts";
import { readCards } from "../shared/read-cards.ts";
import { schedulerFor } from "../shared/schedule.ts";
import { instantFrom, userDays } from "../shared/time.ts";

const declared = () =>
  declare(`Show statistics of your reviews: the year, what is due, how much you remember.

What the figures mean:
  A day begins at the setting review.day-starts-at in your time zone.
  Retention counts the first review of a card on a day, at least one day after
  its previous one; "predicted" is the chance to recall that FSRS gave them.
  A share of fewer than 5 reviews is unknown. A review without a duration adds
  no time. A card is mature from an interval of 21 days on. A lapse is
  a day on which a card was forgotten that had been remembered before.

  deckhand stats
  deckhand stats Languages/Spanish --since -90d
  deckhand stats --report stats.html
  deckhand stats -o csv > days.csv`)
    .argument("[deck]", "only cards of this deck and the decks under it (id, name or path)")
    .option("--since <when>", "only reviews from this day on: an ISO date, -30d, -1w")
    .option("--until <when>", "only reviews up to this day")
    .option("--no-recursive", "without the decks under the deck")
    .option("--report <file>", "write an HTML page with the same figures (- for standard output)")
    .option("--plain", "numbers instead of plots, for screen readers");

type StatsOptions = OptionsOf<typeof declared>;

export const statsCommand = command(declared, async (deck, options, context) => {
  const work =
    options.report === undefined
      ? undefined
      : await (await import("../schedule/forecast.ts")).workAhead(context);
  const { figures, last } = await statsOf(deck, options, context, work);
  if (options.report !== undefined) {
    const { statsPage } = await import("../../stats/report/page.ts");
    const page = statsPage(figures, deck ?? "All decks", last, { work: work?.steps() ?? [] });
    return writeReport(page, options.report, context);
  }
  const { format } = context.print;
  if (format === "tsv" || format === "csv" || format === "ndjson" || format === "id")
    await context.print.list(
      format === "id" ? hardest : days,
      format === "id" ? figures.hardest : figures.days,
    );
  else if (format === "table" || (format === undefined && isForPeople(options, context)))
    await printScreen({ figures, last }, options, context);
  else await context.print.value(figures);
});

/** Where no format is asked for: `--plain` is text also in a pipe. */
const isForPeople = ({ plain }: StatsOptions, { io, print }: Context): boolean =>
  (io.stdout.isTTY === true || plain === true) && !print.json;

/**
 * The figures of the collection, or of a deck and those under it.
 *
 * @param work what adds up the cards besides
 * @returns with the last day that can have a review, `YYYY-MM-DD`: of --until, or today
 */
export async function statsOf(
  deck: string | undefined,
  { since, until, recursive }: Pick<StatsOptions, "since" | "until" | "recursive">,
  context: Context,
  work?: { add(card: CountedCard): void },
) {
  const { dayOf } = userDays(context);
  const dayNamed = (text: string | undefined, option: string) =>
    text === undefined ? undefined : dayOf(instantFrom(text, option, context));
  const period = { since: dayNamed(since, "--since"), until: dayNamed(until, "--until") };
  if ((period.since ?? -Infinity) > (period.until ?? Infinity))
    throw new UsageError("--since is after --until");
  const now = context.clock.now();
  const scheduler = await schedulerFor(context);
  const collector = new StatsCollector({ ...period, now, dayOf, scheduler });
  await readCards(deck, recursive, context, (card) => {
    collector.add(card);
    work?.add(card);
  });
  return { figures: collector.finish(), last: dateOfDay(Math.min(dayOf(now), period.until ?? Infinity)) };
}

const days = listingOf("days", {
  date: string({ about: "The day." }),
  reviews: number({ about: "Reviews of that day." }),
  new: number({ about: "Cards that were reviewed for the first time." }),
  seconds: number({ about: "Seconds that the reviews took, as far as known." }),
});

const hardest = listingOf("cards", { id: string({ about: "The card." }) });

type Stats = Awaited<ReturnType<typeof statsOf>>;

async function printScreen(stats: Stats, { plain }: StatsOptions, context: Context): Promise<void> {
  const { io, world } = context;
  const screenReader = Boolean(world.env["INK_SCREEN_READER"]);
  if (plain || screenReader) {
    const { statsNumbers } = await import("../../output/stats/numbers.ts");
    return io.write(`${statsNumbers(stats.figures).join("\n")}\n`);
  }
  const { rows = 24 } = io.stdout;
  const lines = await screenLines(stats, io.width, rows, io.colour, context);
  await io.write(`${lines.join("\n")}\n`);
}

/** The figures as a terminal shows them. */
export async function screenLines(
  { figures, last }: Stats,
  width: number,
  height: number,
  colour: boolean,
  { io: { unicode } }: Context,
): Promise<string[]> {
  const [{ statsScreen }, { loadStyle }] = await Promise.all([
    import("../../output/stats/screen.ts"),
    import("../../output/style.ts"),
  ]);
  return statsScreen(figures, { width, height, unicode, style: await loadStyle(colour), last });
}

async function writeReport(page: string, file: string, context: Context): Promise<void> {
  const [{ writeFileWith }, { fileProblem }, { replaceable }] = await Promise.all([
    import("../../files/atomic-write.ts"),
    import("../../files/errors.ts"),
    import("../export.ts"),
  ]);
  if (file === "-") return context.io.write(page);
  const target = replaceable(file);
  const there = statSync(target, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new UsageError(`${file} is a folder`);
  if (there !== undefined) await context.io.confirm(`Replace ${target}?`, "no report was written");
  try {
    await writeFileWith(target, (out) => out.write(page));
  } catch (error) {
    throw new UsageError(`could not write ${file}: ${fileProblem(error)}`, { cause: error });
  }
  context.io.say(`Wrote ${file}`);
}
