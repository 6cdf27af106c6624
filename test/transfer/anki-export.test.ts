import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { unzipSync } from "fflate";
import { expect, onTestFinished, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { Card } from "../../src/schema/index.ts";
import { loadSqlite } from "../../src/sqlite.ts";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/service.ts";
import { emptyAccount, exportFile, importFile, wholeAccount } from "./support.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d4948445200000001", "hex");

/** A collection with everything that a package holds. */
async function collection(): Promise<{ client: Client; ids: Record<string, string> }> {
  const client = await emptyAccount();
  const parent = await client.decks.create({ name: "Languages" });
  const deck = await client.decks.create({ name: "Spanish", "parent-id": parent.id });
  const reversed = await client.decks.create({ name: "Both ways", "review-reverse?": true });
  const template = await client.templates.create({
    name: "Word",
    content: "## << Word >>\n\n<< #Tip >>*<< Tip >>*<< /Tip >>\n---\n<< Meaning >>",
    fields: {
      name: { id: "name", name: "Word", pos: "a" },
      meaning: { id: "meaning", name: "Meaning", pos: "b" },
      tip: { id: "tip", name: "Tip", pos: "c" },
    },
  });
  const ids: Record<string, string> = {};
  const add = async (name: string, body: object) => {
    const card = await client.cards.create({ content: "", "deck-id": deck.id, ...body });
    ids[name] = card.id;
    return card;
  };
  await add("plain", {
    content: "What is **this**? $a_b$ #inline\n---\n- a | b\n- `x < y`",
    "manual-tags": ["two words", "flag-blue"],
  });
  await add("cloze", { content: "{{1::std::vector}} and {{2::a *b*}} {{c}}\n---\nmore" });
  await add("sides", { content: "one\n---\ntwo\n---\nthree", "archived?": true });
  await add("reversed", { content: "front\n---\nback", "deck-id": reversed.id });
  await add("template", {
    "template-id": template.id,
    fields: { name: { id: "name", value: "el perro" }, meaning: { id: "meaning", value: "the dog" } },
  });
  await add("deletion", {
    "template-id": template.id,
    fields: { name: { id: "name", value: "el {{1::perro}}" }, meaning: { id: "meaning", value: "dog" } },
  });
  for (const [name, bytes] of [
    ["picture", png],
    ["other", Buffer.from("another")],
  ] as const) {
    const card = await add(name, { content: `![](@media/a%20b.png) {漢字}(かんじ)\n---\n![](@media/s.mp3)` });
    for (const [fileName, content] of [
      ["a b.png", bytes],
      ["s.mp3", Buffer.from("sound")],
    ] as const) {
      await client.attachments.add(card.id, {
        fileName,
        source: async () => ({ stream: Readable.from([content]), size: content.length }),
      });
    }
  }
  for (const [index, name] of ["plain", "cloze", "reversed", "template"].entries())
    for (const at of [10, 20])
      await client.reviews.create(ids[name] ?? "", {
        date: new Date(Date.UTC(2024, 0, at, 9, index)).toISOString(),
        "remembered?": at === 20,
        duration: 3,
        ...(at === 20 ? { due: new Date(2024, 2, index + 1, 12).toISOString() } : {}),
      });
  return { client, ids };
}

interface Row {
  readonly [column: string]: unknown;
}

function database(path: string): (sql: string) => Row[] {
  const file = join(temporaryFolder(), "collection.anki2");
  writeFileSync(file, unzipSync(readFileSync(path))["collection.anki2"] ?? "");
  const opened = new (loadSqlite())(file);
  onTestFinished(() => opened.close());
  return (sql) => opened.prepare(sql).all() as Row[];
}

