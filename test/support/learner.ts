import { FSRSAlgorithm, Rating } from "ts-fsrs";
import type { DayHistory } from "../../src/schedule/training.ts";

/**
 * A learner whose memory follows FSRS with known parameters: each review is remembered with the chance that they give.
 * Cards come up around the time when they would be recalled with 90%, some earlier, some later.
 */
export function simulateLearner(
  parameters: readonly number[],
  { cards, days, random }: { cards: number; days: number; random: () => number },
): DayHistory[] {
  const fsrs = new FSRSAlgorithm({ w: [...parameters], enable_short_term: false, enable_fuzz: false });
  return Array.from({ length: cards }, () => {
    const history: { day: number; remembered: boolean }[] = [];
    let memory: { stability: number; difficulty: number } | null = null;
    let last = 0;
    for (let day = Math.floor(random() * days * 0.7); day < days; ) {
      const elapsed = memory === null ? 0 : day - last;
      const recall = memory === null ? undefined : fsrs.forgetting_curve(elapsed, memory.stability);
      const remembered = random() < (recall ?? 0.7);
      history.push({ day, remembered });
      memory = fsrs.next_state(memory, elapsed, remembered ? Rating.Good : Rating.Again, recall);
      last = day;
      day += Math.max(1, Math.round(memory.stability * (0.5 + random())));
    }
    return history;
  });
}
