import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
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
        await archive({ [name]: data, "hola.png": "picture", "unused.png": "x" }),
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
      const told = skipped.map(({ what, place }) => `${what} in ${place}`);
      expect(told).toContain("files in cards.mochi: unused.png");
      if (name === "data.json")
        expect(told).toEqual(
          expect.arrayContaining([
            'values of "sort-by" in cards.mochi, deck 1',
            'values of "strange" in cards.mochi, card 1',
          ]),
        );
    },
  );

  test("finds media whose accents are written in the other way", async () => {
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

  test("finds media under attachments/, and tells of what is not there", async () => {
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

test("an archive that is written has instants, keywords and sets in the form of the apps", async () => {
  const client = await emptyAccount();
  const deck = await client.decks.create({ name: "D", "sort-by": "created-at" }).send();
  const body = { content: "x", "deck-id": deck.id, "manual-tags": ["a"] };
  const card = await client.cards.create(body).send();
  await client.reviews.create(card.id, { date: "2024-01-02T03:04:05.006Z", "remembered?": true }).send();
  await client.cards.update(card.id, { "trashed?": "2024-02-01T00:00:00.000Z" }).send();
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

describe("EDN", () => {
  test.each([
    ["[1 -2.5 3N 1e3 nil true]", [1, -2.5, 3, 1000, null, true]],
    ['"a\\u00e9\\n\\"b\\""', 'aé\n"b"'],
    ["[\\a \\newline \\u0041 \\( \\space]", ["a", "\n", "A", "(", " "]],
    ["#{:a :b/c sym}", ["a", "b/c", "sym"]],
    ['{:a 1, "b" [2]}', { a: 1, b: [2] }],
    ['#uuid "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"', "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"],
    ["[#_ 1 #_ [2 3] 4]", [4]],
    ["(1 ; comment\n 2)", [1, 2]],
    ["99999999999999999999", "99999999999999999999"],
  ])("%s is read", (text, expected) => {
    expect(JSON.parse(JSON.stringify(readEdn(text, "data.edn")))).toEqual(expected);
  });

  test.each([
    ["{:a\n [1 2}", /line 2: .*the \[ is closed by }/],
    ["{:a\n\n", /line 1: .*the { is never closed/],
    ['["open', /the text is never closed/],
    ["{:a 1 :b}", /a map has a key without a value/],
    ["[1] 2", /there is text after the end/],
    ["", /a value is missing/],
    ["1.2.3", /not a number/],
    ['"\\q"', /there is no escape \\q/],
    ["\\nonsense", /there is no character \\nonsense/],
    ['#inst "soon"', /not an instant/],
    ["[".repeat(500), /nested more than 200/],
    ["#", /a # stands alone/],
  ])("%j is refused, with its line", (text, message) => {
    expect(() => readEdn(text, "data.edn")).toThrow(message);
  });

  test("has no key that changes what maps are", () => {
    const value = readEdn('{"__proto__" {:polluted true}}', "data.edn") as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

test("the files of a card are its own: each once, and not that of another card where its own is missing", async () => {
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
