import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { count } from "../../output/words.ts";
import type { Optimizer } from "../../schedule/training.ts";
import {
  type DayHistory,
  dayHistory,
  leastReviews,
  type Training,
  train,
  usableReviews,
} from "../../schedule/training.ts";
import type { ScheduleDocument } from "../../schema/index.ts";
import { array, integer, number, timestamp } from "../../schema/index.ts";
import { listingOf } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { whileCounting } from "../shared/lists.ts";
import { readCards } from "../shared/read-cards.ts";
import { parametersInUse, resetParameters, storeParameters, trainedParameters } from "../shared/schedule.ts";
import { userDays } from "../shared/time.ts";

const declaredShow = () =>
  declare(`Show the parameters by which due dates are computed.

  deckhand schedule show
  deckhand schedule show --jq .retention`);

export const showCommand = command(declaredShow, async (_, context) => {
  const trained = await trainedParameters(context);
  const document = {
    retention: context.settings()["review.retention"].value,
    "trained-at": trained?.["trained-at"] ?? null,
    reviews: trained?.reviews ?? null,
    "log-loss": trained?.["log-loss"] ?? null,
    w: await parametersInUse(context),
  };
  await context.print.documents(scheduleListing, [document], false);
  if (trained === undefined)
    context.io.say("These are the defaults of FSRS. `deckhand schedule train` learns from your reviews.");
});

const scheduleListing = listingOf("schedule", {
  retention: number({ about: "The share of cards to be remembered when they are due." }),
  "trained-at": timestamp({ about: "When the parameters were trained; empty for the defaults." }),
  reviews: integer({ about: "How many reviews they were trained on." }),
  "log-loss": number({ about: "How well they predicted reviews that they were not trained on." }),
  w: array(number(), { about: "The 21 parameters of FSRS-6." }),
});

const declaredReset = () =>
  declare(`Go back to the default parameters. Due dates stay as they are.

  deckhand schedule reset
  deckhand schedule reset --profile work`);

export const resetCommand = command(declaredReset, async (_, context) => {
  if (context.options.dryRun) return context.io.note("Would reset the parameters to the defaults of FSRS");
  await resetParameters(context);
  context.io.say("Reset the parameters to the defaults of FSRS");
});

const declaredApply = () =>
  declare(`Compute due dates again, by the retention and the parameters that are set now.

Changing either moves nothing that is due already. First says how many cards move, and by how much.

  deckhand schedule apply Geography --dry-run
  deckhand schedule apply`).argument("[deck]", "only this deck and the decks under it (id, name or path)");

export const applyCommand = command(declaredApply, async (deck, _options, context) => {
  const client = await context.client();
  if (!(await client.service.has("schedule")))
    throw new UsageError("this service cannot compute due dates again: the API has no way");
  const body = {
    reschedule: true,
    ...(deck === undefined ? {} : { "deck-id": (await (await context.names()).deck(deck)).id }),
  };
  const preview = await client.schedule.put({ ...body, preview: true });
  context.io.note(movesText(preview));
  if (context.options.dryRun || (preview.moved ?? 0) === 0) return;
  await context.io.confirm("Move these due dates?", "nothing was changed");
  const { moved = 0 } = await client.schedule.put(body);
  context.io.say(`Moved ${count(moved ?? 0, "card")}`);
});

/** How many cards a reschedule moves, which way and how far. */
function movesText({ moved, later, days }: ScheduleDocument): string {
  const [all, back] = [moved ?? 0, later ?? 0];
  if (all === 0) return "No due date changes.";
  const mean = ((days ?? 0) / all).toFixed(1);
  return `${count(all - back, "card")} become due earlier, ${back} later; by ${mean} days on average.`;
}

const declaredTrain = () =>
  declare(`Learn the parameters of FSRS from your own reviews.

Needs ${leastReviews} reviews of cards that were reviewed before. The parameters are kept
only if they predict your latest reviews better than those in use.

  deckhand schedule train --dry-run
  deckhand schedule train --reschedule`)
    .option("-d, --deck <deck>", "learn only from this deck and the decks under it")
    .option("--reschedule", "compute the due dates of all cards again, after showing how many move");

export const trainCommand = command(declaredTrain, async (options, context) => {
  const client = await context.client();
  if (options.reschedule && !(await client.service.has("schedule")))
    throw new UsageError("this service cannot compute due dates again", {
      hint: "Without --reschedule the parameters count from the next review of each card on.",
    });
  const { dayOf } = userDays(context);
  const histories: DayHistory[] = [];
  await readCards(options.deck, true, context, ({ reviews }) => {
    if (reviews.length > 0) histories.push(dayHistory(reviews, dayOf));
  });
  const usable = usableReviews(histories);
  if (usable < leastReviews)
    throw new DeckhandError(
      "refused",
      `${usable} usable reviews are too few to train on; ${leastReviews} are needed`,
      { hint: "A review is usable if the card was reviewed on an earlier day." },
    );
  const before = await parametersInUse(context);
  const optimize = await loadOptimizer();
  const training = await whileCounting("Training", context, (progress) =>
    train(histories, before, optimize, (share) => progress(Math.round(share * 100), 100)),
  );
  await report(training, context);
  if (!training.better) {
    context.io.note("The parameters in use predict your reviews as well: they are kept.");
    return;
  }
  if (options.reschedule)
    context.io.note(
      movesText(await client.schedule.put({ w: training.parameters, reschedule: true, preview: true })),
    );
  if (context.options.dryRun) return context.io.note("Dry run: nothing was changed.");
  if (options.reschedule) await context.io.confirm("Move these due dates?", "nothing was changed");
  const trained = {
    w: training.parameters,
    "trained-at": new Date(context.clock.now()).toISOString(),
    reviews: training.reviews,
    "log-loss": Math.round(training.logLoss.after * 1e6) / 1e6,
    version: 6,
  } as const;
  const moved = await storeParameters(trained, options.reschedule === true, context);
  context.io.say(`Stored the new parameters${options.reschedule ? `; ${moved} cards moved` : ""}`);
});

/** The figures, as a document in a pipe and as a sentence on a terminal. */
async function report({ reviews, logLoss, better, parameters }: Training, context: Context): Promise<void> {
  if (context.io.stdout.isTTY !== true || context.print.json)
    return context.print.value({ reviews, "log-loss": logLoss, better, w: parameters });
  const figure = (value: number) => value.toFixed(4);
  await context.io.write(
    `Trained on ${reviews} reviews. Log loss on later reviews: ${figure(logLoss.before)} before, ${figure(logLoss.after)} after (lower is better).\n`,
  );
}

const packageName = "@open-spaced-repetition/binding";

/**
 * The optimizer of FSRS, an optional package with a native part.
 *
 * @throws UsageError that says what to install
 */
export async function loadOptimizer(): Promise<Optimizer> {
  const binding = await import("@open-spaced-repetition/binding").catch((cause: unknown) => {
    throw new UsageError(`training needs the package ${packageName}, which is not installed`, {
      hint: `Install it with: npm install -g ${packageName}@0.5.0`,
      cause,
    });
  });
  const { computeParameters, FSRSBindingItem, FSRSBindingReview } = binding;
  return (items, progress) =>
    computeParameters(
      items.map(
        ({ reviews }) =>
          new FSRSBindingItem(reviews.map(({ rating, deltaT }) => new FSRSBindingReview(rating, deltaT))),
      ),
      {
        enableShortTerm: false,
        progress: (done, all) => {
          progress(done, all);
          return true;
        },
      },
    );
}
