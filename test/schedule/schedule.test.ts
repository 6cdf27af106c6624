import fc from "fast-check";
import { createEmptyCard, fsrs, Rating } from "ts-fsrs";
import { describe, expect, it } from "vitest";
import { schedule } from "../../src/schedule/index.ts";

const review = (date: string, remembered: boolean) => ({ date, "remembered?": remembered });

describe("the schedule", () => {
  it("gives the library's own instants for the same history", () => {
    const histories = fc.array(
      fc.record({ days: fc.double({ min: 0.01, max: 400, noNaN: true }), good: fc.boolean() }),
      {
        minLength: 1,
        maxLength: 15,
      },
    );
    fc.assert(
      fc.property(histories, fc.constantFrom(0.8, 0.9, 0.95), (steps, retention) => {
        let at = Date.UTC(2025, 0, 1, 9);
        const history = steps.map(({ days, good }) => {
          at += Math.round(days * 86_400_000);
          return review(new Date(at).toISOString(), good);
        });
        const library = fsrs({ request_retention: retention, enable_short_term: false, enable_fuzz: false });
        let card = createEmptyCard(new Date(history[0]?.date ?? 0));
        for (const r of history)
          card = library.next(card, new Date(r.date), r["remembered?"] ? Rating.Good : Rating.Again).card;
        expect(schedule(history, { retention })).toBe(card.due.toISOString());
      }),
    );
  });

  it("makes a new card due whole days later", () => {
    expect(schedule([review("2025-01-01T10:00:00.000Z", true)])).toBe("2025-01-04T10:00:00.000Z");
    expect(schedule([review("2025-01-01T10:00:00.000Z", false)])).toBe("2025-01-02T10:00:00.000Z");
  });

  it("does not mind order, repetition and reviews that say nothing", () => {
    const a = review("2025-01-01T10:00:00.000Z", true);
    const b = review("2025-01-09T10:00:00.000Z", false);
    const expected = schedule([a, b]);
    expect(schedule([b, a, b])).toBe(expected);
    expect(schedule([b, { date: "never", "remembered?": true }, { date: null }, {}, a])).toBe(expected);
    expect(schedule([])).toBeUndefined();
  });

  it("counts reviews before the year 100 as of its beginning", () => {
    const later = (year: string) =>
      schedule([review(`${year}-01-01T00:00:00.000Z`, true), review("1901-01-01T00:00:00.000Z", true)]);
    for (const year of ["0001", "0050", "0099"]) expect(later(year)).toBe(later("0100"));
  });
});
