import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { splitSides } from "../../../src/cards/index.ts";
import sample from "../../../src/commands/demo/sample.json";
import { cli, program } from "../../support/cli.ts";
import { openPty } from "../../support/pty.ts";
import { deckhand } from "../../support/world.ts";

describe("demo", () => {
  test("shows what is due in a temporary collection, and leaves no files", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "deckhand-demo-test-"));
    const host = cli({ TMPDIR: temporary, DECKHAND_BASE_URL: "http://127.0.0.1:1", DECKHAND_API_KEY: "x" });
    onTestFinished(() => {
      host.remove();
      rmSync(temporary, { recursive: true });
    });
    const { code, stdout, stderr } = await host.run(["demo"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ID +DECK-ID +NAME +NEW +ANSWERED +FRONT +DUE\n/);
    expect(stdout).toContain("Norway");
    expect(stdout).not.toContain("Mongolia");
    expect(stderr).toContain("deckhand add");
    expect(readdirSync(temporary)).toEqual([]);
    // Compiled code of the program may be kept.
    expect(readdirSync(host.home).filter((name) => name !== "cache")).toEqual([]);
    expect(JSON.parse((await host.run(["demo", "-o", "json", "-q"])).stdout)).toHaveLength(
      stdout.trim().split("\n").length - 1,
    );
  });

  test("filters what is due with --jq", async () => {
    const d = await deckhand();
    expect(Number(await d.ok(["demo", "--jq", "length"]))).toBeGreaterThan(5);
  });

  test("opens the review on a terminal", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "deckhand-demo-test-"));
    const pty = openPty({ args: [program, "demo"], env: { TMPDIR: temporary, HOME: temporary } });
    onTestFinished(() => {
      pty.close();
      rmSync(temporary, { recursive: true });
    });
    await pty.until("capital of Norway");
    pty.press(" ");
    await pty.until("Oslo");
    pty.press("?");
    await pty.until("any key back");
    pty.press("q");
    await pty.until("1 forgot");
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
    expect(pty.text()).toContain("That was a sample");
    expect(pty.text()).toContain('\ndeckhand add "Capital of Norway?" Oslo --deck Geography --create-deck\n');
    expect(readdirSync(temporary).filter((name) => name !== ".cache")).toEqual([]);
  });

  test("has cards whose decks exist and whose sides are never empty", () => {
    const names = new Set(sample.decks.map(({ id }) => id));
    for (const { body } of sample.cards) {
      expect(names).toContain(body["deck-id"]);
      if (body.content !== "") for (const side of splitSides(body.content)) expect(side.trim()).not.toBe("");
    }
  });
});
