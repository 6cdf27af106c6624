import { describe, expect, test } from "vitest";
import { Days } from "../../src/schedule/days.ts";
import { Scheduler } from "../../src/schedule/index.ts";
import { type CountedReview, StatsCollector } from "../../src/stats/collect.ts";
import type { Figures } from "../../src/stats/figures.ts";
import { seededRandom } from "../support/random.ts";

/** Collections whose figures are computed a second time, by the calendar of Intl and by hand. */

const zones = ["America/Los_Angeles", "Pacific/Auckland", "America/St_Johns", "Asia/Kathmandu", "UTC"];
const hour = 3_600_000;

function figuresOf(timeZone: string, now: number, histories: readonly (readonly CountedReview[])[]): Figures {
  const days = new Days({ timeZone });
  const scheduler = new Scheduler({ days });
  const collector = new StatsCollector({
    now,
    dayOf: (instant) => days.dayOf(instant),
    scheduler,
  });
  for (const [index, reviews] of histories.entries())
    collector.add({
      id: `card${index}`,
      deckId: undefined,
      name: undefined,
      reviews,
      due: undefined,
      state: "active",
    });
  return collector.finish();
}

/** The date of the user's day by the clock on the wall: before four in the morning it is still the day before. */
function dateBy(timeZone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    hourCycle: "h23",
  });
  return (instant) => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const date = Date.parse(`${parts["year"]}-${parts["month"]}-${parts["day"]}`);
    return new Date(date - (Number(parts["hour"]) < 4 ? 24 * hour : 0)).toISOString().slice(0, 10);
  };
}

describe.each(zones)("in %s, over a year with both changes of clocks", (timeZone) => {
  const now = Date.parse("2026-11-22T18:00:00Z");
  const random = seededRandom(timeZone.length);
  const histories = Array.from({ length: 120 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 12) }, () => ({
      at: now - Math.floor(random() * 400 * 24) * hour - Math.floor(random() * hour),
      remembered: random() < 0.85,
      seconds: random() < 0.7 ? Math.floor(random() * 40) : undefined,
    })).sort((a, b) => a.at - b.at),
  );
  const figures = figuresOf(timeZone, now, histories);
  const date = dateBy(timeZone);

  test("the reviews, new cards and known seconds of every day are those of the wall clock", () => {
    const truth = new Map<string, { reviews: number; new: number; seconds: number | null }>();
    for (const history of histories)
      for (const [index, { at, seconds }] of history.entries()) {
        const day = truth.get(date(at)) ?? { reviews: 0, new: 0, seconds: null };
        day.reviews += 1;
        if (index === 0) day.new += 1;
        if (seconds !== undefined) day.seconds = (day.seconds ?? 0) + seconds;
        truth.set(date(at), day);
      }
    expect(Object.fromEntries(figures.days.map(({ date: day, ...rest }) => [day, rest]))).toEqual(
      Object.fromEntries(truth),
    );
  });

  test("retention of every month counts first reviews of a day that follow an earlier day", () => {
    const truth = new Map<string, { reviews: number; remembered: number }>();
    for (const history of histories) {
      let before: string | undefined;
      for (const { at, remembered } of history) {
        const day = date(at);
        if (before !== undefined && day !== before) {
          const month = truth.get(day.slice(0, 7)) ?? { reviews: 0, remembered: 0 };
          month.reviews += 1;
          if (remembered) month.remembered += 1;
          truth.set(day.slice(0, 7), month);
        }
        before = day;
      }
    }
    expect(
      Object.fromEntries(
        figures.retention.map(({ month, reviews, remembered }) => [month, { reviews, remembered }]),
      ),
    ).toEqual(Object.fromEntries(truth));
  });

  test("the longest streak is that of the dates", () => {
    const dates = [...new Set(histories.flat().map(({ at }) => date(at)))].sort();
    let longest = 0;
    let run = 0;
    for (const [index, day] of dates.entries()) {
      const follows = index > 0 && Date.parse(day) - Date.parse(dates[index - 1] ?? "") === 24 * hour;
      run = follows ? run + 1 : 1;
      longest = Math.max(longest, run);
    }
    expect(figures.streak.longest).toBe(longest);
  });
});

test("a simulated learner remembers as much as was predicted", () => {
  const random = seededRandom(5);
  const scheduler = new Scheduler({ days: new Days({ timeZone: "UTC" }) });
  const now = Date.parse("2026-11-22T18:00:00Z");
  const histories = Array.from({ length: 400 }, () => {
    const reviews: CountedReview[] = [];
    for (let at = now - Math.floor(100 + random() * 200) * 24 * hour; at < now; ) {
      const past = reviews.map((each) => ({
        date: new Date(each.at).toISOString(),
        "remembered?": each.remembered,
      }));
      const last = scheduler.replay(past).at(-1);
      const chance = last === undefined ? 0.6 : scheduler.recallAt(last, at);
      reviews.push({ at, remembered: random() < chance });
      const next = scheduler
        .replay([
          ...past,
          { date: new Date(at).toISOString(), "remembered?": reviews.at(-1)?.remembered ?? true },
        ])
        .at(-1);
      at = Date.parse(next?.due ?? "");
    }
    return reviews;
  });
  const { retention } = figuresOf("UTC", now, histories);
  const reviews = retention.reduce((sum, month) => sum + month.reviews, 0);
  const mean = (of: "true" | "predicted") =>
    retention.reduce((sum, month) => sum + (month[of] ?? 0) * month.reviews, 0) / reviews;
  expect(reviews).toBeGreaterThan(1000);
  expect(Math.abs(mean("true") - mean("predicted"))).toBeLessThan(0.02);
});
