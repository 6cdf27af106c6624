import { UsageError } from "../../errors.ts";
import { orders } from "../../schema/index.ts";
import { collectTags, command, option, wholeNumber } from "../shared/command.ts";
import { timestampFrom } from "../shared/time.ts";
import { deckOfArgument, declareForDeck } from "./due-cards.ts";

const declared = () =>
  declareForDeck(`Review the cards that are due, on the terminal.

Space reveals, 1 is forgot, 2 remembered, h opens a hint, u undoes, ? lists all keys.

Without a terminal, "deckhand due answer" records an answer.

  deckhand review
  deckhand review Languages/Spanish --limit 20
  deckhand review ~/notes
  deckhand review --tag verbs --type
  deckhand review --search 'created:>2026-01-01' --order hardest
  deckhand review Geography --practice --order random
  deckhand review --browser`)
    .option(
      "--date <when>",
      "as on another day: an ISO date or timestamp, today, tomorrow, yesterday, +3d, -1w",
    )
    .option("--limit <n>", "at most this many cards", wholeNumber(1))
    .option(
      "--new <n>",
      "at most this many new cards today, or all; by default the setting review.new-per-day",
      (text) => (text === "all" ? "all" : wholeNumber(0)(text)),
    )
    .addOption(
      option("--order <order>", "in which order: due, or easiest where more is due than a day holds").choices(
        [...orders, "retrievability"],
      ),
    )
    .option("-t, --tag <tag>", "only cards with this tag (repeatable, or a,b: with all of them)", collectTags)
    .option("--search <query>", "only cards that a search finds (deckhand cards search --help)")
    .option("--type", "type clozes and one-line answers, and see what differs")
    .option("--practice", "any cards, due or not, and record nothing")
    .option("--plain", "line by line, for screen readers and simple terminals")
    .addOption(
      option("--browser", "on a page in the browser, for the local collection").conflicts([
        "date",
        "tag",
        "search",
        "practice",
        "plain",
      ]),
    );

export const reviewCommand = command(declared, async (deck, options, context) => {
  if (options.date !== undefined) timestampFrom(options.date, "--date", context);
  if (context.options.dryRun)
    throw new UsageError("a review cannot be a dry run", { hint: "--practice records nothing." });
  if (!options.browser && context.io.stdin.isTTY !== true)
    throw new UsageError("a review needs a terminal on standard input", {
      hint: "`deckhand due list` prints what is due.",
    });
  const order = options.order === "retrievability" ? "hardest" : options.order;
  const named = await deckOfArgument(deck, options, context);
  const session = { ...options, order, deck: named };
  if (options.browser) await (await import("./browser.ts")).reviewInBrowser(session, context);
  else await (await import("./session.ts")).runReview(session, context);
});