test("a package has notes, cards, note types and media in Anki's own form", async () => {
  const { client, ids } = await collection();
  const path = join(temporaryFolder(), "cards.apkg");
  await exportFile(client, path, "apkg");
  if (process.env["KEEP_APKG"]) writeFileSync(process.env["KEEP_APKG"], readFileSync(path));
  const rows = database(path);
  const note = (name: string) => rows(`select * from notes where guid = '${ids[name]}'`)[0];
  const fields = (name: string) => String(note(name)?.["flds"]).split("\x1f");
  expect(rows("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect(fields("plain")).toEqual([
    "What is <b>this</b>? \\(a_b\\) #inline",
    "<ul><li>a | b</li><li><code>x &lt; y</code></li></ul>",
  ]);
  expect(note("plain")?.["tags"]).toBe(" two_words inline ");
  expect(fields("cloze")).toEqual(["{{c1::std:&#58;vector}} and {{c2::a <i>b</i>}} {{c3::c}}", "more"]);
  expect(fields("deletion")).toEqual(["el {{c1::perro}}", "dog", ""]);
  expect(fields("picture")).toEqual([
    '<img src="a b.png"> <ruby>漢字<rt>かんじ</rt></ruby>',
    "[sound:s.mp3]",
  ]);
  expect(fields("other")).toEqual([
    `<img src="a b-${ids["other"]}.png"> <ruby>漢字<rt>かんじ</rt></ruby>`,
    "[sound:s.mp3]",
  ]);
  const cards = (name: string) =>
    rows(
      `select ord, type, queue, due, ivl, reps, lapses, flags from cards where nid = ${note(name)?.["id"]} order by ord`,
    );
  const day = (month: number, date: number) =>
    (Date.UTC(2024, month, date) - Date.UTC(2010, 0, 1)) / 86_400_000;
  const due = { type: 2, queue: 2, due: day(2, 2), ivl: 42, reps: 0, lapses: 0, flags: 0 };
  expect(cards("cloze")).toEqual([
    { ...due, ord: 0, reps: 2 },
    { ...due, ord: 1 },
    { ...due, ord: 2 },
  ]);
  expect(cards("plain")).toMatchObject([{ ord: 0, flags: 4 }]);
  expect(cards("sides")).toMatchObject([{ type: 0, queue: -1 }]);
  expect(cards("reversed")).toMatchObject([
    { ord: 0, reps: 2 },
    { ord: 1, reps: 0 },
  ]);
  expect(rows("select count(*) as reviews from revlog")).toEqual([{ reviews: 8 }]);
  const [col] = rows("select models, decks from col");
  const models = Object.values(JSON.parse(String(col?.["models"]))) as {
    name: string;
    tmpls: { qfmt: string; afmt: string }[];
  }[];
  const word = models.find(({ name }) => name === "Word");
  expect(word?.tmpls).toMatchObject([
    {
      qfmt: "<h2>{{Word}}</h2>\n<p>{{#Tip}}<i>{{Tip}}</i>{{/Tip}}</p>",
      afmt: "{{FrontSide}}\n\n<hr id=answer>\n\n{{Meaning}}",
    },
  ]);
  expect(
    Object.values(JSON.parse(String(col?.["decks"])) as Record<string, { name: string }>).map(
      ({ name }) => name,
    ),
  ).toEqual(expect.arrayContaining(["Default", "Languages", "Languages::Spanish", "Both ways"]));
  const media = JSON.parse(Buffer.from(unzipSync(readFileSync(path))["media"] ?? []).toString());
  expect(Object.values(media).sort()).toEqual([`a b-${ids["other"]}.png`, "a b.png", "s.mp3"]);
});

test("a package imported into an empty account has the same reviews and due dates, cards and tags", async () => {
  const { client } = await collection();
  const path = join(temporaryFolder(), "cards.apkg");
  await exportFile(client, path, "apkg");
  const other = await emptyAccount();
  const { failures } = await importFile(other, path);
  expect(failures).toEqual([]);
  const state = async (account: Client) => {
    const { cards, decks, files } = await wholeAccount(account);
    const names = new Map(decks.map(({ id, name }) => [id, name]));
    return {
      files: files.length,
      decks: decks.map(({ name }) => name).sort(),
      cards: cards
        .map((card) => ({
          deck: names.get(card["deck-id"] ?? ""),
          // Markdown that means the same may be written in another way.
          text: (card.content || Object.values(card.fields ?? {})[0]?.value || "").slice(0, 8),
          tags: [...(card.tags ?? [])].map((tag) => String(tag).replace(" ", "_")).sort(),
          archived: card["archived?"] ?? false,
          reviews: card.reviews?.map((review) => [review.date, review["remembered?"], review.duration]),
          due: card.reviews?.at(-1)?.due,
        }))
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    };
  };
  expect(await state(other)).toEqual(await state(client));
});

