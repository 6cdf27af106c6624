import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import {
  type DayHistory,
  dayHistory,
  leastReviews,
  type Training,
  train,
  usableReviews,
} from "../../schedule/training.ts";
import type { CountedCard } from "../../stats/collect.ts";
import { command, declare } from "../shared/command.ts";
import { whileCounting } from "../shared/lists.ts";
import { readCards } from "../shared/read-cards.ts";
import { storeParameters, type Trained, trainedParameters } from "../shared/schedule.ts";
import { userDays } from "../shared/time.ts";
import { loadOptimizer } from "./optimizer.ts";
import { movesText } from "./parameters.ts";

const declared = () =>
  declare(`Learn the parameters of FSRS from your own reviews.

Needs ${leastReviews} reviews of cards that were reviewed before. The parameters are kept
only if they predict your latest reviews better than those in use.

Examples:
  deckhand schedule train --dry-run
  deckhand schedule train --reschedule`)
    .option("-d, --deck <deck>", "learn only from this deck and the decks under it")
    .option("--reschedule", "compute the due dates of all cards again, after showing how many move");

export const trainCommand = command(declared, async (options, context) => {
  const client = await context.client();
  if (options.reschedule && !(await client.service.has("schedule")))
    throw new UsageError("this service cannot compute due dates again", {
      hint: "Without --reschedule the parameters count from the next review of each card on.",
    });
  const cards = await cardsOf(options.deck, context);
  const days = userDays(context);
  const histories = cards.map(({ reviews }) => dayHistory(reviews, days.dayOf));
  refuseTooFew(histories);
  const before = await parametersInUse(context);
  const training = await trainWithProgress(histories, before, context);
  await report(training, context);
  if (!training.better) {
    context.io.note("The parameters in use predict your reviews as well: they are kept.");
    return;
  }
  if (options.reschedule)
    context.io.note(
      movesText(
        await client.schedule.put({ w: training.parameters, reschedule: true, preview: true }).send(),
      ),
    );
  if (context.options.dryRun) return context.io.note("Dry run: nothing was changed.");
  if (options.reschedule) await context.io.confirm("Move these due dates?", "nothing was changed");
  const moved = await storeParameters(trainedOf(training, context), options.reschedule === true, context);
  context.io.say(`Stored the new parameters${options.reschedule ? `; ${moved} cards moved` : ""}`);
});

async function cardsOf(deck: string | undefined, context: Context): Promise<CountedCard[]> {
  const cards: CountedCard[] = [];
  await readCards(deck, true, context, (card) => {
    if (card.reviews.length > 0) cards.push(card);
  });
  return cards;
}

function refuseTooFew(histories: readonly DayHistory[]): void {
  const usable = usableReviews(histories);
  if (usable < leastReviews)
    throw new DeckhandError(
      "refused",
      `${usable} usable reviews are too few to train on; ${leastReviews} are needed`,
      {
        hint: "A review is usable if the card was reviewed on an earlier day.",
      },
    );
}

async function parametersInUse(context: Context): Promise<readonly number[]> {
  const { default_w } = await import("ts-fsrs");
  return (await trainedParameters(context))?.w ?? default_w;
}

async function trainWithProgress(
  histories: readonly DayHistory[],
  before: readonly number[],
  context: Context,
): Promise<Training> {
  const optimize = await loadOptimizer();
  return whileCounting("Training", context, (progress) =>
    train(histories, before, optimize, (share) => progress(Math.round(share * 100), 100)),
  );
}

/** The figures, as a document in a pipe and as a sentence on a terminal. */
async function report({ reviews, logLoss, better, parameters }: Training, context: Context): Promise<void> {
  if (context.io.stdout.isTTY !== true || context.print.json) {
    await context.print.value({
      reviews,
      "log-loss": logLoss,
      better,
      w: parameters,
    });
    return;
  }
  const figure = (value: number) => value.toFixed(4);
  await context.io.write(
    `Trained on ${reviews} reviews. Log loss on later reviews: ${figure(logLoss.before)} before, ${figure(logLoss.after)} after (lower is better).\n`,
  );
}

const trainedOf = ({ parameters, reviews, logLoss }: Training, context: Context): Trained => ({
  w: parameters,
  "trained-at": new Date(context.clock.now()).toISOString(),
  reviews,
  "log-loss": Math.round(logLoss.after * 1e6) / 1e6,
  version: 6,
});
