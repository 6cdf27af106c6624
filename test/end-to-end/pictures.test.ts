import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cli, cli, isOneFile, program } from "../support/cli.ts";
import { openPty } from "../support/pty.ts";

const hasSharp = await import("sharp").then(
  () => true,
  () => false,
);

const flag = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="200" height="100" fill="#00f"/><rect width="100" height="100" fill="#f00"/></svg>`;

describe("cards get on a terminal", () => {
  let home: Cli;
  let card = "";

  beforeAll(async () => {
    home = cli({ DECKHAND_PROFILE: "local" });
    await home.ok(["decks", "create", "Flags"]);
    const content = 'Which?\n\n<img src="flag.svg">\n\nEnd';
    card = (await home.ok(["cards", "create", "--deck", "Flags", "--content", content, "-o", "id"])).trim();
    const file = join(home.home, "flag.svg");
    writeFileSync(file, flag);
    await home.ok(["attach", "add", card, file]);
  });
  afterAll(() => home.remove());

  async function shown(more: Readonly<Record<string, string>>) {
    const env = { DECKHAND_HOME: home.home, HOME: home.home, DECKHAND_PROFILE: "local", ...more };
    const pty = openPty({ args: [program, "cards", "get", card], env, rows: 40 });
    await pty.ended;
    const cells = pty.cells();
    const text = pty.text();
    pty.close();
    return { text, cells };
  }

  test.runIf(hasSharp && !isOneFile)(
    "draws the card's picture in half blocks where there is true colour",
    async () => {
      const { text, cells } = await shown({ COLORTERM: "truecolor" });
      expect(text).not.toContain("[image:");
      const drawn = cells.filter((row) => row.some((cell) => cell.text === "▀"));
      expect(drawn).toHaveLength(10);
      for (const row of drawn) {
        const pixels = row.filter((cell) => cell.text === "▀");
        expect(pixels).toHaveLength(40);
        expect([pixels.at(0)?.colour, pixels.at(-1)?.background]).toEqual(["#ff0000", "#0000ff"]);
      }
    },
  );

  test("shows the label without true colour, without colour and with pictures off", async () => {
    expect((await shown({})).text).toContain("[image: flag.svg]");
    expect((await shown({ COLORTERM: "truecolor", NO_COLOR: "1" })).text).toContain("[image: flag.svg]");
    await home.ok(["config", "set", "review.pictures", "off"]);
    expect((await shown({ COLORTERM: "truecolor" })).text).toContain("[image: flag.svg]");
  });
});