test("an export names what Anki shows in another form", async () => {
  const { client, ids } = await collection();
  await client.cards.update(ids["plain"] ?? "", { "trashed?": "2026-02-01T00:00:00.000Z" });
  await client.cards.update(ids["sides"] ?? "", { content: `one [[${ids["plain"]}]]` });
  const { adapted } = await exportFile(client, join(temporaryFolder(), "cards.apkg"), "apkg");
  expect([...adapted].map(([{ what }, number]) => [what, number])).toEqual([
    ["cards in the trash", 1],
    ["cards with references to others", 1],
  ]);
});

test("links of a card to files that only another card has lead to no file of a package", async () => {
  const client = await emptyAccount();
  const deck = await client.decks.create({ name: "Maps" });
  const add = (content: string) => client.cards.create({ content, "deck-id": deck.id });
  await add("first ![](@media/map.png)");
  const owner = await add("owner ![](@media/map.png)");
  await client.attachments.add(owner.id, {
    fileName: "map.png",
    source: async () => ({ stream: Readable.from([png]), size: png.length }),
  });
  const links = ["![](../../map.png)", "![](map.png)", "![](@media/map.png)", '\n\n<img src="map.png">'];
  for (const link of links) await add(`other ${link}`);
  const path = join(temporaryFolder(), "cards.apkg");
  await exportFile(client, path, "apkg");
  const other = await emptyAccount();
  await importFile(other, path);
  const { cards, files } = await wholeAccount(other);
  const contentOf = new Map(cards.map(({ id, content }) => [id, content ?? ""]));
  expect(files.map(({ card }) => contentOf.get(card)?.slice(0, 5))).toEqual(["owner"]);
  expect([...contentOf.values()].filter((text) => text.includes("../../map.png"))).toHaveLength(1);
});

test("a package counts its days in the zone in which it was written, and is read so in any other", async () => {
  const there = cli({ TZ: "Pacific/Auckland" });
  const here = cli({ TZ: "America/Los_Angeles" });
  onTestFinished(() => {
    for (const each of [there, here]) each.remove();
  });
  const lines = [
    { deck: { id: "deck0001", name: "D" } },
    {
      card: {
        ...{ id: "card0001", content: "front\n---\nback", "deck-id": "deck0001" },
        // Noon of 20 January in Auckland, 13 hours ahead of UTC.
        reviews: [{ date: "2026-01-10T20:00:00Z", "remembered?": true, due: "2026-01-19T23:00:00Z" }],
      },
    },
  ];
  const [given, file] = [join(there.home, "in.ndjson"), join(there.home, "out.apkg")];
  writeFileSync(given, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await there.ok(["import", given, "--yes"]);
  await there.ok(["export", file]);
  const rows = database(file);
  const [row] = rows("select crt, conf from col");
  const behind = Number(JSON.parse(String(row?.["conf"])).creationOffset);
  expect(behind).toBe(-13 * 60);
  const begins = new Date((Number(row?.["crt"]) - behind * 60) * 1000);
  expect(begins.toISOString()).toBe("2010-01-01T04:00:00.000Z");
  // Days since then.
  expect(rows("select due from cards")).toEqual([{ due: 5863 }]);
  await here.ok(["import", file, "--yes"]);
  const [card] = JSON.parse(await here.ok(["cards", "list", "--all", "-o", "json"])) as Card[];
  // Noon of the same day, 8 hours behind UTC.
  expect(card?.reviews?.at(-1)?.due).toBe("2026-01-20T20:00:00.000Z");
});
