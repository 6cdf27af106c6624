import { describe, expect, test } from "vitest";
import { type EmbeddedCard, embedsOf, fetchEmbeds } from "../../../src/cards/embeds.ts";
import { presentCard } from "../../../src/cards/passes.ts";
import { type RenderOptions, renderCard } from "../../../src/output/markdown/index.ts";

const presented = (content: string) => presentCard({ card: { content } });

function render(content: string, cards: Readonly<Record<string, string>>): string[] {
  const embedded = (id: string): EmbeddedCard | undefined => {
    const found = cards[id];
    return found === undefined ? undefined : { name: `Card ${id}`, presentation: presented(found) };
  };
  const options: RenderOptions = { width: 40, colour: 0, hyperlinks: false, embedded };
  return renderCard(presented(content), options);
}

describe("an embedded card", () => {
  test("is shown set in below its name, with all its sides", () => {
    expect(render("See:\n\n![[a]]", { a: "Norway\n---\nOslo" })).toEqual([
      "See:",
      "",
      "[card: Card a]",
      "│ Norway",
      "│",
      `│ ${"╌".repeat(38)}`,
      "│",
      "│ Oslo",
    ]);
  });

  test("is one side where one is asked for, counted from 1", () => {
    const cards = { a: "Norway\n---\nOslo" };
    expect(render("![[a/2]]", cards)).toEqual(["[card: Card a, side 2]", "│ Oslo"]);
    expect(render("![[a/3]]", cards)).toEqual(["[card: Card a, side 3]"]);
  });

  test("shows its cloze deletions, and only names the cards that it embeds itself", () => {
    expect(render("![[a]]", { a: "{{Oslo}}\n\n![[a]]" })).toEqual([
      "[card: Card a]",
      "│ Oslo",
      "│",
      "│ [card: a]",
    ]);
  });

  test("is named where it is inside a sentence, or is not known", () => {
    expect(render("as ![[a]] says", { a: "Norway" })).toEqual(["as [card: Card a] says"]);
    expect(render("![[b]]", {})).toEqual(["[card: b]"]);
  });

  test("is fetched once, and not at all where a card embeds none", async () => {
    const asked: string[] = [];
    const known = new Map<string, EmbeddedCard>();
    const read = async (id: string) => {
      asked.push(id);
      if (id === "gone") throw new Error("not found");
      return { card: { id, content: "x", name: "X" }, template: undefined };
    };
    const fetched = (content: string) => fetchEmbeds({ card: { content } }, read, known);
    await fetched("![[a]] and ![[b/1]]\n---\n![[a]] ![[gone]] `![[code]]`");
    await fetched("![[a]]");
    await fetched("[[c]] !");
    expect(asked).toEqual(["a", "b", "gone"]);
    expect([...known.keys()]).toEqual(["a", "b"]);
  });

  test("is one of twenty at most", () => {
    const content = Array.from({ length: 30 }, (_, n) => `![[c${n}]]`).join("\n\n");
    expect(embedsOf(presented(content))).toHaveLength(20);
  });
});
