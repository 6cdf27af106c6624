import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
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
});

describe("the compile cache of Node itself", () => {
  test("is given a folder that is its owner's alone", async () => {
    const d = withNodesOwn();
    expect(await d.ok(["decks", "list"])).toBe("");
    expect(d.given()).toBe(d.code);
    expect(statSync(d.code).mode & 0o777).toBe(0o700);
  });

  test("is not asked for in a folder that others can write to", async () => {
    const d = withNodesOwn();
    mkdirSync(d.code, { recursive: true });
    chmodSync(d.code, 0o777);
    expect(await d.ok(["decks", "list"])).toBe("");
    expect(d.given()).toBeUndefined();
  });

  test.skipIf(process.getuid?.() !== 0)("is not asked for by root in somebody else's home", async () => {
    const d = withNodesOwn();
    chownSync(d.home, 65_534, 65_534);
    expect(await d.ok(["completion", "bash"])).toContain("deckhand");
    expect([d.given(), existsSync(join(d.home, "cache"))]).toEqual([undefined, false]);
  });

  test("is rid of what is older than a month, once a month", async () => {
    const d = withNodesOwn();
    const folder = join(d.code, "v22.0.0-x64");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
    const keep = (name: string, days: number) => {
      writeFileSync(join(folder, name), "compiled");
      utimesSync(join(folder, name), ago(days), ago(days));
    };
    keep("old", 40);
    keep("new", 1);
    chmodSync(d.code, 0o700);
    utimesSync(d.code, ago(2), ago(2));
    await d.ok(["decks", "list"]);
    expect(readdirSync(folder)).toEqual(["new", "old"]);
    utimesSync(d.code, ago(31), ago(31));
    await d.ok(["decks", "list"]);
    expect(readdirSync(folder)).toEqual(["new"]);
    keep("older", 50);
    await d.ok(["decks", "list"]);
    expect(readdirSync(folder)).toEqual(["new", "older"]);
  });

  /** On any line of Node: what the program asks for is written down, and not done. */
  function withNodesOwn() {
    const d = home();
    const seen = join(d.home, "asked");
    const stub = join(d.home, "stub.cjs");
    writeFileSync(
      stub,
      `require("node:module").enableCompileCache = (folder) => require("node:fs").writeFileSync(${JSON.stringify(seen)}, String(folder));`,
    );
    const env = { NODE_OPTIONS: `--require ${stub}` };
    return {
      ...d,
      ok: (args: readonly string[]) => d.ok(args, { env }),
      given: () => (existsSync(seen) ? readFileSync(seen, "utf8") : undefined),
    };
  }
});

function home() {
  const made = cli({ DECKHAND_PROFILE: "local", NODE_DISABLE_COMPILE_CACHE: "" });
  onTestFinished(() => made.remove());
  return { ...made, code: join(made.home, "cache", "code") };
}
