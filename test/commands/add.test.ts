import { describe, expect, test } from "vitest";
import { deckhand } from "../support/world.ts";

describe("add", () => {
  test("puts a card with two sides into the deck of --deck, else of the setting", async () => {
    const d = await deckhand();
    const [a, b] = [await d.ok(["decks", "create", "A"]), await d.ok(["decks", "create", "B"])];
    await d.ok(["config", "set", "deck", "A"]);
    const first = (await d.ok(["add", "Q", "multi\nline", "--tag", "#x"])).trim();
    expect(JSON.parse(await d.ok(["cards", "get", first]))).toMatchObject({
      content: "Q\n---\nmulti\nline",
      "deck-id": a.trim(),
      tags: ["x"],
    });
    for (const deck of [
      ["--deck", "b"],
      ["--deck-id", b.trim()],
    ]) {
      const id = (await d.ok(["add", "--", "-q", "-a"].toSpliced(1, 0, ...deck))).trim();
      expect(JSON.parse(await d.ok(["cards", "get", id]))).toMatchObject({
        content: "-q\n---\n-a",
        "deck-id": b.trim(),
      });
    }
  });

  test("says how to choose a deck where none is", async () => {
    const d = await deckhand();
    const { code, stdout, stderr } = await d.run(["add", "Q", "A"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("deckhand config set deck");
    expect(await d.run(["add", "Q"])).toMatchObject({ code: 2 });
  });
});
