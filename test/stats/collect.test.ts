import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lapsesOf, lapsesOfReviews } from "../../src/schedule/lapses.ts";
import { type CountedCard, type CountedReview, StatsCollector } from "../../src/stats/collect.ts";
import type { Figures } from "../../src/stats/figures.ts";
import { steadyScheduler } from "./support.ts";

const dayLength = 86_400_000;
/** Noon of day 20,000. */
const now = 20_000 * dayLength + dayLength / 2;
const at = (daysAgo: number, hour = 12) => now - daysAgo * dayLength + (hour - 12) * 3_600_000;

function figuresOf(
  cards: readonly Partial<CountedCard>[],
  period: { since?: number; until?: number } = {},
): Figures {
  const collector = new StatsCollector({
    now,
    dayOf: (instant) => Math.floor(instant / dayLength),
    scheduler: steadyScheduler({ now, recall: 0.8, stability: 10 }),
    ...period,
  });
  for (const [index, card] of cards.entries())
    collector.add({
      id: `card${index}`,
      deckId: "deck",
      name: `name ${index}`,
      reviews: [],
      due: undefined,
      state: "active",
      ...card,
    });
  return collector.finish();
}

const review = (daysAgo: number, remembered = true, seconds?: number): CountedReview => ({
  at: at(daysAgo),
  remembered,
  seconds,
});

