import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import type { Card, Deck, Template } from "../../src/schema/index.ts";
import { loadSqlite } from "../../src/sqlite.ts";
import { withCollection } from "../support/collection.ts";
import { temporaryFolder } from "../support/service.ts";
import { deckhand } from "../support/world.ts";
import { ankiPackage } from "./anki-package.ts";
import { type Collection, collection, fill } from "./any-collection.ts";
import { comparable, emptyAccount, exportFile, importFile, type Whole, wholeAccount } from "./support.ts";

const runs = Number(process.env["ROUND_TRIPS"] ?? 4);
const seed = Number(process.env["SEED"] ?? 1_611);

/** Decks that Anki tells apart: it knows them by their paths alone. */
const anki = collection
  .filter(({ cards }) => cards.length > 0)
  .map(
    (made): Collection => ({
      ...made,
      decks: made.decks.map((each, index) => ({ ...each, name: `${index} ${each.name}` })),
    }),
  );

test("a package imported into the account that exported it changes nothing, and says so", async () => {
  await fc.assert(
    fc.asyncProperty(anki, async (made) => {
      const d = await deckhand();
      const data = join(d.home, "data");
      const state = () => withCollection(data, async (client) => comparable(await wholeAccount(client)));
      await withCollection(data, (client) => fill(client, made));
      const before = await state();
      const file = join(d.home, "cards.apkg");
      await d.ok(["export", file, "--yes"]);
      for (const how of [[], ["--update"], ["--overwrite"]]) {
        const { code, stderr } = await d.run(["import", file, "--yes", ...how]);
        expect(stderr).toMatch(/there already; nothing to do/);
        expect(code, stderr).toBe(0);
        expect(await state()).toEqual(before);
      }
    }),
    { numRuns: runs, seed },
  );
}, 300_000);

/** When a card is due, and its reviews, whose instants Anki keeps apart. */
function scheduleOf(reviews: Card["reviews"]) {
  return {
    due: reviews?.at(-1)?.due ?? null,
    reviews: (reviews ?? []).map((review) => ({
      date: Math.round(Date.parse(review.date ?? "") / 100),
      remembered: review["remembered?"],
      duration: Math.round((review.duration ?? 0) * 1000),
    })),
  };
}

/** What a package holds of a collection. */
function held({ decks, templates, cards, files }: Whole): Whole {
  const byId = new Map(templates.map((template) => [template.id, template]));
  const used = new Set<string>();
  const heldCards = cards.map((card): Card => {
    const template = byId.get(card["template-id"] ?? "");
    const { fields } = card;
    const isTemplate = template !== undefined && Object.keys(fields ?? {}).length > 0;
    if (isTemplate) used.add(template.id);
    const { reviews, "new?": _, name: __, attachments: ___, ...rest } = card;
    return {
      ...rest,
      "template-id": isTemplate ? template.id : null,
      ...({ schedule: scheduleOf(reviews) } as object),
    } as Card;
  });
  return {
    decks: decks as Deck[],
    templates: templates.filter(({ id }) => used.has(id)) as Template[],
    cards: heldCards,
    files: files.map((file) => ({ ...file, type: "" })),
  };
}

/** Templates that become note types: those without fields, and with deletions of their own, are filled in. */
const withNoteTypes = anki.map(
  (made): Collection => ({
    ...made,
    templates: made.templates.map((each) => ({
      ...each,
      content: each.content.replaceAll("{{", "("),
      fields: {
        ...each.fields,
        name: { name: "Front" } as Collection["templates"][number]["fields"][string],
      },
    })),
  }),
);

