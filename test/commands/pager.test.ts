import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { program } from "../support/cli.ts";
import { openPty } from "../support/pty.ts";
import { deckhand } from "../support/world.ts";

test("-o yaml prints what json does", async () => {
  const d = await deckhand();
  expect(await d.ok(["decks", "list", "-o", "yaml"])).toBe("[]\n");
  for (const name of ["Geography", "with: colon\nand line"]) await d.ok(["decks", "create", name]);
  const json = JSON.parse(await d.ok(["decks", "list", "-o", "json"]));
  expect(parse(await d.ok(["decks", "list", "-o", "yaml"]))).toEqual(json);
  expect(parse(await d.ok(["decks", "get", "Geography", "-o", "yaml"]))).toMatchObject({ name: "Geography" });
  expect(await d.ok(["decks", "list", "-o", "yaml", "--columns", "name"])).toBe(
    "- name: Geography\n- name: |-\n    with: colon\n    and line\n",
  );
  expect(await d.ok(["cards", "list", "--count", "-o", "yaml"])).toBe("0\n");
});

test("a table that does not fit on the terminal goes through the pager, one that fits does not", async () => {
  const d = await deckhand();
  for (let index = 0; index < 60; index++) await d.ok(["decks", "create", `Deck ${index}`]);
  const run = async (args: readonly string[], pager: string, TERM = "xterm") => {
    const terminal = openPty({
      command: process.execPath,
      args: [program, ...args],
      cwd: d.home,
      env: { DECKHAND_HOME: d.home, DECKHAND_PROFILE: "local", DECKHAND_PAGER: pager, TERM },
    });
    onTestFinished(() => terminal.close());
    const { code } = await terminal.ended;
    return { code, text: terminal.text() };
  };
  expect(await run(["decks", "list"], "sed s/^/paged:/")).toMatchObject({
    code: 0,
    text: expect.stringMatching(/paged:.*Deck 59[\s\S]*60 decks/),
  });
  expect((await run(["decks", "list", "--limit", "3"], "sed s/^/paged:/")).text).not.toContain("paged:");
  expect((await run(["decks", "list"], "sed s/^/paged:/", "dumb")).text).not.toContain("paged:");
  expect((await run(["decks", "list"], "head -1")).code).toBe(0);
});
