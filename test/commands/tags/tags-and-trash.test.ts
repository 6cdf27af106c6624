import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deckhand } from "../../support/world.ts";

async function collection() {
  const d = await deckhand();
  await d.ok(["decks", "create", "Geography"]);
  await d.ok(["decks", "create", "Europe", "--parent", "Geography"]);
  const add = async (content: string, ...more: string[]) =>
    (await d.ok(["cards", "create", "--content", content, "--deck", "Geography/Europe", ...more])).trim();
  return { d, add };
}

describe("tags", () => {
  test("are listed with the number of their cards, renamed and removed on all of them", async () => {
    const { d, add } = await collection();
    const [one, two, inline] = [
      await add("one", "--tag", "north", "--tag", "cold"),
      await add("two", "--tag", "north"),
      await add("three #north"),
    ];
    expect(await d.ok(["tags", "list"])).toBe("cold\t1\nnorth\t3\n");
    const renamed = await d.run(["tags", "rename", "north", "N"]);
    expect(renamed).toMatchObject({ code: 0 });
    expect(new Set(renamed.stdout.trim().split("\n"))).toEqual(new Set([one, two]));
    expect(renamed.stderr).toBe(
      `deckhand: warning: the tag "north" is in the content of ${inline} and stays: deckhand cards edit ${inline}\n`,
    );
    expect(await d.ok(["tags", "list"])).toBe("cold\t1\nN\t2\nnorth\t1\n");
    await d.ok(["tags", "remove", "N", "cold"]);
    expect(await d.ok(["tags", "list", "-o", "json"])).toBe(
      `${JSON.stringify([{ name: "north", cards: 1 }], null, 2)}\n`,
    );
    expect(await d.ok(["tags", "remove", "north", "--dry-run"])).toBe("");
    expect(await d.run(["tags", "remove", "north"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("is in the content"),
    });
    expect(await d.ok(["tags", "list"])).toBe("north\t1\n");
  });
});

test("renaming a tag to one that exists makes the two one", async () => {
  const { d, add } = await collection();
  for (const [content, tags] of [
    ["one", "animals"],
    ["two", "animals,dyr"],
    ["three", "dyr"],
  ] as const)
    await add(content, "--tag", tags);
  await d.ok(["tags", "rename", "animals", "dyr"]);
  expect(await d.ok(["tags", "list"])).toBe("dyr\t3\n");
});

test("the counts of tags leave out cards in the trash", async () => {
  const { d, add } = await collection();
  await add("one", "--tag", "north");
  const trashed = await add("two", "--tag", "north", "--tag", "cold");
  await d.ok(["cards", "trash", trashed]);
  expect(await d.ok(["tags", "list"])).toBe("north\t1\n");
});

test("a tag that no card has cannot be renamed or removed", async () => {
  const { d, add } = await collection();
  const id = (await add("one", "--tag", "north")).trim();
  for (const args of [
    ["rename", "nope", "x"],
    ["remove", "north", "nope"],
  ])
    expect(await d.run(["tags", ...args])).toMatchObject({
      code: 4,
      stdout: "",
      stderr: expect.stringContaining('no card has the tag "nope"'),
    });
  expect(JSON.parse(await d.ok(["cards", "get", id]))).toMatchObject({ tags: ["north"] });
});

describe("the trash", () => {
  test("lists cards and decks, and is emptied with what is under its decks", async () => {
    const { d, add } = await collection();
    const [kept, trashed] = [await add("kept"), await add("trashed")];
    await d.ok(["decks", "create", "Old"]);
    await d.ok(["decks", "create", "Older", "--parent", "Old"]);
    const below = (await d.ok(["cards", "create", "--content", "below", "--deck", "Old/Older"])).trim();
    await d.ok(["cards", "trash", trashed]);
    await d.ok(["decks", "trash", "Old"]);
    const listed = (await d.ok(["trash", "list", "--columns", "kind,name"])).trim().split("\n");
    expect(listed).toEqual(["deck\tOld", "card\ttrashed"]);
    expect(await d.run(["trash", "empty"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Delete 2 cards and 2 decks permanently?"),
    });
    const gone = (await d.ok(["trash", "empty", "--yes"])).trim().split("\n");
    expect(gone).toHaveLength(4);
    expect(gone).toContain(below);
    expect(await d.ok(["cards", "list", "-o", "id"])).toBe(`${kept}\n`);
    expect((await d.ok(["decks", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
    expect(await d.run(["trash", "empty"])).toEqual({ code: 0, stdout: "", stderr: "The trash is empty\n" });
  });

  test("is not needed to delete a deck with all that is under it", async () => {
    const { d, add } = await collection();
    await add("one");
    expect((await d.run(["decks", "delete", "Geography", "--recursive"])).stderr).toMatch(
      /^deck Geography\ndeck Geography\/\w+\ndeckhand: Delete 1 card and 2 decks permanently\?/,
    );
    const planned = await d.ok(["decks", "delete", "Geography", "--recursive", "--dry-run"]);
    expect(planned.match(/^DELETE /gm)).toHaveLength(3);
    expect(
      (await d.ok(["decks", "delete", "Geography", "--recursive", "--yes"])).trim().split("\n"),
    ).toHaveLength(3);
    expect(await d.ok(["cards", "list"])).toBe("");
    expect(await d.ok(["decks", "list"])).toBe("");
  });
});

test("attach list lists the files of a card", async () => {
  const { d, add } = await collection();
  const id = await add("one");
  expect(await d.ok(["attach", "list", id])).toBe("");
  writeFileSync(join(d.home, "note.txt"), "hello");
  await d.ok(["attach", "add", id, join(d.home, "note.txt")]);
  expect(await d.ok(["attach", "list", id])).toBe("note.txt\t5\ttext/plain\n");
  expect((await d.run(["attach", "list", "nosuch"])).code).toBe(4);
});