test("a package imported into an empty account gives the collection, as far as a package holds it", async () => {
  await fc.assert(
    fc.asyncProperty(withNoteTypes, async (made) => {
      const [from, to] = [await emptyAccount(), await emptyAccount()];
      await fill(from, made);
      const file = join(temporaryFolder(), "cards.apkg");
      await exportFile(from, file, "apkg");
      const { failures } = await importFile(to, file, { journal: false });
      expect(failures).toEqual([]);
      expect(comparable(held(await wholeAccount(to)))).toEqual(comparable(held(await wholeAccount(from))));
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

test("of a package that was edited in Anki an import with --update changes only what was edited", async () => {
  const d = await deckhand();
  const data = join(d.home, "data");
  const ids = await withCollection(data, async (client) => {
    const deck = await client.decks.create({ name: "Deck" }).send();
    const template = await client.templates
      .create({
        name: "Pair",
        content: "<< Front >>\n---\n<< Back >>",
        fields: {
          frontfront: { id: "frontfront", name: "Front", pos: "a" },
          backback: { id: "backback", name: "Back", pos: "b" },
        },
      })
      .send();
    const fields = (front: string) => ({
      frontfront: { id: "frontfront", value: front },
      backback: { id: "backback", value: "two *x*" },
    });
    const made = [];
    for (const body of [
      { content: "first ==x== [[none]]\n---\nback #tag" },
      { content: "second\n---\n![[none]] {{c}}" },
      { content: "", "template-id": template.id, fields: fields("third") },
      { content: "", "template-id": template.id, fields: fields("fourth") },
      { content: "fifth {{hidden}}", "manual-tags": ["flag-red"] },
    ])
      made.push((await client.cards.create({ ...body, "deck-id": deck.id }).send()).id);
    await client.cards.update(made[1] ?? "", { "trashed?": "2026-02-01T00:00:00.000Z" }).send();
    return made;
  });
  const file = join(d.home, "cards.apkg");
  await d.ok(["export", file]);
  editPackage(
    file,
    `update notes set flds = replace(flds, 'first', 'FIRST') where guid = '${ids[0]}';
     update notes set flds = replace(flds, 'third', 'THIRD') where guid = '${ids[2]}';
     update cards set flags = 2, queue = -1 where nid = (select id from notes where guid = '${ids[4]}')`,
  );
  const cards = () =>
    withCollection(data, async (client) =>
      Promise.all(ids.map(async (id) => (await client.cards.get(id).send()) as Card)),
    );
  const before = await cards();
  const { stderr } = await d.run(["import", file, "--update", "--yes"]);
  expect(stderr).toMatch("5 cards (2 equal, 3 changed in the file)");
  const after = await cards();
  expect([after[1], after[3]]).toEqual([before[1], before[3]]);
  expect(after[0]?.content).toMatch(/^FIRST ==x== none\n---\nback/);
  expect(after[2]?.fields).toEqual({
    frontfront: { id: "frontfront", value: "THIRD" },
    backback: { id: "backback", value: "two *x*" },
  });
  expect(after[4]).toMatchObject({ content: "fifth {{hidden}}", tags: ["flag-orange"], "archived?": true });
});

const historyOf = (card: Card | undefined) =>
  card?.reviews?.map((review) => [review.date?.slice(0, 10), review["remembered?"]]);

test("a card that is reviewed in reverse is two cards in Anki and one card here, due when the first of them is", async () => {
  const client = await emptyAccount();
  const deck = await client.decks.create({ name: "Deck" }).send();
  const { id } = await client.cards
    .create({ content: "front\n---\nback", "deck-id": deck.id, "review-reverse?": true })
    .send();
  const due = new Date(2024, 1, 20, 12).toISOString();
  await client.reviews.create(id, { date: "2024-01-10T09:00:00.000Z", "remembered?": true, due }).send();
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
  await importFile(other, file, { journal: false });
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
  await importFile(client, file, { journal: false });
  const packed = join(temporaryFolder(), "cards.apkg");
  await exportFile(client, packed, "apkg");
  await importFile(other, packed, { journal: false });
  const state = async (account: typeof client) =>
    (await wholeAccount(account)).cards
      .map((card) => [Object.values(card.fields ?? {}), historyOf(card), card.reviews?.at(-1)?.due])
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const before = await state(client);
  expect(before.map(([, history]) => history)).toEqual([[["2024-01-15", false]], [["2024-01-20", true]]]);
  expect(await state(other)).toEqual(before);
});
