import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { strToU8, unzipSync, zipSync } from "fflate";
import transitJs from "transit-js";
import { describe, expect, test } from "vitest";
import { readEdn } from "../../src/transfer/formats/mochi/edn.ts";
import { temporaryFolder } from "../support/service.ts";
import { emptyAccount, exportFile, readAll } from "./support.ts";

async function archive(files: Record<string, string>): Promise<string> {
  const path = join(await temporaryFolder(), "cards.mochi");
  writeFileSync(
    path,
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))),
  );
  return path;
}

/** In the shape that apps write: compact and verbose forms, lists, sets, namespaced keywords, more than is known. */
const transit = JSON.stringify({
  "~:version": 2,
  "~:decks": {
    "~#list": [
      {
        "~:id": "~:LANG",
        "~:name": "Languages",
        "~:sort": 2,
        "~:sort-by": "~:sort-by/new-cards",
        "~:cards": {
          "~#list": [
            {
              "~:id": "~:C1",
              "~:content": "Hola ![](@media/hola.png) #greeting\n---\nHello, see [[C2]]",
              "~:tags": { "~#set": ["greeting", "spanish"] },
              "~:pos": "a",
              "~:created-at": { "~#dt": 1700000000000 },
              "~:reviews": [
                {
                  "~:date": "~t1700000000000",
                  "~:due": "~t1700100000000",
                  "~:remembered?": true,
                  "~:interval": 1,
                },
              ],
              "~:cloze/reviews": {},
              "~:component-cache": { "~#list": [1, 2] },
            },
          ],
        },
      },
      {
        "~:id": "~:ES",
        "~:name": "Spanish",
        "~:parent-id": "~:LANG",
        "~:archived?": true,
        "~:show-sides?": true,
      },
    ],
  },
  "~:templates": {
    "~#list": [
      {
        "~:id": "~:T1",
        "~:name": "Word",
        "~:content": "<< Word >>\n---\n<< Meaning >>",
        "~:fields": {
          "~:name": { "~:id": "~:name", "~:name": "Word", "~:pos": "a" },
          "~:m": { "~:id": "~:m", "~:name": "Meaning", "~:options": { "~:multi-line?": true } },
        },
      },
    ],
  },
  "~:cards": [
    {
      "~:id": "~:C2",
      "~:deck-id": "~:ES",
      "~:template-id": "~:T1",
      "~:content": "",
      "~:fields": {
        "~:name": { "~:id": "~:name", "~:value": "gato" },
        "~:m": { "~:id": "~:m", "~:value": "cat" },
      },
      "~:trashed?": { "~#dt": 1700000000000 },
      "~:new?": false,
      "~:strange": 1,
    },
    { "~:deck-id": "~:ES", "~:content": "without an id" },
  ],
});

const edn = `
; an older export
{:version 2
 :decks ({:id :LANG :name "Languages" :sort 2 :cards
          ({:id :C1 :content "Hola ![](@media/hola.png) #greeting\\n---\\nHello, see [[C2]]"
            :tags #{"greeting" "spanish"} :pos "a" :created-at #inst "2023-11-14T22:13:20.000-00:00"
            :reviews [{:date #inst "2023-11-14T22:13:20.000-00:00" :due #inst "2023-11-16" :remembered? true}]})}
         {:id :ES, :name "Spanish", :parent-id :LANG, :archived? true :show-sides? true})
 :templates #{{:id :T1 :name "Word" :content "<< Word >>\\n---\\n<< Meaning >>"
               :fields {:name {:id :name :name "Word" :pos "a"} :m {:id :m :name "Meaning" :options {:multi-line? true}}}}}
 :cards [{:id :C2 :deck-id :ES :template-id :T1 :content "" :trashed? #inst "2023-11-14T22:13:20.000-00:00"
          :fields {:name {:id :name :value "gato"} :m {:id :m :value "cat"}} :new? false #_ :ignored #_ "this"}
         {:deck-id :ES :content "without an id"}]}`;

