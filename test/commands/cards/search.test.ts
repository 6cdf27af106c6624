import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { onPostgres } from "../../support/service.ts";
import { type Deckhand, deckhand } from "../../support/world.ts";

describe("cards search", () => {
  let program: Deckhand;
  const names = async (...query: string[]) =>
    (await program.ok(["cards", "search", "--columns", "name", "-o", "tsv", "--", ...query]))
      .trim()
      .split("\n");

  async function filled(): Promise<Deckhand> {
    const made = await deckhand();
    await made.ok(["decks", "create", "Geography"]);
    await made.ok(["decks", "create", "Europe", "--parent", "Geography"]);
    await made.ok(["decks", "create", "Music"]);
    await made.ok(["add", "Capital of Norway?", "Oslo", "--deck", "Europe"]);
    await made.ok([
      "cards",
      "create",
      "--deck",
      "Geography",
      "--content",
      "São Paulo",
      "--tag",
      "brazil",
      "--archived",
    ]);
    const id = (await made.ok(["add", "Fugue", "Bach", "--deck", "Music"])).trim();
    writeFileSync(join(made.home, "score.txt"), "notes");
    await made.ok(["attach", "add", id, join(made.home, "score.txt")]);
    return made;
  }

  test("finds words, tags, decks with those under them, states and attachments", async () => {
    program = await filled();
    expect(await names("sao")).toEqual(["São Paulo"]);
    expect(await names("deck:Geography")).toHaveLength(2);
    expect(await names("deck:geography/europe")).toEqual(["Capital of Norway?"]);
    expect(await names("deck:Geography", "-norway")).toEqual(["São Paulo"]);
    expect(await names("tag:brazil")).toEqual(["São Paulo"]);
    expect(await names("is:archived")).toEqual(["São Paulo"]);
    expect(await names("has:attachment")).toEqual(["Fugue"]);
    expect(await names("created:today")).toHaveLength(3);
    expect(await names("created:<2020-01-01")).toEqual([""]);
    expect(await names("#brazil")).toEqual(["São Paulo"]);
    expect(await names("norway OR fugue -deck:Music")).toEqual(["Capital of Norway?"]);
    // Words that the shell gave as one with spaces in them: a search of its own, and a phrase.
    const either = await names("norway OR fugue", "is:new");
    expect(either.toSorted()).toEqual(["Capital of Norway?", "Fugue"]);
    expect(await names("tag:brazil is:archived", "is:new")).toEqual(["São Paulo"]);
    expect(await names("capital of norway", "is:new")).toEqual(["Capital of Norway?"]);
    expect(await names("norway of capital", "is:new")).toEqual([""]);
    expect(await program.ok(["cards", "search", "--count", "norway OR fugue"])).toBe("2\n");
  });

  test("finds cards in the trash only where is:trashed asks for them", async () => {
    program = await deckhand();
    await program.ok(["decks", "create", "Words"]);
    await program.ok(["add", "kept word", "x", "--deck", "Words"]);
    const id = (await program.ok(["add", "lost word", "x", "--deck", "Words"])).trim();
    await program.ok(["cards", "trash", id]);
    expect(await names("word")).toEqual(["kept word"]);
    expect(await names("word", "is:trashed")).toEqual(["lost word"]);
    expect((await names("kept OR is:trashed")).toSorted()).toEqual(["kept word", "lost word"]);
    expect(await names("word", "-is:trashed")).toEqual(["kept word"]);
    // With a deck above theirs.
    await program.ok(["decks", "create", "Old"]);
    await program.ok(["add", "old word #past", "x", "--deck", "Old/Older", "--create-deck"]);
    await program.ok(["decks", "trash", "Old"]);
    expect(await names("word")).toEqual(["kept word"]);
    expect((await names("word", "is:trashed")).toSorted()).toEqual(["lost word", "old word #past"]);
    expect(await names("word", "-is:trashed")).toEqual(["kept word"]);
    expect(await program.ok(["tags", "list"])).toBe("");
  });

  test("prints every format, and the table of all lists on a terminal", async () => {
    program = await filled();
    const json = JSON.parse(await program.ok(["cards", "search", "oslo", "-o", "json"])) as {
      content: string;
    }[];
    expect(json.map(({ content }) => content)).toEqual(["Capital of Norway?\n---\nOslo"]);
    const shown = await program.run(["cards", "search", "norway"], { terminal: true });
    expect(shown.stdout).toMatch(/DECK.*FRONT[\s\S]*Geography\/Europe +Capital of Norway\?/);
    expect(shown.stderr).toContain("1 card");
  });

  test("says which decks and keys there are where one is wrong", async () => {
    program = await filled();
    expect(await program.run(["cards", "search", "deck:Europa"])).toMatchObject({
      code: 4,
      stdout: "",
      stderr: expect.stringContaining("Europe"),
    });
    expect(await program.run(["cards", "search", "is:old"])).toMatchObject({ code: 2, stdout: "" });
    expect(await program.run(["cards", "search", "x", "--ouput", "json"])).toMatchObject({
      code: 2,
      stdout: "",
    });
  });
});

test.skipIf(onPostgres)(
  "a day of a search is the user's: before four in the morning it is still the day before",
  async () => {
    const d = await deckhand();
    const at = (hour: number) => ({ now: () => new Date(2026, 10, 22, hour).getTime() });
    await d.ok(["add", "a", "b", "--deck", "D", "--create-deck"], at(2));
    const found = async (day: string, hour: number) =>
      (await d.ok(["cards", "search", `created:${day}`, "-o", "id"], at(hour))).trim() !== "";
    expect([await found("today", 3), await found("today", 5), await found("yesterday", 5)]).toEqual([
      true,
      false,
      true,
    ]);
  },
);
