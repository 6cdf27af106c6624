import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dateAt, type OffsetAt, parseDate, parseWhen, startOf } from "../src/dates.ts";

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.UTC(2026, 6, 31, 23, 30);
const fixed =
  (minutes: number): OffsetAt =>
  () =>
    minutes;
/** A real zone, from the data that Node carries. */
const zone = (name: string): OffsetAt => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  return (instant) => {
    const text = format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const match = /GMT([+-])(\d\d):(\d\d)/.exec(text);
    return match === null ? 0 : Number(`${match[1]}1`) * (Number(match[2]) * 60 + Number(match[3]));
  };
};
const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
const wall = (instant: number, offsetAt: OffsetAt) => dateOf(dateAt(instant, offsetAt));

const anyDate = fc
  .integer({ min: Date.UTC(1990, 0) / day, max: Date.UTC(2100, 0) / day })
  .map((n) => n * day);

describe("a calendar date", () => {
  test("is sent as noon UTC by a user in UTC", () => {
    expect(parseWhen("2026-07-31", now, fixed(0))).toEqual({
      text: "2026-07-31T12:00:00.000Z",
      instant: Date.UTC(2026, 6, 31, 12),
      date: "2026-07-31",
    });
  });

  test.each([
    [14 * 60, "2026-07-31T05:00:00.000Z"],
    [-12 * 60, "2026-07-31T18:00:00.000Z"],
    [120, "2026-07-31T11:00:00.000Z"],
    [-300, "2026-07-31T14:30:00.000Z"],
  ])("is sent as the middle of the hours that it has in both zones (%d minutes)", (offset, sent) => {
    expect(parseWhen("2026-07-31", now, fixed(offset))?.text).toBe(sent);
  });

  test("is that date in the user's zone and in UTC, at the middle, in every zone from -12 to +14", () => {
    fc.assert(
      fc.property(anyDate, fc.integer({ min: -12 * 4, max: 14 * 4 }), (date, quarters) => {
        const offsetAt = fixed(quarters * 15);
        const sent = Date.parse(parseWhen(dateOf(date), now, offsetAt)?.text ?? "");
        expect(dateOf(sent)).toBe(dateOf(date));
        expect(wall(sent, offsetAt)).toBe(dateOf(date));
        // As far from the first as from the last instant that is that date in both.
        const both = (at: number) => dateOf(at) === dateOf(date) && wall(at, offsetAt) === dateOf(date);
        const overlap = day - Math.abs(quarters * 15 * 60_000);
        expect(both(sent - overlap / 2) && both(sent + overlap / 2 - 1)).toBe(true);
        expect(both(sent - overlap / 2 - 1) || both(sent + overlap / 2)).toBe(false);
      }),
    );
  });

  test("holds on the days on which clocks change", () => {
    const zones = [
      "Europe/Berlin",
      "America/Sao_Paulo",
      "America/St_Johns",
      "Asia/Beirut",
      "Australia/Lord_Howe",
      "Pacific/Kiritimati",
    ].map(zone);
    fc.assert(
      fc.property(anyDate, fc.constantFrom(...zones), (date, offsetAt) => {
        // Kiritimati left a day out: another test is about such days.
        fc.pre([date, date - day].every((each) => startOf(each, offsetAt) !== undefined));
        const sent = Date.parse(parseWhen(dateOf(date), now, offsetAt)?.text ?? "");
        expect([dateOf(sent), wall(sent, offsetAt)]).toEqual([dateOf(date), dateOf(date)]);
        const start = startOf(date, offsetAt) ?? Number.NaN;
        expect([wall(start, offsetAt), wall(start - 1, offsetAt)]).toEqual([
          dateOf(date),
          dateOf(date - day),
        ]);
      }),
      {
        numRuns: 300,
        examples: [
          [Date.UTC(1994, 11, 31), zone("Pacific/Kiritimati")],
          [Date.UTC(1995, 0, 1), zone("Pacific/Kiritimati")],
        ],
      },
    );
    // Clocks in Brazil went from midnight to one o'clock: the day begins at one.
    expect(startOf(Date.UTC(2018, 10, 4), zone("America/Sao_Paulo"))).toBe(Date.UTC(2018, 10, 4, 3));
  });

  test("that the zone skipped is noon UTC", () => {
    const samoa = zone("Pacific/Apia");
    expect(startOf(Date.UTC(2011, 11, 30), samoa)).toBeUndefined();
    expect(parseWhen("2011-12-30", now, samoa)?.text).toBe("2011-12-30T12:00:00.000Z");
  });

  test.each([
    "2026-02-30",
    "2026-13-01",
    "26-07-31",
    "2026-7-31",
    "31.07.2026",
    "",
    "soon",
    "+d",
    "3d",
    "+3y",
  ])("is not %j", (text) => {
    expect(parseWhen(text, now, fixed(0))).toBeUndefined();
  });
});

describe("a day counted from today", () => {
  test.each([
    ["today", 0, "2026-07-31"],
    ["today", 60, "2026-08-01"],
    ["Tomorrow", 0, "2026-08-01"],
    ["yesterday", 60, "2026-07-31"],
    ["+3d", 0, "2026-08-03"],
    ["-1w", 0, "2026-07-24"],
    ["+0d", -720, "2026-07-31"],
  ])("%s at offset %d is %s", (text, offset, date) => {
    expect(parseWhen(text, now, fixed(offset))?.date).toBe(date);
  });

  test("is as far from today as it says, in every zone", () => {
    fc.assert(
      fc.property(
        anyDate,
        fc.integer({ min: 0, max: day - 1 }),
        fc.integer({ min: -12 * 4, max: 14 * 4 }),
        fc.integer({ min: -999, max: 999 }),
        (date, time, quarters, days) => {
          const offsetAt = fixed(quarters * 15);
          const text = `${days < 0 ? "" : "+"}${days}d`;
          const today = dateAt(date + time, offsetAt);
          expect(parseDate(text, date + time, offsetAt)).toBe(today + days * day);
          expect(parseDate("today", date + time, offsetAt)).toBe(today);
        },
      ),
    );
  });
});

describe("a timestamp", () => {
  test.each([
    ["2024-11-20T23:00:00.000Z", Date.UTC(2024, 10, 20, 23)],
    ["2024-11-20T23:00:00,5Z", Date.UTC(2024, 10, 20, 23, 0, 0, 500)],
    ["2024-11-20T23:00+05", Date.UTC(2024, 10, 20, 18)],
    ["2024-11-20T23:00:00-03:30", Date.UTC(2024, 10, 21, 2, 30)],
    ["2024-11-20T23:00", Date.UTC(2024, 10, 20, 23)],
  ])("%s stays as it is, and names its instant in any zone", (text, instant) => {
    for (const offset of [0, 330, -480])
      expect(parseWhen(text, now, fixed(offset))).toEqual({ text, instant, date: undefined });
  });

  test("now is this instant", () => {
    expect(parseWhen("now", now, fixed(0))?.text).toBe(new Date(now).toISOString());
  });
});