describe("an archive of the flashcard apps", () => {
  test.each([
    ["data.json", transit],
    ["data.edn", edn],
  ])(
    "with %s gives nested decks, templates, fields, tags, positions, flags, media and reviews",
    async (name, data) => {
      const { source, cards, skipped } = await readAll(
        await archive({ [name]: data, "hola.png": "picture" }),
      );
      expect(source.decks).toMatchObject([
        { key: "LANG", body: { name: "Languages", sort: 2 } },
        { key: "ES", parent: "LANG", body: { name: "Spanish", "archived?": true, "show-sides?": true } },
      ]);
      expect(source.templates).toMatchObject([
        { key: "T1", body: { name: "Word", fields: { m: { id: "m", options: { "multi-line?": true } } } } },
      ]);
      expect(cards).toMatchObject([
        {
          key: "C1",
          deck: "LANG",
          body: { pos: "a", "manual-tags": ["spanish"] },
          reviews: [{ date: "2023-11-14T22:13:20.000Z", "remembered?": true }],
          attachments: [{ fileName: "hola.png", size: 7 }],
        },
        {
          key: "C2",
          deck: "ES",
          template: { key: "T1" },
          trashed: "2023-11-14T22:13:20.000Z",
          body: {
            content: "",
            fields: { name: { id: "name", value: "gato" }, m: { id: "m", value: "cat" } },
          },
        },
        { key: undefined, deck: "ES", body: { content: "without an id" } },
      ]);
      const reported = skipped.map(({ what, place }) => `${what} in ${place}`);
      if (name === "data.json")
        expect(reported).toEqual(
          expect.arrayContaining([
            'values of "sort-by" in cards.mochi, deck 1',
            'values of "strange" in cards.mochi, card 1',
          ]),
        );
    },
  );

  test("in the compact form of transit, whose strings refer to earlier ones, is read as in the verbose form", async () => {
    const value = transitJs.reader("json").read(transit.replaceAll("~t1", "~m1"));
    const compact = transitJs.writer("json").write(value);
    expect(compact).toContain('"^2"');
    const [one, other] = [
      await readAll(await archive({ "data.json": compact })),
      await readAll(await archive({ "data.json": transit })),
    ];
    expect(one.source.decks).toEqual(other.source.decks);
    expect(one.cards).toEqual(other.cards);
  });

  test.each([
    ["decks first", ["~:decks", "~:cards"]],
    ["cards first", ["~:cards", "~:decks"]],
  ])("gives a card that is listed in its deck and at the top once, %s", async (_, order) => {
    const card = { "~:id": "~:C1", "~:content": "one" };
    const lists: Record<string, unknown> = {
      "~:decks": [{ "~:cards": [card], "~:name": "D" }],
      "~:cards": [card, { "~:id": "~:C2", "~:content": "two" }],
    };
    const data = (given: typeof lists) =>
      archive({ "data.json": JSON.stringify(Object.fromEntries(order.map((key) => [key, given[key]]))) });
    const { cards } = await readAll(await data(lists));
    expect(cards).toMatchObject([
      { key: "C1", deck: "deck 1" },
      { key: "C2", body: { content: "two" } },
    ]);
    const other = { ...lists, "~:cards": [{ ...card, "~:content": "other" }] };
    await expect(readAll(await data(other))).rejects.toThrow('another card has the id "C1", too');
  });

  test("finds media whose names have accents in the other normal form", async () => {
    const [one, two] = ["café.png".normalize("NFC"), "señal.mp3".normalize("NFD")];
    const data = JSON.stringify({
      "~:cards": [{ "~:deck-id": "~:D", "~:content": `![](@media/${one}) ![](@media/${two})` }],
    });
    const { cards, skipped } = await readAll(
      await archive({ "data.json": data, [one.normalize("NFD")]: "a", [two.normalize("NFC")]: "b" }),
    );
    expect(cards[0]?.attachments?.map(({ fileName }) => fileName)).toEqual([one, two]);
    expect(skipped.map(({ what }) => what)).toEqual([
      "decks that cards name but the collection does not have",
    ]);
  });

  test("finds media under attachments/, and reports what is missing", async () => {
    const data = JSON.stringify({
      "~:cards": [{ "~:id": "~:C", "~:deck-id": "~:D", "~:content": "@media/a.png ![](@media/b%20c.png)" }],
    });
    const { source, cards, skipped } = await readAll(
      await archive({ "data.json": data, "attachments/a.png": "a" }),
    );
    expect(source.decks).toMatchObject([{ body: { name: "Cards without a deck" } }]);
    expect(cards[0]?.attachments?.map(({ fileName }) => fileName)).toEqual(["a.png"]);
    expect(skipped).toContainEqual(
      expect.objectContaining({ place: "cards.mochi, card 1: b c.png", why: "they are not in the archive" }),
    );
  });
});

