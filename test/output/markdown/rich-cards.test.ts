import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { presentCard } from "../../../src/cards/passes.ts";
import { renderCard } from "../../../src/output/markdown/index.ts";
import { displayWidth } from "../../../src/output/width.ts";

const folder = new URL("../../fixtures/cards/", import.meta.url);

/** The cards of the fixtures, each with the name of its file and its title. */
const cards = readdirSync(folder)
  .filter((file) => file.endsWith(".md"))
  .sort()
  .flatMap((file) =>
    readFileSync(new URL(file, folder), "utf8")
      .split(/^===== /m)
      .slice(1)
      .map((text) => {
        const end = text.indexOf("\n");
        return { title: `${file}: ${text.slice(0, end)}`, content: text.slice(end + 1).trimEnd() };
      }),
  );

function screen(content: string, width: number, plain = false): string[] {
  const options = {
    width: Math.min(width, 100),
    tableWidth: width,
    colour: 0,
    hyperlinks: false,
    plain,
  } as const;
  return renderCard(presentCard({ card: { content } }), options);
}

const screens = (width: number, plain = false) =>
  cards
    .map(({ title, content }) => `## ${title}\n\n${screen(content, width, plain).join("\n")}\n`)
    .join("\n");

describe("sixty rich cards", () => {
  test("have sixty different titles", () => {
    expect(new Set(cards.map(({ title }) => title)).size).toBe(60);
  });

  test.each([40, 80, 200])("match their recorded screens at %i columns", async (width) => {
    await expect(screens(width)).toMatchFileSnapshot(`./screens/${width}.txt`);
  });

  test("match their recorded text for a screen reader", async () => {
    await expect(screens(80, true)).toMatchFileSnapshot("./screens/plain.txt");
  });

  test("are never wider than the screen", () => {
    for (const { content } of cards)
      for (const width of [40, 80, 200])
        for (const line of screen(content, width)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });
});
