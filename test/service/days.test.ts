import fc from "fast-check";
import { expect, test } from "vitest";
import { endOfDate, endOfDay } from "../../src/service/days.ts";

const iso = (ms: number) => new Date(ms).toISOString();

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
])("ends the day of %s in %s at %s", (instant, zone, end) => {
  expect(iso(endOfDay(Date.parse(instant), zone))).toBe(end);
});

test("agrees with the machine's zone where none is given", () => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2e12 }), (instant) => {
      expect(endOfDay(instant, undefined)).toBe(endOfDay(instant, zone));
    }),
  );
});

test.each(["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu"])(
  "ends a day of the calendar with that day in %s",
  (zone) => {
    const end = endOfDate("2024-11-20", zone);
    const day = new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format;
    expect(day(end - 1)).toBe("2024-11-20");
    expect(day(end)).toBe("2024-11-21");
  },
);

test("ends a day of the calendar in the machine's zone, too", () => {
  expect(endOfDate("2024-11-20", undefined)).toBe(new Date(2024, 10, 21).getTime());
});

test("stays within what a date can be", () => {
  for (const zone of [undefined, "UTC"]) expect(endOfDay(8.64e15, zone)).toBe(8.64e15);
});
