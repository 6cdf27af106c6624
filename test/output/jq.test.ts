import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { runJq } from "../../src/output/jq.ts";

const never = new AbortController().signal;

describe("a jq filter", () => {
  test("gives each result as JSON on a line", async () => {
    expect(await runJq(".[] | .name, (.tags | length)", '[{"name":"a\\nb","tags":[1]}]', never)).toEqual([
      '"a\\nb"',
      "1",
    ]);
  });

  test("has jq's own functions and numbers", async () => {
    expect(
      await runJq("map(select(.n > 1) | .n) | add, ([1,2] | @csv)", '[{"n":1},{"n":2},{"n":3.5}]', never),
    ).toEqual(["5.5", '"1,2"']);
  });

  test.each([".a[", "nosuch(1)", ".[0].a.b", 'error("x")'])(
    "that fails is a usage error: %s",
    async (filter) => {
      await expect(runJq(filter, "[1]", never)).rejects.toThrow(UsageError);
      await expect(runJq(filter, "[1]", never)).rejects.toMatchObject({
        hint: expect.stringContaining(filter),
      });
    },
  );

  test("sees no environment", async () => {
    process.env["DECKHAND_API_KEY"] = "secret";
    try {
      expect(await runJq('env | has("DECKHAND_API_KEY")', "[]", never)).toEqual(["false"]);
    } finally {
      delete process.env["DECKHAND_API_KEY"];
    }
  });

  test("that never ends can be interrupted", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("stopped")), 200);
    await expect(runJq("[range(0; 1e12)] | length", "[]", stop.signal)).rejects.toThrow("stopped");
  });
});
