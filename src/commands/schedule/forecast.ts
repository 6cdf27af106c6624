import type { Context } from "../../context/context.ts";
import { type ForecastCard, forecast } from "../../schedule/forecast.ts";
import { usualAnswer } from "../../schedule/today.ts";
import { leastReviews } from "../../schedule/training.ts";
import { integer, number } from "../../schema/index.ts";
import { listingOf } from "../../schema/resources.ts";
import { type CountedCard, memoryOf } from "../../stats/collect.ts";
import type { WorkStep } from "../../stats/figures.ts";
import { command, declare } from "../shared/command.ts";
import { readCards } from "../shared/read-cards.ts";
import { parametersInUse, schedulerFor } from "../shared/schedule.ts";
import { userDays } from "../shared/time.ts";

const declared = () =>
  declare(`Forecast the work of the next year for several retentions: answers and minutes a day, and how many cards are known at its end.

Simulated from the cards as they are, with your parameters, what you recall and how long you take. More retention costs
more work: the setting review.retention, or decks update --retention.

  deckhand schedule forecast
  deckhand schedule forecast Geography -o json`).argument(
    "[deck]",
    "only this deck and the decks under it (id, name or path)",
  );

export const forecastCommand = command(declared, async (deck, _options, context) => {
  const work = await workAhead(context);
  await readCards(deck, true, context, (card) => work.add(card));
  await context.print.list(workListing, work.steps());
  context.io.note(work.basis());
});

const workListing = listingOf("retentions", {
  retention: number({ about: "The share of cards to be remembered when they are due." }),
  "reviews-per-day": number({ about: "Answers a day, on average." }),
  "minutes-per-day": number({ about: "Minutes a day, on average." }),
  known: integer({ about: "How many cards would be recalled at the end." }),
});

const retentions = [0.8, 0.85, 0.9, 0.95];
const days = 365;
/** Of more cards every second, third and so on is simulated, and stands for all. */
const mostSimulated = 10_000;

/** Adds up cards, and simulates the year after. */
export const workAhead = async (context: Context): Promise<WorkAhead> =>
  new WorkAhead(await portsOf(context));

async function portsOf(context: Context) {
  const { dayOf } = userDays(context);
  return {
    scheduler: await schedulerFor(context),
    dayOf,
    today: dayOf(context.clock.now()),
    parameters: await parametersInUse(context),
    newPerDay: context.settings()["review.new-per-day"].value,
  };
}

type Ports = Awaited<ReturnType<typeof portsOf>>;

/** What answers of one outcome took. */
interface Took {
  count: number;
  seconds: number;
}

class WorkAhead {
  readonly #ports: Ports;
  readonly #cards: ForecastCard[] = [];
  readonly #own = { usable: 0, remembered: 0, predicted: 0 };
  /** By outcome, forgotten first. */
  readonly #took: readonly [Took, Took] = [
    { count: 0, seconds: 0 },
    { count: 0, seconds: 0 },
  ];
  #fresh = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  add({ reviews, due, state }: CountedCard): void {
    const { scheduler, dayOf } = this.#ports;
    const replayed = memoryOf(reviews, scheduler);
    for (const [index, { recall: predicted }] of replayed.entries()) {
      const { at = 0, remembered = false, seconds } = reviews[index] ?? {};
      const took = this.#took[remembered ? 1 : 0];
      if (seconds !== undefined) {
        took.count++;
        took.seconds += Math.min(seconds, 60);
      }
      // As in training: the first of each day, and of a card that was reviewed before.
      if (predicted === undefined || dayOf(at) <= dayOf(reviews[index - 1]?.at ?? 0)) continue;
      this.#own.usable++;
      this.#own.predicted += predicted;
      if (remembered) this.#own.remembered++;
    }
    const [last, newest] = [reviews.at(-1), replayed.at(-1)];
    if (state !== "active") return;
    if (last === undefined || newest === undefined) this.#fresh++;
    else {
      const { stability, difficulty } = newest;
      this.#cards.push({
        stability,
        difficulty,
        last: dayOf(last.at),
        due: dayOf(due ?? Date.parse(newest.due)),
      });
    }
  }

  /** For people: what was simulated. */
  basis(): string {
    const { usable } = this.#own;
    if (usable < leastReviews)
      return `Fewer than ${leastReviews} reviews (${usable}): by the averages of FSRS and ${usualAnswer} seconds an answer.`;
    return `By ${usable} reviews of your own.`;
  }

  steps(): WorkStep[] {
    const { today, parameters, newPerDay } = this.#ports;
    const scale = Math.max(1, Math.ceil((this.#cards.length + this.#fresh) / mostSimulated));
    const isOwn = this.#own.usable >= leastReviews;
    const mean = ({ count, seconds }: Took) => (isOwn && count > 0 ? seconds / count : usualAnswer);
    const [forgotten, remembered] = [mean(this.#took[0]), mean(this.#took[1])];
    const input = {
      cards: this.#cards.filter((_, index) => index % scale === 0),
      newCards: Math.round(this.#fresh / scale),
      newPerDay: newPerDay / scale,
      today,
      days,
      parameters,
      ownRecall: isOwn ? this.#own.remembered / this.#own.predicted : 1,
      // What is forgotten is asked again until it is remembered.
      seconds: { remembered, forgotten: forgotten + remembered },
      random: () => seeded(1),
    };
    const round = (value: number) => Math.round(value * scale * 10) / 10;
    return retentions.map((retention) => {
      const { reviewsPerDay, minutesPerDay, known } = forecast(input, retention);
      return {
        retention,
        "reviews-per-day": round(reviewsPerDay),
        "minutes-per-day": round(minutesPerDay),
        known: Math.round(known * scale),
      };
    });
  }
}

/** Mulberry32: the same numbers each time, from 0 to 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
