import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deckhand } from "../../support/world.ts";

describe("config", () => {
  test("lists every setting with its value and where that comes from", async () => {
    const d = await deckhand({ DECKHAND_CODEC: "transit" });
    await d.ok(["config", "set", "timeout", "90s"]);
    await d.ok(["config", "set", "output", "csv"]);
    const listed = JSON.parse(await d.ok(["config", "list", "-o", "json", "--retries", "2"]));
    const origins = new Map(
      listed.map((row: Record<string, string>) => [row["name"], `${row["value"]} ${row["origin"]}`]),
    );
    expect(Object.fromEntries(origins)).toMatchObject({
      profile: "local environment",
      codec: "transit environment",
      timeout: "90s profile",
      retries: "2 option",
      output: "json option",
      deck: "null default",
    });
  });

  test("gets, sets and unsets one, and refuses what it cannot be", async () => {
    const d = await deckhand();
    expect(await d.ok(["config", "get", "codec"])).toBe("json\n");
    expect(await d.ok(["config", "set", "codec", "transit"])).toBe("");
    expect(await d.ok(["config", "get", "codec"])).toBe("transit\n");
    expect(await d.ok(["config", "get", "codec", "-o", "json"])).toBe('"transit"\n');
    await d.ok(["config", "unset", "codec"]);
    expect(await d.ok(["config", "get", "codec"])).toBe("json\n");
    expect(await d.run(["config", "get", "deck"])).toMatchObject({ code: 4, stdout: "" });
    for (const args of [
      ["set", "codec", "xml"],
      ["set", "timeout", "10"],
      ["set", "nonsense", "1"],
      ["set", "base-url", "https://example.com"],
      ["get", "nonsense"],
      ["path", "nonsense"],
    ])
      expect(await d.run(["config", ...args])).toMatchObject({ code: 2, stdout: "" });
    expect((await d.run(["config", "get", "timeuot"])).stderr).toContain('did you mean "timeout"?');
  });

  test("changes nothing in a dry run", async () => {
    const d = await deckhand();
    const { code, stderr } = await d.run(["config", "set", "codec", "transit", "-n"]);
    expect(code).toBe(0);
    expect(stderr).toBe("Would set codec to transit\n");
    expect(existsSync(join(d.home, "config", "config.json"))).toBe(false);
  });

  test("repeats no address that may hold a key", async () => {
    const d = await deckhand();
    for (const address of ["https://s3cret:@cards.example", "https://cards.example/?key=s3cret"])
      for (const dry of [[], ["-n"]]) {
        const { code, stderr } = await d.run(["config", "set", "base-url", address, ...dry]);
        expect(code).toBe(2);
        expect(stderr).toMatch(/base-url must be .*, not one with a (?:user name|query)/);
        expect(stderr).not.toContain("s3cret");
      }
    const profiles = { work: { "base-url": "https://s3cret:@cards.example" } };
    mkdirSync(join(d.home, "config"));
    writeFileSync(join(d.home, "config", "config.json"), JSON.stringify({ profiles }));
    expect(await d.ok(["auth", "list"])).toBe("local\t\tfalse\ttrue\nwork\t\tfalse\tfalse\n");
  });

  test("says that the environment's account has no profile to keep a setting in", async () => {
    const d = await deckhand({ DECKHAND_PROFILE: "", DECKHAND_BASE_URL: "https://example.com" });
    const { code, stderr } = await d.run(["config", "set", "deck", "x"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--profile");
    expect(await d.run(["config", "set", "output", "json"])).toMatchObject({ code: 0 });
  });

  test("names the profiles there are where the one to keep it in is none of them", async () => {
    const d = await deckhand();
    const { code, stderr } = await d.run(["config", "set", "timeout", "30s", "--profile", "wrok"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('there is no profile "wrok"; there are: local\nCreate it with'),
    });
  });

  test("prints values and paths as JSON where that is asked for", async () => {
    const d = await deckhand();
    expect(JSON.parse(await d.ok(["config", "path", "data", "-o", "json"]))).toBe(join(d.home, "data"));
    expect(await d.ok(["config", "path", "data", "--jq", "length > 3"])).toBe("true\n");
    expect(await d.ok(["config", "get", "codec", "--jq", "length"])).toBe("4\n");
  });

  test("prints where things are kept", async () => {
    const d = await deckhand();
    await d.ok(["config", "set", "color", "never"]);
    const path = (await d.ok(["config", "path"])).trim();
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ color: "never" });
    expect(await d.ok(["config", "path", "data"])).toBe(`${join(d.home, "data")}\n`);
    expect(await d.ok(["config", "path", "credentials"])).toBe(
      `${join(d.home, "config", "credentials.json")}\n`,
    );
  });
});