test("an exported archive has instants, keywords and sets in the form of the apps", async () => {
  const client = await emptyAccount();
  const deck = await client.decks.create({ name: "D", "sort-by": "created-at" });
  const body = { content: "x", "deck-id": deck.id, "manual-tags": ["a"] };
  const card = await client.cards.create(body);
  await client.reviews.create(card.id, { date: "2024-01-02T03:04:05.006Z", "remembered?": true });
  await client.cards.update(card.id, { "trashed?": "2024-02-01T00:00:00.000Z" });
  const path = join(await temporaryFolder(), "a.mochi");
  await exportFile(client, path, "mochi");
  const data = JSON.parse(Buffer.from(unzipSync(readFileSync(path))["data.json"] ?? []).toString());
  expect(data).toMatchObject({
    "~:version": 2,
    "~:decks": [{ "~:id": `~:${deck.id}`, "~:sort-by": "~:created-at" }],
    "~:cards": [
      {
        "~:deck-id": `~:${deck.id}`,
        "~:tags": { "~#set": ["a"] },
        "~:trashed?": { "~#dt": Date.UTC(2024, 1, 1) },
        "~:created-at": { "~#dt": expect.any(Number) },
        "~:reviews": [{ "~:date": `~t${Date.UTC(2024, 0, 2, 3, 4, 5, 6)}`, "~:remembered?": true }],
      },
    ],
  });
});

describe("the reviews of an archive", () => {
  const read = async (card: object) => {
    const data = {
      "~:decks": [{ "~:id": "~:D", "~:name": "D" }],
      "~:cards": [{ "~:deck-id": "~:D", ...card }],
    };
    const { cards, skipped } = await readAll(await archive({ "data.json": JSON.stringify(data) }));
    return { reviews: cards[0]?.reviews ?? [], skipped };
  };
  const review = (day: number, interval: number) => ({
    "~:date": `~t${Date.UTC(2024, 0, day)}`,
    "~:remembered?": true,
    "~:interval": interval,
  });

  test("of one day are all kept, a minute apart, and make the card due an interval after the last", async () => {
    const { reviews } = await read({
      "~:content": "x",
      "~:reviews": [review(5, 2), review(5, 3), review(7, 4)],
    });
    expect(reviews.map(({ date }) => date)).toEqual([
      "2024-01-05T00:00:00.000Z",
      "2024-01-05T00:01:00.000Z",
      "2024-01-07T00:00:00.000Z",
    ]);
    expect(reviews.at(-1)?.due).toBe("2024-01-11T00:00:00.000Z");
  });

  test("in reverse and of cloze deletions are one history, due when the first of them is", async () => {
    const { reviews, skipped } = await read({
      "~:content": "{{1::x}}",
      "~:reviews": [review(5, 20)],
      "~:reverse-reviews": [review(5, 3), review(6, 10)],
      "~:cloze/reviews": { "~:1": [review(8, 2)] },
      "~:sm2/reviews": [review(1, 1), review(2, 1)],
    });
    expect(reviews).toHaveLength(4);
    expect(reviews.at(-1)).toMatchObject({
      date: "2024-01-08T00:00:00.000Z",
      due: "2024-01-10T00:00:00.000Z",
    });
    expect(skipped).toMatchObject([
      { what: "reviews of another scheduler", count: 2 },
      { what: "schedules of reverse and cloze reviews", count: 2 },
    ]);
  });
});

test("an exported archive has no nulls, field ids that the apps accept, and equal files once", async () => {
  const client = await emptyAccount();
  const deck = await client.decks.create({ name: "D" });
  const fields = { name: { id: "name", name: "Word" }, m: { id: "m", name: "Meaning" } };
  const template = await client.templates.create({ name: "T", content: "<< Word >> << Meaning >>", fields });
  const ids: string[] = [];
  for (const bytes of ["same", "same", "other"]) {
    const body = {
      content: "",
      "deck-id": deck.id,
      "template-id": template.id,
      fields: { m: { id: "m", value: "![](@media/a.png)" } },
    };
    const { id } = await client.cards.create(body);
    const source = async () => ({ stream: Readable.from([Buffer.from(bytes)]), size: bytes.length });
    await client.attachments.add(id, { fileName: "a.png", source });
    ids.push(id);
  }
  const path = join(temporaryFolder(), "a.mochi");
  await exportFile(client, path, "mochi");
  const files = unzipSync(readFileSync(path));
  expect(Object.keys(files).sort()).toEqual([
    "a.png",
    expect.stringMatching(/^attachments\/\w+\/a\.png$/),
    "data.json",
  ]);
  const text = Buffer.from(files["data.json"] ?? []).toString();
  expect(text).not.toContain("null");
  const data = JSON.parse(text);
  const [, id] = Object.keys(data["~:templates"][0]["~:fields"]);
  expect(id).toMatch(/^~:[0-9A-Za-z]{8,}$/);
  expect(data["~:cards"][0]["~:fields"][id ?? ""]).toEqual({ "~:id": id, "~:value": "![](@media/a.png)" });
  const { cards } = await readAll(path);
  expect(cards.map(({ body }) => body.fields)).toEqual(
    ids.map(() => ({ m: { id: "m", value: "![](@media/a.png)" } })),
  );
});

