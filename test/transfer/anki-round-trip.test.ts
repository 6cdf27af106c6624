import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import type { Card } from "../../src/schema/index.ts";
import { loadSqlite } from "../../src/sqlite.ts";
import { withCollection } from "../support/collection.ts";
import { temporaryFolder } from "../support/service.ts";
import { deckhand } from "../support/world.ts";
import { ankiPackage } from "./anki-package.ts";
import { type Collection, collection, fill } from "./any-collection.ts";
import { emptyAccount, exportFile, importFile, wholeAccount } from "./support.ts";

const runs = Number(process.env["ROUND_TRIPS"] ?? 4);
const seed = Number(process.env["SEED"] ?? 1_611);

/** Decks that Anki tells apart: it knows them by their paths alone. */
const anki = collection
  .filter(({ cards }) => cards.length > 0)
  .map(
    (made): Collection => ({
      ...made,
      templates: [],
      cards: made.cards.map((each) => ({ ...each, template: undefined, fields: undefined })),
      decks: made.decks.map((each, index) => ({ ...each, name: `${index} ${each.name}` })),
    }),
  );

test("a package imported into the account that exported it finds its cards and changes none", async () => {
  await fc.assert(
    fc.asyncProperty(anki, async (made) => {
      const d = await deckhand();
      const data = join(d.home, "data");
      const state = () => withCollection(data, async (client) => (await wholeAccount(client)).cards);
      await withCollection(data, (client) => fill(client, made));
      const before = await state();
      const file = join(d.home, "cards.apkg");
      await d.ok(["export", file, "--yes"]);
      await d.run(["import", file, "--yes"]);
      expect(await state()).toEqual(before);
    }),
    { numRuns: runs, seed },
  );
}, 300_000);

/** Changes the collection of a package, as Anki would. */
function editPackage(path: string, sql: string): void {
  const parts = unzipSync(readFileSync(path));
  const file = join(temporaryFolder(), "collection.anki2");
  writeFileSync(file, parts["collection.anki2"] ?? "");
  const database = new (loadSqlite())(file);
  database.exec(sql);
  database.close();
  writeFileSync(path, zipSync({ ...parts, "collection.anki2": readFileSync(file) }));
}

test("of a package that was edited in Anki an import with --overwrite takes what was edited", async () => {
  const d = await deckhand();
  const data = join(d.home, "data");
  const ids = await withCollection(data, async (client) => {
    const deck = await client.decks.create({ name: "Deck" });
    const made = [];
    for (const body of [
      { content: "first ==x==\n---\nback" },
      { content: "second\n---\n**b**" },
      { content: "third {{1::hidden}}", "manual-tags": ["flag-red"] },
    ])
      made.push((await client.cards.create({ ...body, "deck-id": deck.id })).id);
    return made;
  });
  const file = join(d.home, "cards.apkg");
  await d.ok(["export", file]);
  editPackage(
    file,
    `update notes set flds = replace(flds, 'first', 'FIRST') where guid = '${ids[0]}';
     update cards set flags = 2, queue = -1 where nid = (select id from notes where guid = '${ids[2]}')`,
  );
  const cards = () =>
    withCollection(data, async (client) =>
      Promise.all(ids.map(async (id) => (await client.cards.get(id)) as Card)),
    );
  const before = await cards();
  await d.ok(["import", file, "--overwrite", "--yes"]);
  const after = await cards();
  expect(after[1]).toEqual(before[1]);
  expect(after[0]?.content).toBe("FIRST ==x==\n---\nback");
  expect(after[2]).toMatchObject({
    content: "third {{1::hidden}}",
    tags: ["flag-orange"],
    "archived?": true,
  });
});

const historyOf = (card: Card | undefined) =>
  card?.reviews?.map((review) => [review.date?.slice(0, 10), review["remembered?"]]);

test("a card that is reviewed in reverse is two cards in Anki and one card here, due when the first of them is", async () => {
  const client = await emptyAccount();
  const deck = await client.decks.create({ name: "Deck" });
  const { id } = await client.cards.create({
    content: "front\n---\nback",
    "deck-id": deck.id,
    "review-reverse?": true,
  });
  const due = new Date(2024, 1, 20, 12).toISOString();
  await client.reviews.create(id, { date: "2024-01-10T09:00:00.000Z", "remembered?": true, due });
  const file = join(temporaryFolder(), "cards.apkg");
  await exportFile(client, file, "apkg");
  // Anki asked the second card since: it forgot it, and it is due first.
  const at = Date.parse("2024-02-01T09:00:00.000Z");
  editPackage(
    file,
    `update cards set due = due - 10 where ord = 1;
     insert into revlog select ${at}, id, -1, 1, 9, 41, 2500, 3000, 1 from cards where ord = 1`,
  );
  const other = await emptyAccount();
  await importFile(other, file);
  const [card, ...more] = (await wholeAccount(other)).cards;
  expect(more).toEqual([]);
  expect(card).toMatchObject({ content: "front\n---\nback", "review-reverse?": true });
  expect(historyOf(card)).toEqual([
    ["2024-01-10", true],
    ["2024-02-01", false],
  ]);
  expect(card?.reviews?.at(-1)?.due).toBe(new Date(2024, 1, 10, 12).toISOString());
});

test("a note of Anki with two cards is two cards here, each with its own history, also after an export", async () => {
  const day = (number: number) => Date.UTC(2024, 0, number, 9);
  const file = ankiPackage({
    noteTypes: [
      {
        name: "Basic (and reversed card)",
        fields: ["Front", "Back"],
        templates: [
          ["Card 1", "{{Front}}", "{{FrontSide}}<hr id=answer>{{Back}}"],
          ["Card 2", "{{Back}}", "{{FrontSide}}<hr id=answer>{{Front}}"],
        ],
      },
    ],
    notes: [
      {
        guid: "a-long-guid",
        fields: ["uno", "one"],
        cards: [
          { ord: 0, type: 2, queue: 2, due: 30, ivl: 5, reviews: [[day(20), 3, 5]] },
          { ord: 1, type: 2, queue: 2, due: 22, ivl: 2, reviews: [[day(15), 1, 2]] },
        ],
      },
    ],
  });
  const [client, other] = [await emptyAccount(), await emptyAccount()];
  await importFile(client, file);
  const packed = join(temporaryFolder(), "cards.apkg");
  await exportFile(client, packed, "apkg");
  await importFile(other, packed);
  const state = async (account: typeof client) =>
    (await wholeAccount(account)).cards
      .map((card) => [Object.values(card.fields ?? {}), historyOf(card), card.reviews?.at(-1)?.due])
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const before = await state(client);
  expect(before.map(([, history]) => history)).toEqual([[["2024-01-15", false]], [["2024-01-20", true]]]);
  expect(await state(other)).toEqual(before);
});
