import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deckhand } from "../support/world.ts";

const deckName = "Cards without a deck";

/** Writes an export of one deck; cards after those of the deck have none. */
function writeExport(
  path: string,
  deck: string,
  inDeck: readonly string[],
  without: readonly string[],
): void {
  const lines = [
    { deck: { id: deck, name: deck } },
    ...inDeck.map((id) => ({ card: { id, content: id, "deck-id": deck } })),
    ...without.map((id) => ({ card: { id, content: id } })),
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

test("cards without a deck do not go into the deck that an earlier import created for those of another source", async () => {
  const d = await deckhand();
  const [first, second] = [join(d.home, "first.ndjson"), join(d.home, "second.ndjson")];
  writeExport(first, "Physics01", ["newton001"], ["lonely001"]);
  await d.ok(["import", first, "--yes"]);
  await d.ok(["decks", "update", deckName, "--name", "Biology"]);
  await d.ok(["decks", "trash", "Biology"]);
  writeExport(second, "Poetry001", ["verse0001"], ["lonely002"]);
  await d.ok(["import", second, "--yes"]);
  expect(await d.ok(["cards", "list", "--deck", deckName, "--columns", "name"])).toBe("lonely002\n");
});

test.each(["--deck", "--deck-id"])(
  "nothing new goes into a deck in the trash that %s names",
  async (option) => {
    const d = await deckhand();
    const id = (await d.ok(["decks", "create", "Physics"])).trim();
    await d.ok(["decks", "trash", id]);
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back\na,b\n");
    expect(await d.run(["import", file, option, option === "--deck" ? "Physics" : id])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is in the trash: nothing new is put there"),
    });
    expect(await d.ok(["cards", "list", "-o", "id"])).toBe("");
  },
);

test("a new card of a deck that is in the trash goes into it, which is said, and what was there hinders nothing", async () => {
  const d = await deckhand();
  const file = join(d.home, "x.ndjson");
  writeExport(file, "Physics01", ["newton001"], []);
  await d.ok(["import", file, "--yes"]);
  await d.ok(["decks", "trash", "Physics01"]);
  expect(await d.run(["import", file, "--yes"])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("nothing to do"),
  });
  writeExport(file, "Physics01", ["newton001", "einstein1"], []);
  expect((await d.run(["import", file, "--update", "--yes"])).stderr).toContain(
    "Into the deck Physics01, which is in the trash: 1 card\n",
  );
  await d.ok(["decks", "restore", "Physics01"]);
  expect(await d.ok(["cards", "list", "--deck", "Physics01", "-o", "id"])).toMatch(/^\S+\n\S+\n$/);
});

test("an export of decks alone asks and records nothing where the account has them", async () => {
  const d = await deckhand();
  const file = join(d.home, "x.ndjson");
  writeExport(file, "Physics01", [], []);
  await d.ok(["import", file, "--yes"]);
  const before = readdirSync(d.home);
  expect(await d.run(["import", file])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("All of it is there already; nothing to do."),
  });
  expect(readdirSync(d.home)).toEqual(before);
});

test("a folder that was exported with a card without a deck is idle where the account has it", async () => {
  const d = await deckhand();
  for (const name of ["Deleted", "Kept"]) {
    await d.ok(["decks", "create", name]);
    await d.ok(["add", `of ${name}`, "back", "--deck", name]);
  }
  await d.ok(["decks", "delete", "Deleted", "--yes"]);
  const folder = join(d.home, "cards");
  await d.ok(["export", folder]);
  expect(await d.run(["import", folder, "--update"])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("All 2 cards are there already; nothing to do."),
  });
  expect(await d.ok(["decks", "list", "--columns", "name"])).toBe("Kept\n");
});
