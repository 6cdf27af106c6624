import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { cli, program } from "../support/cli.ts";
import { openPty } from "../support/pty.ts";

/** Node 22 and newer keep compiled code themselves. */
const builtIn = "enableCompileCache" in Module;

describe.skipIf(builtIn)("the compile cache", () => {
  test("keeps the chunks that ran, for their owner alone, and runs from them", async () => {
    const d = home();
    expect(await d.ok(["decks", "create", "Geography"])).toMatch(/^\w{8}\n$/);
    const kept = readdirSync(d.code);
    expect(kept.some((name) => name.startsWith("core-"))).toBe(true);
    expect(await d.ok(["decks", "list", "--columns", "name"])).toBe("Geography\n");
  });

  test("does without what is damaged", async () => {
    const d = home();
    await d.ok(["decks", "list"]);
    for (const name of readdirSync(d.code)) writeFileSync(join(d.code, name), "damaged");
    expect(await d.ok(["decks", "list"])).toBe("");
    expect(await d.ok(["decks", "list"])).toBe("");
  });

  test("takes nothing from a folder that others can write to", async () => {
    const d = home();
    mkdirSync(d.code, { recursive: true });
    chmodSync(d.code, 0o777);
    expect(await d.ok(["decks", "list"])).toBe("");
    expect(readdirSync(d.code)).toEqual([]);
  });

  test("loads the review screen without a word on the terminal", async () => {
    const d = home();
    await d.ok(["decks", "create", "Geography"]);
    await d.ok(["add", "--deck", "Geography", "Capital of Norway?", "Oslo"]);
    for (let time = 0; time < 2; time += 1) {
      const terminal = openPty({ args: [program, "review"], env: { ...d.env } as Record<string, string> });
      await terminal.until("space reveal");
      terminal.press("q");
      expect((await terminal.ended).code).toBe(0);
      expect(terminal.raw()).not.toContain("Warning");
      terminal.close();
    }
  });

  test("does without a folder", async () => {
    const d = home();
    const ran = await d.run(["--help"], { env: { DECKHAND_HOME: "/dev/null/none", HOME: "/dev/null" } });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
  });

  function home() {
    const made = cli({ DECKHAND_PROFILE: "local", NODE_DISABLE_COMPILE_CACHE: "" });
    onTestFinished(() => made.remove());
    return { ...made, code: join(made.home, "cache", "code") };
  }
});
