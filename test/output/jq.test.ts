import { describe, expect, onTestFinished, test } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { runJq } from "../../src/output/jq.ts";
import { cli } from "../support/cli.ts";

const never = new AbortController().signal;
const results = async (filter: string, json: string) => {
  const { results, failure } = await runJq(filter, json, never);
  expect(failure).toBeUndefined();
  return results;
};

describe("a jq filter", () => {
  test("gives each result as JSON on a line", async () => {
    expect(await results(".[] | .name, (.tags | length)", '[{"name":"a\\nb","tags":[1]}]')).toEqual([
      '"a\\nb"',
      "1",
    ]);
  });

  test("has jq's own functions and numbers", async () => {
    expect(
      await results("map(select(.n > 1) | .n) | add, ([1,2] | @csv)", '[{"n":1},{"n":2},{"n":3.5}]'),
    ).toEqual(["5.5", '"1,2"']);
    expect(await results(".[]", "[1.0,100000000000000000001]")).toEqual(["1.0", "100000000000000000001"]);
  });

  test.each([".a[", "nosuch(1)", ".[0].a.b", 'error("x")', '"x" | halt_error', "--arg"])(
    "that fails is a usage error: %s",
    async (filter) => {
      const { results, failure } = await runJq(filter, "[1]", never);
      expect(results).toEqual([]);
      expect(failure).toBeInstanceOf(UsageError);
      expect(failure).toMatchObject({ hint: expect.stringContaining(filter) });
    },
  );

  test("that fails returns its results so far, and why it failed", async () => {
    const { results, failure } = await runJq('.[] | if . > 2 then error("big") else . end', "[1,2,3]", never);
    expect(results).toEqual(["1", "2"]);
    expect(failure?.message).toBe("--jq: big");
  });

  test("that halts with a message shows it", async () => {
    expect((await runJq('"enough" | halt_error', "[1]", never)).failure?.message).toBe("--jq: enough");
  });

  test("that jq cannot bear is no fault of ours", async () => {
    expect((await runJq("def f: 1 + f; f", "[1]", never)).failure?.message).toBe(
      "--jq: it was aborted, probably out of memory",
    );
  });

  test("may begin with a dash", async () => {
    expect(await results("-.[0]", "[1]")).toEqual(["-1"]);
  });

  // With the library's own streams, which copy everything for each byte, this would take the rest of the day.
  test("gets through megabytes, in and out", async () => {
    const names = Array.from({ length: 60_000 }, (_, index) => `Füße ${index} `.repeat(5));
    const json = JSON.stringify(names.map((name) => ({ name })));
    expect(await results("length, map(.name)", json)).toEqual(["60000", JSON.stringify(names)]);
  });

  test("cannot read the environment", async () => {
    process.env["DECKHAND_API_KEY"] = "secret";
    try {
      expect(await results('env | has("DECKHAND_API_KEY")', "[]")).toEqual(["false"]);
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

describe("--jq", () => {
  test("prints what came before a failure, and ends with 2", async () => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    onTestFinished(() => home.remove());
    for (const name of ["A", "B"]) await home.ok(["decks", "create", name]);
    expect(await home.run(["decks", "list", "--jq", '.[].name, error("no more")'])).toMatchObject({
      code: 2,
      stdout: "A\nB\n",
      stderr: expect.stringMatching(/^deckhand: --jq: no more\n/),
    });
  });

  test("filters what did not fail of several items", async () => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    onTestFinished(() => home.remove());
    const id = (await home.ok(["decks", "create", "A"])).trim();
    for (const verb of ["get", "archive"])
      expect(await home.run(["decks", verb, id, "nosuch", "--jq", ".[].id"])).toMatchObject({
        code: 9,
        stdout: `${id}\n`,
      });
  });
});
