import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deckhand } from "../support/world.ts";

const nothing = { DECKHAND_PROFILE: "" };

describe("the program", () => {
  test("uses the local collection without a word where nothing is configured, and saves no choice", async () => {
    const d = await deckhand(nothing);
    await d.ok(["decks", "create", "Geography"]);
    for (const terminal of [true, false]) {
      const { stdout, stderr } = await d.run(["decks", "list"], { terminal });
      expect(stdout).toContain("Geography");
      expect(stderr).toBe(terminal ? "1 deck\n" : "");
    }
    expect(existsSync(join(d.home, "config"))).toBe(false);
  });

  test("refuses in CI where nothing is configured, and makes no collection", async () => {
    const d = await deckhand({ ...nothing, CI: "true" });
    for (const args of [
      ["decks", "list"],
      ["decks", "create", "Lost"],
      ["add", "a", "b", "--deck", "x"],
    ]) {
      const { code, stdout, stderr } = await d.run(args);
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toMatch(/^deckhand: no account is configured\n.*DECKHAND_API_KEY.*\n$/);
    }
    expect(existsSync(join(d.home, "data"))).toBe(false);
  });

  test("prints its errors as JSON where documents would be", async () => {
    const d = await deckhand({ ...nothing, CI: "1" });
    const { stderr } = await d.run(["decks", "list", "-o", "json"]);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "not-configured",
        message: "no account is configured",
        hint: expect.stringContaining("DECKHAND_PROFILE=local"),
      },
    });
  });

  test("can correct a stored setting that is wrong", async () => {
    const d = await deckhand();
    const file = join(d.home, "config", "config.json");
    mkdirSync(join(d.home, "config"));
    writeFileSync(file, '{"output": "yaml", "profiles": {"local": {"retries": "many"}}}');
    expect(await d.run(["decks", "list"])).toMatchObject({ code: 2, stdout: "" });
    for (const terminal of [true, false]) {
      await d.ok(["config", "set", "retries", "3"], { terminal });
      await d.ok(["config", "unset", "output"], { terminal });
    }
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ profiles: { local: { retries: 3 } } });
    await d.ok(["decks", "list"]);
  });

  test("names the damaged file, and leaves it as it is", async () => {
    const d = await deckhand();
    const file = join(d.home, "config", "config.json");
    mkdirSync(join(d.home, "config"));
    writeFileSync(file, "{");
    for (const args of [
      ["decks", "list"],
      ["config", "set", "deck", "x"],
    ])
      expect(await d.run(args)).toMatchObject({ code: 3, stderr: expect.stringContaining(file) });
    expect(readFileSync(file, "utf8")).toBe("{");
  });

  test("works in a home whose cache can't be written", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Spanish"]);
    writeFileSync(join(d.home, "not-a-folder"), "");
    const env = {
      DECKHAND_HOME: "",
      XDG_DATA_HOME: join(d.home, "data"),
      XDG_CACHE_HOME: join(d.home, "not-a-folder"),
    };
    mkdirSync(join(d.home, "data", "deckhand"), { recursive: true });
    await d.ok(["decks", "create", "Spanish"], { env });
    const id = (
      await d.ok(["cards", "create", "--deck", "Spanish", "--front", "a", "--back", "b"], { env })
    ).trim();
    expect(await d.ok(["cards", "list", "--deck", "spanish", "-o", "id"], { env })).toBe(`${id}\n`);
  });

  test("reports the folder that it cannot write to", async () => {
    const d = await deckhand();
    writeFileSync(join(d.home, "file"), "");
    const env = { DECKHAND_HOME: join(d.home, "file") };
    const { code, stderr } = await d.run(["config", "set", "codec", "transit"], { env });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^deckhand: could not write .*\nSet DECKHAND_HOME/),
    ]);
  });
});
