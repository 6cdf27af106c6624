import type { Scheduler } from "../../src/schedule/index.ts";

const dayLength = 86_400_000;

/** A scheduler that says the same of every review but a first one, whose chance of recall it does not know. */
export const steadyScheduler = ({
  now,
  recall,
  stability,
}: {
  readonly now: number;
  readonly recall: number;
  readonly stability: number;
}): Pick<Scheduler, "replay" | "recallAt"> => ({
  replay: (reviews) =>
    reviews.map(({ date }, index) => ({
      ...{ date: date ?? "", due: new Date(now).toISOString(), interval: 1, stability, difficulty: 5 },
      recall: index === 0 ? undefined : recall,
    })),
  recallAt: (last, at) => 0.9 ** ((at - new Date(last.date).getTime()) / dayLength / last.stability),
});
