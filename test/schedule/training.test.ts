import { default_w, FSRSAlgorithm, Rating } from "ts-fsrs";
import { describe, expect, test } from "vitest";
import { loadOptimizer } from "../../src/commands/schedule/parameters.ts";
import {
  type DayHistory,
  dayHistory,
  train,
  trainingItems,
  usableReviews,
} from "../../src/schedule/training.ts";
import { simulateLearner } from "../support/learner.ts";
import { seededRandom } from "../support/random.ts";
import { count, figure } from "../support/soak.ts";

const optimizer = await loadOptimizer().catch(() => undefined);

/** Parameters some way off the defaults, in the bounds of FSRS. */
function someTruth(random: () => number): number[] {
  const bounded = [0, 2, 8, 11];
  return default_w.map((w, index) => (bounded.includes(index) ? w * (0.6 + random() * 1.2) : w));
}

/** The mean log loss of all reviews but the first of each card, each predicted from those before it. */
function meanLogLoss(histories: readonly DayHistory[], parameters: readonly number[]): number {
  const fsrs = new FSRSAlgorithm({ w: [...parameters], enable_short_term: false, enable_fuzz: false });
  const losses = histories.flatMap((history) => {
    let memory: { stability: number; difficulty: number } | null = null;
    let last = 0;
    return history.flatMap(({ day, remembered }) => {
      const elapsed = memory === null ? 0 : day - last;
      const recall = memory === null ? undefined : fsrs.forgetting_curve(elapsed, memory.stability);
      memory = fsrs.next_state(memory, elapsed, remembered ? Rating.Good : Rating.Again, recall);
      last = day;
      return recall === undefined ? [] : [-Math.log(remembered ? recall : 1 - recall)];
    });
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

describe("training", () => {
  test("takes the first review of each local day", () => {
    const history = dayHistory(
      [
        { at: 10, remembered: false },
        { at: 15, remembered: true },
        { at: 31, remembered: true },
      ],
      (instant) => Math.floor(instant / 10),
    );
    expect(history).toEqual([
      { day: 1, remembered: false },
      { day: 3, remembered: true },
    ]);
  });

  test("learns from every prefix of two reviews and more, in order of time", () => {
    const histories = [
      [
        { day: 1, remembered: true },
        { day: 9, remembered: true },
      ],
      [
        { day: 0, remembered: false },
        { day: 2, remembered: true },
        { day: 20, remembered: false },
      ],
      [{ day: 5, remembered: true }],
    ];
    expect(usableReviews(histories)).toBe(3);
    expect(trainingItems(histories).map(({ reviews }) => reviews)).toEqual([
      [
        { rating: 1, deltaT: 0 },
        { rating: 3, deltaT: 2 },
      ],
      [
        { rating: 3, deltaT: 0 },
        { rating: 3, deltaT: 8 },
      ],
      [
        { rating: 1, deltaT: 0 },
        { rating: 3, deltaT: 2 },
        { rating: 1, deltaT: 18 },
      ],
    ]);
  });

  test.skipIf(optimizer === undefined)(
    "comes within 1% of a known truth, and gives the same parameters for the same input",
    async () => {
      if (optimizer === undefined) return;
      const random = seededRandom(11);
      const truth = someTruth(random);
      const histories = simulateLearner(truth, {
        cards: count("learner_cards", 1500, 18_000),
        days: 600,
        random,
      });
      const training = await train(histories, default_w, optimizer);
      const fresh = simulateLearner(truth, { cards: 4000, days: 600, random });
      const [trained, best] = [meanLogLoss(fresh, training.parameters), meanLogLoss(fresh, truth)];
      figure("training", {
        reviews: training.reviews,
        trained,
        best,
        defaults: meanLogLoss(fresh, default_w),
      });
      expect(trained / best).toBeLessThan(1.01);
      expect((await train(histories, default_w, optimizer)).parameters).toEqual(training.parameters);
    },
    300_000,
  );

  const learners = count("learners", 4, 20);
  test.skipIf(optimizer === undefined)(
    `that is kept is never worse than the defaults on reviews it has not seen (${learners} learners)`,
    async () => {
      if (optimizer === undefined) return;
      let kept = 0;
      for (let learner = 0; learner < learners; learner++) {
        const random = seededRandom(100 + learner);
        const truth = someTruth(random);
        const histories = simulateLearner(truth, { cards: 150, days: 400, random });
        const { parameters, better } = await train(histories, default_w, optimizer);
        if (!better) continue;
        kept += 1;
        const fresh = simulateLearner(truth, { cards: 2000, days: 400, random });
        expect(meanLogLoss(fresh, parameters)).toBeLessThan(meanLogLoss(fresh, default_w));
      }
      figure("learners whose parameters were kept", kept);
    },
    300_000,
  );
});
