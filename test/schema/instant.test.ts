import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalInstant, instantText, isInstant, parseInstant } from "../../src/schema/index.ts";

describe("an instant", () => {
  it("is understood in every ISO 8601 form that names one", () => {
    const forms: [string, string][] = [
      ["2024-11-20T23:00:00.000Z", "2024-11-20T23:00:00.000Z"],
      ["2024-11-20", "2024-11-20T00:00:00.000Z"],
      ["2024-11-20T23:00", "2024-11-20T23:00:00.000Z"],
      ["2024-11-20T23:00:07", "2024-11-20T23:00:07.000Z"],
      ["2024-11-20T23:00:07.5Z", "2024-11-20T23:00:07.500Z"],
      ["2024-11-20T23:00:07,123456789Z", "2024-11-20T23:00:07.123Z"],
      ["2024-11-20t23:00:07z", "2024-11-20T23:00:07.000Z"],
      ["2024-11-21T01:00:00+02:00", "2024-11-20T23:00:00.000Z"],
      ["2024-11-20T17:30:00-0530", "2024-11-20T23:00:00.000Z"],
      ["2024-11-21T01:00+02", "2024-11-20T23:00:00.000Z"],
      ["2024-12-31T23:59:59.999-23:59", "2025-01-01T23:58:59.999Z"],
      ["2024-02-29", "2024-02-29T00:00:00.000Z"],
      ["2000-02-29T24:00:00.000", "2000-03-01T00:00:00.000Z"],
      ["0000-01-01", "0000-01-01T00:00:00.000Z"],
      ["0099-12-31T00:00:00Z", "0099-12-31T00:00:00.000Z"],
      ["+012024-11-20T00:00:00.000Z", "+012024-11-20T00:00:00.000Z"],
      ["-000001-03-01T00:00:00.000Z", "-000001-03-01T00:00:00.000Z"],
      ["+275760-09-13T00:00:00.000Z", "+275760-09-13T00:00:00.000Z"],
    ];
    for (const [text, canonical] of forms) {
      expect(canonicalInstant(text), text).toBe(canonical);
      expect(isInstant(text), text).toBe(true);
      expect(parseInstant(text), text).toBe(Date.parse(canonical));
    }
  });

  it("is refused if there is no such day, hour or zone, or if the text is no ISO 8601", () => {
    const texts = [
      "",
      " ",
      "soon",
      "2024",
      "2024-11",
      "20241120",
      "2024-11-20 23:00:00",
      "2024-11-20T23",
      "2024-11-20T23:00:00.",
      "2024-11-20T23:00:00.1234567890Z",
      " 2024-11-20",
      "2024-11-20T00:00:00.000Z\n",
      "2024-02-30",
      "2024-02-31T00:00:00.000Z",
      "2023-02-29T00:00:00.000Z",
      "1900-02-29",
      "2024-04-31T00:00:00.000Z",
      "2024-04-31",
      "2024-06-31",
      "2024-09-31",
      "2024-11-31",
      "2024-00-10",
      "2024-13-10T00:00:00.000Z",
      "2024-01-00",
      "2024-01-32",
      "2024-11-20T24:00:00.001Z",
      "2024-11-20T24:00:01Z",
      "2024-11-20T25:00:00Z",
      "2024-11-20T23:60:00Z",
      "2024-12-31T23:59:60Z",
      "2016-12-31T23:59:60.000Z",
      "2024-11-20T23:00:00+24:00",
      "2024-11-20T23:00:00+02:60",
      "2024-11-20T23:00:00+2",
      "2024-11-20Z",
      "-000000-01-01",
      "12024-11-20",
      "+2024-11-20",
      "+275760-09-13T00:00:00.001Z",
      "2024-11-20T23:00:00.000Z; x",
      "٢٠٢٤-11-20",
    ];
    for (const text of texts) {
      expect(parseInstant(text), text).toBeNaN();
      expect(canonicalInstant(text), text).toBeUndefined();
      expect(isInstant(text), text).toBe(false);
    }
    for (const value of [undefined, null, 0, 1.7e12, new Date(0), {}, ["2024-11-20"]])
      expect(isInstant(value)).toBe(false);
  });

  it("is written as Date#toJSON writes it, and read back, whenever it is", () => {
    const ms = fc.oneof(
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.integer({ min: -1e12, max: 5e12 }),
      fc.integer({ min: 253_402_300_790_000, max: 253_402_300_810_000 }),
      fc.integer({ min: -62_200_000_000_000, max: -62_000_000_000_000 }),
    );
    fc.assert(
      fc.property(ms, (ms) => {
        const text = new Date(ms).toJSON();
        expect(instantText(ms)).toBe(text);
        expect(parseInstant(text)).toBe(ms);
        expect(canonicalInstant(text)).toBe(text);
      }),
      { numRuns: 3000 },
    );
  });

  it("is written for every day of four hundred years", () => {
    for (let day = -1000; day < 146_097; day++) {
      const expected = new Date(day * 86_400_000).toISOString().slice(0, 10);
      const text = instantText(day * 86_400_000 + 1);
      if (text?.slice(0, 10) !== expected) expect.fail(`${text} is not on ${expected}`);
    }
  });

  it("drops fractions of a millisecond and has a limit", () => {
    expect(instantText(1.9)).toBe("1970-01-01T00:00:00.001Z");
    expect(instantText(-0)).toBe("1970-01-01T00:00:00.000Z");
    expect(instantText(-1.9)).toBe("1969-12-31T23:59:59.999Z");
    for (const ms of [8.64e15 + 1, -8.64e15 - 1, Infinity, Number.NaN])
      expect(instantText(ms)).toBeUndefined();
  });

  it("agrees with Date.parse about every text that both understand", () => {
    const field = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, "0"));
    const text = fc
      .tuple(fc.integer({ min: 0, max: 9999 }), field(13), field(32), field(25), field(61), field(61))
      .map(([y, mo, d, h, mi, s]) => `${String(y).padStart(4, "0")}-${mo}-${d}T${h}:${mi}:${s}Z`);
    fc.assert(
      fc.property(text, (text) => {
        const own = parseInstant(text);
        // Date.parse takes 30 February for 1 March.
        if (!Number.isNaN(own)) expect(own).toBe(Date.parse(text));
        else if (!Number.isNaN(Date.parse(text)))
          expect(new Date(text).getUTCDate()).not.toBe(Number(text.slice(8, 10)));
      }),
      { numRuns: 3000 },
    );
  });
});