describe("the figures", () => {
  test("of an empty collection are zeros, and nothing is guessed", () => {
    const figures = figuresOf([]);
    expect(figures.today).toEqual({ reviews: 0, remembered: 0, new: 0, seconds: 0 });
    expect(figures.streak).toEqual({ current: 0, longest: 0 });
    expect(figures.days).toEqual([]);
    expect(figures.retention).toEqual([]);
    expect(figures.due.days).toHaveLength(30);
    expect(figures.totals).toEqual({
      cards: 0,
      new: 0,
      young: 0,
      mature: 0,
      archived: 0,
      reviews: 0,
      seconds: 0,
    });
  });

  test("of today count reviews, remembered, new cards and the known seconds", () => {
    const figures = figuresOf([
      { reviews: [review(3), review(0, false, 4)], due: at(-1) },
      { reviews: [review(0, true, 6)], due: at(-2) },
    ]);
    expect(figures.today).toEqual({ reviews: 2, remembered: 1, new: 1, seconds: 10 });
  });

  test("say null, not 0, where no review of a day has a duration", () => {
    const figures = figuresOf([{ reviews: [review(1), review(0)], due: at(-1) }]);
    expect(figures.today.seconds).toBeNull();
    expect(figures.days.map(({ seconds }) => seconds)).toEqual([null, null]);
    expect(figures.totals.seconds).toBeNull();
  });

  test("keep a streak alive until the end of today, and end it after a day without a review", () => {
    const days = (...ago: number[]) => [{ reviews: ago.map((each) => review(each)), due: at(-1) }];
    expect(figuresOf(days(3, 2, 1)).streak).toEqual({ current: 3, longest: 3 });
    expect(figuresOf(days(3, 2, 1, 0)).streak).toEqual({ current: 4, longest: 4 });
    expect(figuresOf(days(9, 8, 7, 6, 3, 2)).streak).toEqual({ current: 0, longest: 4 });
  });

  test("count for retention only the first review of a card on a day, not its very first", () => {
    const reviews = [
      review(9),
      { at: at(5, 10), remembered: false },
      { at: at(5, 11), remembered: true },
      { at: at(3), remembered: true },
    ];
    const figures = figuresOf(Array.from({ length: 5 }, () => ({ reviews, due: at(-1) })));
    expect(figures.retention).toEqual([
      { month: "2024-09", reviews: 5, remembered: 0, true: 0, predicted: 0.8 },
      { month: "2024-10", reviews: 5, remembered: 5, true: 1, predicted: 0.8 },
    ]);
  });

  test("leave a share of fewer than five reviews unknown", () => {
    const figures = figuresOf([{ reviews: [review(3), review(1)], due: at(-1) }]);
    expect(figures.retention).toEqual([
      { month: "2024-10", reviews: 1, remembered: 1, true: null, predicted: null },
    ]);
  });

  test("part what is due into overdue and the days to come, archived cards left out", () => {
    const figures = figuresOf([
      { reviews: [review(9)], due: at(2) },
      { reviews: [review(9)], due: at(0, 20) },
      { reviews: [review(9)], due: at(-1) },
      { reviews: [review(9)], due: at(-40) },
      { reviews: [review(9)], due: at(2), state: "archived" },
    ]);
    expect(figures.due.overdue).toBe(1);
    expect(figures.due.days.map(({ cards }) => cards).slice(0, 3)).toEqual([1, 1, 0]);
    expect(figures.totals).toMatchObject({ cards: 5, archived: 1, young: 3, mature: 1 });
  });

  test("put the cards with most lapses first, then the least stable", () => {
    const forgotten = [review(9), review(8, false), review(7), review(6, false)];
    const figures = figuresOf([
      { reviews: [review(9), review(8, false)], due: at(-1) },
      { reviews: forgotten, due: at(-1) },
      { reviews: [review(9, false)], due: at(-1) },
    ]);
    expect(figures.hardest.map(({ id, lapses }) => [id, lapses])).toEqual([
      ["card1", 2],
      ["card0", 1],
    ]);
  });

  test("of a period leave out days outside of it, but not the streak and what is due", () => {
    const cards = [{ reviews: [review(5, true, 1), review(2, true, 2), review(1, true, 3)], due: at(1) }];
    const figures = figuresOf(cards, { since: 19_998, until: 19_998 });
    expect(figures.days.map(({ date, seconds }) => [date, seconds])).toEqual([["2024-10-02", 2]]);
    expect(figures.totals).toMatchObject({ reviews: 1, seconds: 2 });
    expect(figures.streak.current).toBe(2);
    expect(figures.due.overdue).toBe(1);
  });

  test("count the reviews of a trashed card, but not the card", () => {
    const figures = figuresOf([{ reviews: [review(1), review(0, false)], due: at(-1), state: "trashed" }]);
    expect(figures.totals).toMatchObject({ cards: 0, new: 0, young: 0, reviews: 2 });
    expect(figures.due.days.every(({ cards }) => cards === 0)).toBe(true);
    expect(figures.hardest).toEqual([]);
  });

  test("agree with each other whatever the collection", () => {
    const reviews = fc
      .array(
        fc.record({
          at: fc.integer({ min: at(400), max: now }),
          remembered: fc.boolean(),
          seconds: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
        }),
        { maxLength: 12 },
      )
      .map((all) => all.sort((a, b) => a.at - b.at));
    const card = fc.record({
      reviews,
      due: fc.integer({ min: at(60), max: at(-60) }),
      archived: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(card, { maxLength: 20 }), (cards) => {
        const figures = figuresOf(
          cards.map((each) => (each.reviews.length === 0 ? { ...each, due: undefined } : each)),
        );
        const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
        const { totals } = figures;
        const all = cards.flatMap((each) => each.reviews);
        expect(totals.reviews).toBe(all.length);
        expect(sum(figures.days.map((day) => day.reviews))).toBe(totals.reviews);
        expect(sum(figures.days.map((day) => day.new))).toBe(
          cards.filter((each) => each.reviews.length > 0).length,
        );
        expect(totals.new + totals.young + totals.mature + totals.archived).toBe(totals.cards);
        for (const bins of [figures.intervals, figures.stability, figures.difficulty, figures.retrievability])
          expect(sum(bins.map((bin) => bin.cards))).toBe(totals.young + totals.mature);
        const known = all.filter((each) => each.seconds !== undefined);
        expect(totals.seconds).toBe(
          all.length === 0 ? 0 : known.length === 0 ? null : sum(known.map((each) => each.seconds ?? 0)),
        );
        expect(figures.streak.longest).toBeGreaterThanOrEqual(figures.streak.current);
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});

test("a lapse is a day on which a card was forgotten that had been remembered on an earlier one", () => {
  /** A word for each day, its reviews as `+` and `-`. */
  const of = (...days: string[]) =>
    lapsesOf(
      days.flatMap((signs, day) => [...signs].map((sign) => ({ at: day, remembered: sign === "+" }))),
      (at) => at,
    );
  expect(of("--", "-", "+")).toBe(0);
  expect(of("+-", "-", "-+", "+", "---+")).toBe(3);
});

test("a review without a date hides no lapse", () => {
  const review = (remembered: boolean, date?: string) => ({
    ...(date === undefined ? {} : { date }),
    "remembered?": remembered,
  });
  const reviews = [
    review(true),
    review(false, "2026-03-02T00:00:00.000Z"),
    review(true, "2026-03-01T00:00:00.000Z"),
  ];
  expect(lapsesOfReviews(reviews, (at) => Math.floor(at / 86_400_000))).toBe(1);
});
