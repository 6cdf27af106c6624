import { default_w } from "ts-fsrs";
import { expect, test } from "vitest";
import { type ForecastInput, forecast } from "../../src/schedule/forecast.ts";
import { seededRandom } from "../support/random.ts";

const input: ForecastInput = {
  cards: Array.from({ length: 300 }, (_, index) => ({
    stability: 1 + (index % 60),
    difficulty: 5,
    last: 20_000 - (index % 40),
    due: 20_000 + (index % 25) - 5,
  })),
  newCards: 100,
  newPerDay: 10,
  today: 20_000,
  days: 365,
  parameters: default_w,
  ownRecall: 1,
  seconds: { remembered: 8, forgotten: 16 },
  random: () => seededRandom(7),
};

test("more retention costs more reviews and minutes, and more cards are known at the end", () => {
  const steps = [0.8, 0.85, 0.9, 0.95].map((retention) => forecast(input, retention));
  for (const key of ["reviewsPerDay", "minutesPerDay", "known"] as const) {
    const values = steps.map((step) => step[key]);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
  }
  expect(steps.every(({ known }) => known > 240 && known < 400)).toBe(true);
});

test("the same input gives the same forecast, and every card is begun and reviewed when it is due", () => {
  const once = forecast(input, 0.9);
  expect(forecast(input, 0.9)).toEqual(once);
  const overdue = input.cards.filter(({ due }) => due <= 20_000).length;
  expect(once.reviews[0]).toBe(overdue + 10);
  expect(once.reviews).toHaveLength(365);
});

test("somebody who forgets more than is predicted has more to do", () => {
  expect(forecast({ ...input, ownRecall: 0.8 }, 0.9).reviewsPerDay).toBeGreaterThan(
    forecast(input, 0.9).reviewsPerDay * 1.2,
  );
});

test("an empty collection is no work", () => {
  const none = forecast({ ...input, cards: [], newCards: 0 }, 0.9);
  expect(none).toMatchObject({ reviewsPerDay: 0, minutesPerDay: 0, known: 0 });
});
