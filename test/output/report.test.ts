import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  DeckhandError,
  type ErrorCode,
  InterruptedError,
  NotConfiguredError,
  UsageError,
} from "../../src/errors.ts";
import { ClosedOutputError, reportError } from "../../src/output/index.ts";
import { anyText, hostile } from "./support.ts";

function report(error: unknown, format?: string, debug = false) {
  let text = "";
  const code = reportError(error, {
    format,
    debug,
    write: (more) => {
      text += more;
    },
  });
  return { code, text };
}

const refused = new DeckhandError("validation", "could not create the card: content: field cannot be nil", {
  status: 422,
  fields: { content: "field cannot be nil" },
  request: { method: "POST", path: "/cards" },
});

describe("an error", () => {
  test("is one line, with the status, and a second of what to do next", () => {
    expect(report(refused)).toEqual({
      code: 5,
      text: "deckhand: could not create the card: content: field cannot be nil\n",
    });
    expect(report(new DeckhandError("not-found", "there is no card x", { status: 404 })).text).toBe(
      "deckhand: there is no card x\n",
    );
    expect(report(new NotConfiguredError("no account is configured", { hint: "Do\nthis." }))).toEqual({
      code: 3,
      text: "deckhand: no account is configured\nDo this.\n",
    });
  });

  test("is broken between words on a terminal", () => {
    let text = "";
    const error = new UsageError("the deck 日本語 was not found", { hint: "See `deckhand decks list`." });
    const write = (more: string) => {
      text += more;
    };
    reportError(error, { format: undefined, width: 19, write });
    expect(text).toBe("deckhand: the deck\n日本語 was not\nfound\nSee `deckhand decks\nlist`.\n");
  });

  test("is one JSON object on one line with json and ndjson", () => {
    for (const format of ["json", "ndjson"])
      expect(report(refused, format)).toEqual({
        code: 5,
        text:
          '{"error":{"code":"validation","status":422,' +
          '"message":"could not create the card: content: field cannot be nil",' +
          '"fields":{"content":"field cannot be nil"},"request":{"method":"POST","path":"/cards"}}}\n',
      });
    expect(report(new UsageError("no", { id: "x", hint: "h" }), "json").text).toBe(
      '{"error":{"code":"usage","message":"no","hint":"h","id":"x"}}\n',
    );
    for (const format of [undefined, "table", "csv", "tsv", "id"])
      expect(report(refused, format).text).toMatch(/^deckhand: /);
  });

  test.each([
    ["usage", 2],
    ["not-configured", 3],
    ["unauthorized", 3],
    ["forbidden", 3],
    ["not-found", 4],
    ["refused", 5],
    ["conflict", 5],
    ["rate-limited", 6],
    ["server", 7],
    ["network", 8],
    ["timeout", 8],
    ["bad-response", 8],
    ["partial", 9],
    ["internal", 1],
  ] as [ErrorCode, number][])("%s ends with %d", (code, exitCode) => {
    expect(report(new DeckhandError(code, "m")).code).toBe(exitCode);
  });

  test("of ours has a stack only for debugging", () => {
    const fault = new TypeError("x is not a function");
    const { code, text } = report(fault);
    expect([code, text.split("\n")[0]]).toEqual([1, "deckhand: a fault in deckhand: x is not a function"]);
    expect(text).not.toMatch(/\n\s+at /);
    expect(report(fault, undefined, true).text).toMatch(/\n\s+at /);
    expect(JSON.parse(report(fault, "json").text).error.code).toBe("internal");
    expect(report("thrown text").code).toBe(1);
  });

  test("is empty when the reader has closed the pipe, or the program is interrupted", () => {
    expect(report(new ClosedOutputError())).toEqual({ code: 0, text: "" });
    expect(report(new InterruptedError("SIGINT"))).toEqual({ code: 130, text: "" });
    expect(report(new InterruptedError("SIGTERM"))).toEqual({ code: 143, text: "" });
  });

  test("brings no control character to the terminal and stays on its lines", () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom(undefined, "json"), (message, hint, format) => {
        const error = new DeckhandError("refused", message, { hint, fields: { [hint]: message }, id: hint });
        const { text } = report(error, format);
        expect(text).not.toMatch(hostile);
        const lines = text.split("\n").slice(0, -1);
        expect(lines).toHaveLength(format === "json" ? 1 : 2);
        if (format === "json") expect(JSON.parse(text).error.message).toBe(message);
        expect(report(error, format, true).text).not.toMatch(hostile);
      }),
    );
  });
});
