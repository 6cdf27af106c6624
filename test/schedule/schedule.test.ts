import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Days } from "../../src/schedule/days.ts";
import { Scheduler } from "../../src/schedule/index.ts";

const review = (date: string, remembered: boolean) => ({ date, "remembered?": remembered });
const utc = new Days({ timeZone: "UTC", startsAt: 0 });
const schedule = (history: Parameters<Scheduler["due"]>[0]) => new Scheduler({ days: utc }).due(history);

interface LocalDaysCase {
  readonly zone: string;
  readonly startsAt: number;
  readonly retention: number;
  readonly at: readonly string[];
  readonly remembered: readonly boolean[];
  readonly intervals: readonly number[];
  readonly dues: readonly string[];
}

/** Computed by local-days.py beside it. */
const table = JSON.parse(
  readFileSync(new URL("../fixtures/schedule/local-days.json", import.meta.url), "utf8"),
) as LocalDaysCase[];

describe("the schedule", () => {
  it("agrees with the published formulas over local days in every case of the table", () => {
    expect(table.length).toBeGreaterThanOrEqual(200);
    const differences = table.filter(({ zone, startsAt, retention, at, remembered, intervals, dues }) => {
      const scheduler = new Scheduler({ days: new Days({ timeZone: zone, startsAt }), retention });
      const history = at.map((date, index) => review(date, remembered[index] as boolean));
      // The table has reviews in the order of its lines, which is the order of their instants.
      const replayed = scheduler.replay(history);
      return (
        JSON.stringify(replayed.map(({ interval }) => interval)) !== JSON.stringify(intervals) ||
        JSON.stringify(replayed.map(({ due }) => due.replace(".000Z", "Z"))) !== JSON.stringify(dues)
      );
    });
    expect(differences).toEqual([]);
  });

  it("gives the same intervals for the same local times in every zone", () => {
    const zones = [
      "America/Los_Angeles",
      "Pacific/Auckland",
      "America/St_Johns",
      "Asia/Kathmandu",
      "Pacific/Kiritimati",
    ];
    // No zone changes its clocks between 05:00 and 22:00, so that each of these times exists once everywhere.
    const localTimes = fc.array(
      fc.record({ day: fc.nat(700), minute: fc.integer({ min: 300, max: 1320 }), good: fc.boolean() }),
      { minLength: 1, maxLength: 10 },
    );
    fc.assert(
      fc.property(localTimes, fc.constantFrom(0, 240, 600), (times, startsAt) => {
        const [first, ...others] = zones.map((timeZone) => {
          const noon = new Days({ timeZone, startsAt: 0 });
          const history = times.map(({ day, minute, good }) =>
            review(new Date(noon.noonOf(20_000 + day) + (minute - 720) * 60_000).toISOString(), good),
          );
          const days = new Days({ timeZone, startsAt });
          return new Scheduler({ days }).replay(history).map(({ interval }) => interval);
        });
        for (const other of others) expect(other).toEqual(first);
      }),
    );
  });

  it("makes a new card due at noon, whole days later", () => {
    expect(schedule([review("2025-01-01T10:00:00.000Z", true)])).toBe("2025-01-03T12:00:00.000Z");
    expect(schedule([review("2025-01-01T23:00:00.000Z", false)])).toBe("2025-01-02T12:00:00.000Z");
  });

  it("counts 22:00 and 15:30 three local days later as three days", () => {
    const history = [review("2025-03-09T06:00:00.000Z", true), review("2025-03-11T22:30:00.000Z", true)];
    const elapsedThree = [review("2025-03-08T12:00:00.000Z", true), review("2025-03-11T12:00:00.000Z", true)];
    const losAngeles = new Scheduler({ days: new Days({ timeZone: "America/Los_Angeles" }) });
    const intervals = ({ replay }: { replay: { interval: number }[] }) =>
      replay.map(({ interval }) => interval);
    expect(intervals({ replay: losAngeles.replay(history) })).toEqual(
      intervals({ replay: new Scheduler({ days: utc }).replay(elapsedThree) }),
    );
  });

  it("does not mind order, repetition and reviews that carry nothing", () => {
    const a = review("2025-01-01T10:00:00.000Z", true);
    const b = review("2025-01-09T10:00:00.000Z", false);
    const expected = schedule([a, b]);
    expect(schedule([b, a, b])).toBe(expected);
    expect(schedule([b, { date: "never", "remembered?": true }, { date: null }, {}, a])).toBe(expected);
    expect(schedule([])).toBeUndefined();
  });

  it("takes reviews of every year", () => {
    for (const year of ["0001", "0050", "0100", "9999"])
      expect(Date.parse(schedule([review(`${year}-01-01T00:00:00.000Z`, true)]) ?? "")).not.toBeNaN();
  });

  it("gives the chance to recall, which is the retention when a card is due", () => {
    const scheduler = new Scheduler({ days: utc });
    const [only] = scheduler.replay([review("2025-01-01T10:00:00.000Z", true)]);
    if (only === undefined) throw new Error("no review");
    expect(only).toMatchObject({ recall: undefined, stability: 2.3065, interval: 2 });
    expect(scheduler.recallAt(only, Date.parse("2025-01-01T20:00:00.000Z"))).toBe(1);
    expect(scheduler.recallAt(only, Date.parse(only.due))).toBeCloseTo(0.91, 2);
  });
});
