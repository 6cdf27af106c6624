import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { hashOfBytes } from "../../src/folder/stat.ts";
import { restoreBackup } from "../../src/service/backup/restore.ts";
import { using } from "../../src/service/backup/snapshot.ts";
import { writeBackup } from "../../src/service/backup/write.ts";
import { contentPath } from "../../src/service/blobs/paths.ts";
import { storeFindings } from "../../src/service/check/index.ts";
import { openStore } from "../../src/service/store/index.ts";
import { makeCards, withCollection } from "../support/collection.ts";
import { temporaryFolder } from "../support/folder.ts";

// Each was written by the program of that commit, the first or last one with that schema.
const fixtures = "test/fixtures/stores";
const files = readdirSync(fixtures).sort();
function dataOf(file: string): string {
  const data = temporaryFolder();
  const folder = join(data, "service");
  const content = join(folder, "attachments", contentPath(hashOfBytes("content")));
  mkdirSync(dirname(content), { recursive: true });
  writeFileSync(content, "content");
  using(join(folder, "store.sqlite"), (database) => {
    database.exec("pragma foreign_keys = off; pragma journal_mode = wal");
    database.exec(readFileSync(join(fixtures, file), "utf8"));
  });
  return data;
}

/** Everything that the fixtures have, and that it can be changed. */
async function expectWhole(data: string): Promise<void> {
  await withCollection(data, async (client) => {
    const decks = (await client.decks.list({})).docs;
    expect(decks.map(({ name }) => name).sort()).toEqual(["Europe", "Geography"]);
    const cards = (await client.cards.list({})).docs;
    expect(cards.map(({ name }) => name).sort()).toEqual(["Lisbon #city abcdefgh", "Oslo"]);
    const lisbon = cards.find(({ name }) => name?.startsWith("Lisbon"));
    const card = await client.cards.get(lisbon?.id ?? "");
    expect(card).toMatchObject({
      content: "Lisbon #city [[abcdefgh]]\n---\nPortugal",
      "deck-id": decks.find(({ name }) => name === "Europe")?.id,
      tags: ["eu", "city"],
      "manual-tags": ["eu"],
      references: ["abcdefgh"],
      attachments: { "a.txt": { size: 7, type: "text/plain" } },
      "created-at": "2026-11-01T10:00:00.000Z",
      "new?": false,
    });
    expect(card.reviews?.map((review) => [review?.date, review?.["remembered?"], review?.duration])).toEqual([
      ["2026-10-01T10:00:00.000Z", true, 2.5],
      ["2026-10-09T10:00:00.000Z", false, undefined],
    ]);
    expect(await client.attachments.fetch(card.id, "a.txt", ({ body }) => text(body))).toBe("content");
    expect((await client.templates.list({})).docs.map(({ name }) => name)).toEqual(["T"]);
    await client.reviews.create(card.id, { date: "2026-11-02T10:00:00Z", "remembered?": true });
    await makeCards(client, ["new"]);
  });
  const found = [];
  for await (const finding of storeFindings(join(data, "service"), { cards() {}, attachments() {} }))
    found.push(finding);
  expect(found).toEqual([]);
}

describe.each(files)("a store of schema %s", (file) => {
  test("opens, with everything in it", async () => {
    await expectWhole(dataOf(file));
  });

  test("restores from a backup that was made of it", async () => {
    const target = join(temporaryFolder(), "cards.tar");
    const folder = join(dataOf(file), "service");
    await writeBackup({ folder, target, attachments: true, now: 0 });
    const data = temporaryFolder();
    const options = { takes: () => false, present: () => [], log: "", aside: undefined };
    await restoreBackup({ file: target, folder: join(data, "service"), ...options });
    await expectWhole(data);
  });
});

test("a store from before the first release is refused, and not changed", async () => {
  const [file = ""] = files;
  const data = dataOf(file);
  const store = join(data, "service", "store.sqlite");
  using(store, (database) => database.exec("pragma user_version = 4"));
  await expect(openStore({ folder: join(data, "service") })).rejects.toThrow("before deckhand 0.1.0");
  using(store, (database) => {
    expect(database.prepare("pragma user_version").all()).toMatchObject([{ user_version: 4 }]);
  });
});