describe("EDN", () => {
  test.each([
    ["[1 -2.5 3N 1e3 nil true]", [1, -2.5, 3, 1000, null, true]],
    ['"a\\u00e9\\n\\"b\\""', 'aé\n"b"'],
    ["[\\a \\newline \\u0041 \\space]", ["a", "\n", "A", " "]],
    ["#{:a :b/c sym}", ["a", "b/c", "sym"]],
    ['{:a 1, "b" [2]}', { a: 1, b: [2] }],
    ['#uuid "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"', "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"],
    ["[#_ 1 #_ [2 3] 4]", [4]],
    ["(1 ; comment\n 2)", [1, 2]],
    ["99999999999999999999N", "99999999999999999999"],
  ])("%s is read", (text, expected) => {
    expect(JSON.parse(JSON.stringify(readEdn(text, "data.edn")))).toEqual(expected);
  });

  test.each([
    ["{:a\n [1 2}", /not valid EDN/],
    ["{:a\n\n", /the text ends in the middle of a value/],
    ['["open', /the text ends in the middle of a value/],
    ["", /the text ends in the middle of a value, or is empty/],
    ['"\\q"', /not valid EDN: Unexpected escape character/],
    ['#inst "soon"', /not valid EDN: soon is not an instant/],
    ["{[1] 2}", /a key of a map is not a keyword or text/],
    [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, /not valid EDN/],
  ])("%.20j is refused", (text, message) => {
    expect(() => readEdn(text, "data.edn")).toThrow(message);
  });

  test("with a map of many keys is read quickly", () => {
    const text = `{${Array.from({ length: 50_000 }, (_, index) => `:k${index} 1`).join(" ")}}`;
    const begin = performance.now();
    expect(Object.keys(readEdn(text, "data.edn") as object)).toHaveLength(50_000);
    expect(performance.now() - begin).toBeLessThan(5000);
  });

  test("has no key that changes the prototype of maps", () => {
    const value = readEdn('{"__proto__" {:polluted true}}', "data.edn") as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

test("a card gets each of its files once, and no file of another card where its own is missing", async () => {
  const [composed, decomposed] = (["NFC", "NFD"] as const).map((form) => "café.png".normalize(form));
  const card = (id: string, content: string, file: Record<string, string>) => ({
    "~:id": id,
    "~:content": content,
    "~:deck-id": "D",
    "~:attachments": [{ "~:file-name": composed, ...file }],
  });
  const path = await archive({
    "data.json": JSON.stringify({
      "~:version": 2,
      "~:decks": [{ "~:id": "D", "~:name": "D" }],
      "~:cards": [
        card("one", "one", { "~:path": composed ?? "" }),
        card("two", `two ![](@media/${decomposed})`, { "~:path": "attachments/two/1" }),
        card("three", `three ![](@media/${composed})`, { "~:missing": "it is not there" }),
      ],
    }),
    [composed ?? ""]: "a",
    "attachments/two/1": "bb",
  });
  const { cards, skipped } = await readAll(path);
  expect(cards.map(({ attachments }) => attachments?.map(({ fileName, size }) => [fileName, size]))).toEqual([
    [[composed, 1]],
    [[composed, 2]],
    [],
  ]);
  expect(skipped).toMatchObject([{ what: "attachments", why: "they are not in the archive" }]);
});

test("what is no card is named by its place in its list, and a list without a comma is refused", async () => {
  const read = async (cards: string) => {
    const data = `{"~:version":2,"~:decks":[],"~:cards":${cards}}`;
    return readAll(await archive({ "data.json": data }));
  };
  await expect(read('[{"~:content":"a"},5]')).rejects.toThrow("cards.mochi, card 2: the card is not a map");
  await expect(read('[{"~:id":"~:A"} {"~:id":"~:B"}]')).rejects.toThrow("it cannot be read");
});
