import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Days, dateOfDay, dayOfDate, formatStart, isTimeZone, parseStart } from "../../src/schedule/days.ts";

const iso = (ms: number) => new Date(ms).toISOString();
const day = (days: Days, instant: string) => dateOfDay(days.dayOf(Date.parse(instant)));

describe("a day", () => {
  test.each([
    ["2024-11-20T10:00:00Z", "UTC", "2024-11-21T00:00:00.000Z"],
    ["2024-11-20T00:00:00Z", "UTC", "2024-11-21T00:00:00.000Z"],
    ["2024-11-20T23:59:59.999Z", "UTC", "2024-11-21T00:00:00.000Z"],
    ["2024-11-20T23:30:00Z", "Europe/Vienna", "2024-11-21T23:00:00.000Z"],
    ["2024-11-20T03:00:00Z", "America/New_York", "2024-11-20T05:00:00.000Z"],
    // 25 hours and 23 hours: clocks change.
    ["2024-10-27T00:00:00Z", "Europe/Vienna", "2024-10-27T23:00:00.000Z"],
    ["2024-03-31T00:00:00Z", "Europe/Vienna", "2024-03-31T22:00:00.000Z"],
    // A day without midnight, and one that does not exist at all.
    ["2024-09-07T12:00:00Z", "America/Santiago", "2024-09-08T04:00:00.000Z"],
    ["2011-12-29T23:00:00Z", "Pacific/Apia", "2011-12-30T10:00:00.000Z"],
  ])("that holds %s in %s and begins at midnight ends at %s", (instant, timeZone, end) => {
    const days = new Days({ timeZone, startsAt: 0 });
    expect(iso(days.endOf(days.dayOf(Date.parse(instant))))).toBe(end);
  });

  test("that begins at 04:00 holds the hours after midnight", () => {
    const days = new Days({ timeZone: "Europe/Oslo" });
    expect(day(days, "2025-01-10T22:59:00Z")).toBe("2025-01-10");
    expect(day(days, "2025-01-10T23:01:00Z")).toBe("2025-01-10");
    expect(day(days, "2025-01-11T02:59:59Z")).toBe("2025-01-10");
    expect(day(days, "2025-01-11T03:00:00Z")).toBe("2025-01-11");
    expect(iso(days.startOf(dayOfDate("2025-01-11")))).toBe("2025-01-11T03:00:00.000Z");
  });

  test("agrees with the zone of the process where none is given", () => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e12 }), fc.constantFrom(0, 240), (instant, startsAt) => {
        const [ours, named] = [new Days({ startsAt }), new Days({ timeZone, startsAt })];
        const day = named.dayOf(instant);
        expect(ours.dayOf(instant)).toBe(day);
        expect([ours.noonOf(day), ours.endOf(day)]).toEqual([named.noonOf(day), named.endOf(day)]);
      }),
    );
  });

  test("holds its own noon, and ends where the next one begins, in every zone", () => {
    const zones = fc.constantFrom(
      "America/St_Johns",
      "Pacific/Kiritimati",
      "Pacific/Pago_Pago",
      "Asia/Kathmandu",
    );
    fc.assert(
      fc.property(zones, fc.constantFrom(0, 240, 720), fc.integer({ min: 12_000, max: 24_000 }), (...all) => {
        const [timeZone, startsAt, day] = all;
        const days = new Days({ timeZone, startsAt });
        expect(days.dayOf(days.noonOf(day))).toBe(day);
        expect(days.dayOf(days.endOf(day))).toBe(day + 1);
        expect(days.dayOf(days.endOf(day) - 1)).toBe(day);
        expect(days.startOf(day + 1)).toBe(days.endOf(day));
      }),
    );
  });

  test("stays within what a date can be", () => {
    for (const timeZone of [undefined, "UTC"]) {
      const days = new Days({ timeZone });
      expect(days.endOf(days.dayOf(8.64e15))).toBe(8.64e15);
    }
  });
});

test("the start of a day is a time from midnight to noon", () => {
  for (const [text, minutes] of [
    ["00:00", 0],
    ["4:00", 240],
    ["04:30", 270],
    ["12:00", 720],
  ] as const)
    expect(parseStart(text)).toBe(minutes);
  for (const text of ["", "4", "12:01", "24:00", "04:60", "-1:00"]) expect(parseStart(text)).toBeUndefined();
  expect(formatStart(270)).toBe("04:30");
});

test("a name that is no time zone is recognised", () => {
  expect(isTimeZone("Europe/Oslo")).toBe(true);
  expect(isTimeZone("Europe/Nowhere")).toBe(false);
});

test("the first and the last instant that a Date can hold have a date", () => {
  for (const timeZone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
    for (const instant of [-8.64e15, 8.64e15])
      expect(dateOfDay(new Days({ timeZone }).dayOf(instant))).toMatch(/^[+-]\d{6}-\d\d-\d\d$/);
});
