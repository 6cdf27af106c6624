import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SourceCard } from "../../src/transfer/model.ts";
import { temporaryFolder } from "../support/service.ts";
import { emptyAccount, exportFile, importFile, readAll, wholeAccount } from "./support.ts";

function folder(files: Readonly<Record<string, string>>): string {
  const root = join(temporaryFolder(), "notes");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const contents = (cards: readonly SourceCard[]) => cards.map(({ body }) => body.content);
const deckNames = (deck: string | undefined) => (deck === undefined ? [] : JSON.parse(deck));

/** Noon of a local day: notes have only dates. */
const noon = (year: number, month: number, day: number) => new Date(year, month - 1, day, 12).toISOString();

describe("notes of Obsidian", () => {
  const vault = {
    "Words.md": [
      "# Spanish words",
      "#spanish #flashcards/Languages/Spanish #review",
      "",
      "perro::dog",
      "gato:::cat <!--SR:!2026-03-02,4,270!2026-03-01,5,250-->",
      "",
      "What is",
      "a house?",
      "?",
      "una **casa**",
      "```",
      "a::b",
      "",
      "c::d",
      "```",
      "",
      "`a::b` is code, see [x](y::z)",
      "",
      "The ==capital== of Norway is ==Oslo==.",
      "<!--SR:!2026-04-02,10,250!2026-04-09,17,250-->",
      "",
      "one::1 #flashcards/Numbers",
      "",
      "![[cell.png]]::a cell",
      "",
      "## What is a heading?",
      "?",
      "a question <!--SR:2026-05-02,4,270-->",
      "",
      "Another separator?",
      "<br>",
      "Yes. <!--SR:!2026-05-02,4,270-->",
    ].join("\n"),
    "other.md": "Nothing to learn here.\n",
    "img/cell.png": "png",
    ".obsidian/app.json": "{}",
  };

  test("are recognised, with decks, deletions, schedules and pictures", async () => {
    const { source, cards, skipped } = await readAll(folder(vault));
    expect(source.format).toBe("obsidian");
    expect(contents(cards)).toEqual([
      "perro\n---\ndog",
      "gato\n---\ncat",
      "What is\na house?\n---\nuna **casa**\n```\na::b\n\nc::d\n```",
      "The {{1::capital}} of Norway is {{2::Oslo}}.",
      "one\n---\n1",
      "![](@media/cell.png)\n---\na cell",
      "## What is a heading?\n---\na question",
    ]);
    expect(cards[6]?.reviews?.[0]?.due).toBe(noon(2026, 5, 2));
    expect(cards.slice(0, 6).map(({ deck }) => deckNames(deck))).toEqual([
      ...Array.from({ length: 4 }, () => ["Languages", "Spanish"]),
      ["Numbers"],
      ["Languages", "Spanish"],
    ]);
    expect(cards.map(({ body }) => body["review-reverse?"])).toEqual([
      undefined,
      true,
      ...Array(5).fill(undefined),
    ]);
    // The earliest of its schedules, as one review an interval before.
    expect(cards[1]?.reviews).toEqual([
      { date: noon(2026, 2, 24), "remembered?": true, due: noon(2026, 3, 1), madeUp: true },
    ]);
    expect(cards[0]?.reviews).toBeUndefined();
    expect(cards[3]?.reviews?.[0]?.due).toBe(noon(2026, 4, 2));
    expect(cards[5]?.attachments).toMatchObject([{ fileName: "cell.png", size: 3 }]);
    expect(skipped.map(({ what, count = 1 }) => [what, count])).toEqual([
      ["questions with a schedule", 1],
      ["schedules", 1],
      ["schedules", 1],
      ["files", 1],
    ]);
  });

  test("are a file of pairs even without a tag, and never one card of many lines without a word", async () => {
    const pairs = Array.from({ length: 300 }, (_, index) => `word ${index}::meaning ${index}`).join("\n");
    const root = folder({
      "pairs.md": pairs,
      "long.md": Array(100).fill("* a line").join("\n"),
      "short.md": "a",
    });
    expect((await readAll(join(root, "pairs.md"))).cards).toHaveLength(300);
    const { source } = await readAll(join(root, "long.md"));
    expect(source.notes?.[0]).toContain("long.md is one card of 100 lines");
    expect((await readAll(join(root, "short.md"))).source.notes).toEqual([]);
    expect((await readAll(join(root, "pairs.md"), { format: "markdown" })).cards).toHaveLength(1);
  });
});

describe("settings of Obsidian's plugin", () => {
  const settings = ".obsidian/plugins/obsidian-spaced-repetition/data.json";
  const own = {
    singleLineCardSeparator: ";;",
    singleLineReversedCardSeparator: ";;;",
    multilineCardSeparator: "*?",
    multilineReversedCardSeparator: "",
    flashcardTags: ["#cards", "#exam/bio"],
  };
  const note =
    "---\ntags: [x, exam/bio/cells]\n---\na;;b\nc;;;d\ne::f\n\ng\n*?\nh\n\n#cards/x\ni;;j\n\nk\n??\nl\n";

  test("set the separators and tags of the notes of its vault", async () => {
    const root = folder({ [settings]: JSON.stringify({ settings: own }), "sub/a.md": note });
    for (const path of [root, join(root, "sub/a.md")]) {
      const { source, cards } = await readAll(path, { format: "obsidian" });
      expect(cards.map(({ body, deck }) => [body.content, ...deckNames(deck)])).toEqual([
        ["a\n---\nb", "exam", "bio", "cells"],
        ["c\n---\nd", "exam", "bio", "cells"],
        ["g\n---\nh", "exam", "bio", "cells"],
        ["i\n---\nj", "cards", "x"],
        ["k\n---\nl", "cards", "x"],
      ]);
      expect(cards[1]?.body["review-reverse?"]).toBe(true);
      expect(source.notes).toEqual([`Separators and tags are those of ${join(root, settings)}`]);
    }
    expect((await readAll(root)).source.format).toBe("obsidian");
  });

  test("that are damaged or as they were installed change nothing", async () => {
    for (const text of ["{", "null", '{"settings":{"singleLineCardSeparator":7,"flashcardTags":[]}}']) {
      const { source, cards } = await readAll(folder({ [settings]: text, "a.md": "#flashcards\na::b\n" }));
      expect(contents(cards)).toEqual(["a\n---\nb"]);
      expect(source.notes).toEqual([]);
    }
  });

  test("may make decks of folders", async () => {
    const root = folder({
      [settings]: '{"settings":{"convertFoldersToDecks":true}}',
      "A/B/a.md": "x ==y==\n",
      "b.md": "c::d\n",
    });
    const { cards } = await readAll(root);
    expect(cards.map(({ body, deck }) => [body.content, ...deckNames(deck)])).toEqual([
      ["x {{1::y}}", "A", "B"],
      ["c\n---\nd"],
    ]);
  });
});

describe("a folder of notes", () => {
  const counted = ({ skipped }: Awaited<ReturnType<typeof readAll>>) =>
    skipped.map(({ place, what, count = 1 }) => [place.replace(/.*notes/, ""), what, count]);

  test("of Obsidian with tags has cards only in notes with a tag or a schedule, and counts the others", async () => {
    const files = {
      "a.md": "#flashcards\n\nq::a\n",
      "b.md": "---\ntags: [flashcards]\n---\nx ==y==\n",
      "c.md": "aliases:: foo\nrating:: 5\n\nUse std::vector ==here==\n",
      "d.md": "c::d\n\ne::f <!--SR:!2026-12-24,34,250-->\n",
    };
    const read = await readAll(folder(files));
    expect(contents(read.cards)).toEqual(["q\n---\na", "x {{1::y}}", "e\n---\nf"]);
    expect(counted(read)).toEqual([
      ["/c.md", "pairs in notes without a tag", 3],
      ["/d.md", "pairs in notes without a tag", 1],
    ]);
    const { "c.md": untagged } = files;
    const alone = await readAll(folder({ "c.md": untagged }), { format: "obsidian" });
    expect(alone.cards).toHaveLength(3);
  });

  test.each(["hashcards", "obsidian"] as const)("of %s names the files that are not read", async (format) => {
    const root = folder({
      "a.md": "Q: x ![](p.png)\nA: y\n\n#flashcards\n\nq ![](p.png)::a\n",
      "p.png": "png",
      "sub/other.png": "png",
      "words.csv": "a,b\n",
      "macros.tex": "\\x",
      "hashcards.db": "x",
      ".hidden": "x",
    });
    const read = await readAll(root, { format });
    expect(read.cards).toHaveLength(1);
    const database = format === "hashcards" ? "review histories of hashcards" : "files";
    expect(counted(read)).toEqual([
      ["/hashcards.db", database, 1],
      ["/macros.tex", "files", 1],
      ["/sub/other.png", "files", 1],
      ["/words.csv", "files", 1],
    ]);
  });
});

test("links of Obsidian keep their titles in both directions, and a line of ? in a front is text", async () => {
  const text = "[[Call-by-Name|thunking]] ![[x|100]] `[[a|b]]`::see [[Note#Part|part]]\n";
  const root = folder({ "n.md": `#flashcards\n\n${text}` });
  const [card] = contents((await readAll(root)).cards);
  expect(card).toBe("[[thunking|Call-by-Name]] ![[x|100]] `[[a|b]]`\n---\nsee [[part|Note#Part]]");
  const client = await emptyAccount();
  const { id } = await client.decks.create({ name: "Deck" }).send();
  for (const content of [card ?? "", "line\n?\nmark\n---\nback"])
    await client.cards.create({ content, "deck-id": id }).send();
  const out = join(temporaryFolder(), "out");
  await exportFile(client, out, "obsidian");
  expect(readFileSync(join(out, "Deck.md"), "utf8")).toContain(text);
  expect(contents((await readAll(out)).cards)).toContain("line\n?\nmark\n---\nback");
});

describe("schedules of Obsidian", () => {
  const read = async (text: string) => {
    const { cards, skipped } = await readAll(folder({ "n.md": `#flashcards\n\n${text}\n` }));
    return {
      contents: contents(cards),
      reviews: cards.map(({ reviews = [] }) => reviews),
      places: cards.map(({ place }) => Number(place.replace(/.*line /, ""))),
      skipped: skipped.map(({ what, count = 1 }) => [what, count]),
    };
  };
  const [due, last] = ["2026-12-24T00:10:00.000Z", "2026-11-20T06:00:00.123Z"];
  const fsrs = (state: number, dueDate = due) => `!fsrs,${dueDate},34,40.5,5.5,${state},7,1,0,${last}`;
  const dated = { date: noon(2026, 11, 20), "remembered?": true, due: noon(2026, 12, 24), madeUp: true };

  test("by FSRS have the instants of the last review and of the next", async () => {
    const { reviews, skipped } = await read(
      [
        `a::b\n<!--SR:${fsrs(2)}-->`,
        `c:::d <!--SR:${fsrs(2, "2027-01-01T00:00:00.000Z")}${fsrs(3)}-->`,
        "e:::f\n<!--SR:!fsrs,-,0,0,0,0,0,0,0,-!2026-12-24,34,250-->",
        "g::h\n<!--SR:!fsrs,-,0,0,0,0,0,0,0,--->",
        "k::l\n<!--SR:!fsrs,never,x-->\n\nm::n\n<!--SR:!2026-12-24,1e99,250-->",
        `i::j\n<!--SR:!fsrs,${due},34,40.5,5.5,2,7,1,0,--->`,
      ].join("\n\n"),
    );
    const review = { date: last, "remembered?": true, due };
    expect(reviews).toEqual([
      [review],
      [{ ...review, "remembered?": false }],
      [dated],
      [],
      [],
      [expect.objectContaining({ due: noon(2026, 12, 24) })],
      [{ ...review, date: "2026-11-20T00:10:00.000Z", madeUp: true }],
    ]);
    expect(skipped).toEqual([["schedules", 1]]);
  });

  test("in the callout of the plugin are those of the card above it", async () => {
    const callout = "> [!sr|card-metadata] \n>\n>  <!--SR:!2026-12-24,34,250-->";
    const read = await readAll(
      folder({
        "n.md": `#flashcards\n\na::b\n${callout}\nc::d\n${callout}\n\ne\n?\nf\n${callout}\n\nx ==y==\n${callout}\n`,
      }),
    );
    expect(contents(read.cards)).toEqual(["a\n---\nb", "c\n---\nd", "e\n---\nf", "x {{1::y}}"]);
    expect(read.cards.map(({ reviews }) => reviews)).toEqual(Array(4).fill([dated]));
    expect(read.cards.map(({ place }) => place)).toEqual(
      [3, 7, 12, 19].map((line) => `notes/n.md, line ${line}`),
    );
  });

  test("leave out the mark for a further question that is new", async () => {
    const { reviews, skipped } = await read(
      "==a== ==b==\n<!--SR:!2026-12-24,34,250!2000-01-01,1,250-->\n\nc:::d <!--SR:!2000-01-01,1,250-->",
    );
    expect(reviews).toEqual([[dated], []]);
    expect(skipped).toEqual([]);
  });
});

describe("notes of hashcards", () => {
  test("without an answer are counted as left out", async () => {
    const root = folder({ "words.md": "Q: one\nA: 1\n\nQ: two\nA:\n\nQ: three\n" });
    const { cards, skipped } = await readAll(root, { format: "hashcards" });
    expect(cards).toHaveLength(1);
    expect(skipped.map(({ what, place }) => [what, place.replace(/.*words/, "words")])).toEqual([
      ["questions without an answer", "words.md, line 4"],
      ["questions without an answer", "words.md, line 7"],
    ]);
  });

  const files = {
    "Cell.md": [
      "---",
      'name = "Biology/Cells"',
      "---",
      "",
      "Q: What is this?",
      "![](img/cell.png)",
      "A: A cell,",
      "",
      "of a plant",
      "",
      "C: The [mitochondria] is the [powerhouse] of a [link](x), \\[not this\\].",
      "",
      "Q: a",
      "A: b",
      "---",
      "some text",
    ].join("\n"),
    "img/cell.png": "png",
  };

  test("are recognised, with their deck, deletions and pictures", async () => {
    const { source, cards } = await readAll(folder(files));
    expect(source.format).toBe("hashcards");
    expect(contents(cards)).toEqual([
      "What is this?\n![](@media/cell.png)\n---\nA cell,\n\nof a plant",
      "The {{1::mitochondria}} is the {{2::powerhouse}} of a [link](x), [not this].",
      "a\n---\nb",
    ]);
    expect(deckNames(cards[0]?.deck)).toEqual(["Biology", "Cells"]);
    expect(cards[0]?.attachments).toMatchObject([{ fileName: "cell.png" }]);
    expect(cards[2]?.place).toBe("notes/Cell.md, line 13");
  });
});

describe("notes that are exported", () => {
  for (const format of ["obsidian", "hashcards"] as const)
    test(`as ${format} are the same cards when they come back`, async () => {
      const [from, to] = [await emptyAccount(), await emptyAccount()];
      const root = folder({
        "in.md": "a::b\nc:::d <!--SR:!2026-03-02,4,270-->\n\nx ==y== z\n\nm\n?\nn\n\n![](p.png)::q\n",
        "p.png": "png",
      });
      const { id } = await from.decks.create({ name: "Deck" }).send();
      await importFile(from, join(root, "in.md"), { deck: id, format: "obsidian" });
      await from.cards.create({ content: "a\n\nb\n---\nc\n\n\nd", "deck-id": id }).send();
      await from.cards.create({ content: "no question", "deck-id": id }).send();
      const out = join(root, "out");
      const summary = await exportFile(from, out, format);
      expect([...summary.losses.unwritten]).toEqual([["cards with one side and no deletion", 1]]);
      expect(readdirSync(out).toSorted()).toEqual([".deckhand", "Deck.md", "media"]);
      const text = readFileSync(join(out, "Deck.md"), "utf8");
      expect(text).toContain(format === "obsidian" ? "c:::d\n<!--SR:!2026-03-02,4,250-->" : "Q: c\nA: d");
      const { failures } = await importFile(to, out);
      expect(failures).toEqual([]);
      const cards = async (client: typeof from) =>
        (await wholeAccount(client)).cards.map(({ content, reviews, ...card }) => [
          content?.replace(/\n\n+/g, "\n\n").replace(/\{\{(?:\d::)?/g, "{{"),
          ...(format === "obsidian" ? [card["review-reverse?"], reviews?.[0]?.due ?? null] : []),
        ]);
      const wanted = (await cards(from)).filter(([content]) => content !== "no question");
      expect((await cards(to)).map((each) => JSON.stringify(each)).toSorted()).toEqual(
        wanted.map((each) => JSON.stringify(each)).toSorted(),
      );
      expect((await wholeAccount(to)).files).toHaveLength(1);
      expect((await wholeAccount(to)).decks.map(({ name }) => name)).toEqual(["Deck"]);
    });
});

describe("notes of hashcards with code", () => {
  test("in an answer's first line end where its fence ends", async () => {
    const text = "Q: one\nA: ```py\nx\n```\n\nQ: two\nA: 2\n\nQ: three\nA: ```\n\nC: no [end]\n";
    const { cards } = await readAll(folder({ "code.md": text }), { format: "hashcards" });
    expect(contents(cards)).toEqual([
      "one\n---\n```py\nx\n```",
      "two\n---\n2",
      "three\n---\n```",
      "no {{1::end}}",
    ]);
  });

  test("that shows the form of cards are no cards outside of one", async () => {
    const text = "Cards look like this:\n\n```\nQ: a\nA: b\n```\n\nQ: one\nA: 1\n";
    const { cards } = await readAll(folder({ "code.md": text }), { format: "hashcards" });
    expect(contents(cards)).toEqual(["one\n---\n1"]);
  });

  test("come back from an export, with lines that look like hashcards' own", async () => {
    const client = await emptyAccount();
    const { id } = await client.decks.create({ name: "Deck" }).send();
    const given = [
      "first\n---\n```python\nprint(1)\n```",
      "```yaml\n---\nQ: x\n---\n```\n---\nC: [y]\nA: z",
      "```\nx\n``` \n---\nthree",
      "A: four\n --- \n---\nfour",
    ];
    for (const content of given) await client.cards.create({ content, "deck-id": id }).send();
    const out = join(temporaryFolder(), "out");
    const { losses } = await exportFile(client, out, "hashcards");
    expect([...losses.adapted].map(([{ what }, count]) => [what, count])).toEqual([
      ["cards with lines that hashcards would read as its own", 2],
    ]);
    const text = readFileSync(join(out, "Deck.md"), "utf8");
    expect(text).toContain("Q: first\nA:\n```python\n");
    // As the parser of hashcards finds them: it goes by lines, and knows no fences.
    expect(text.match(/^[ \t]*---[ \t]*$/gm)).toHaveLength(2);
    expect(text.match(/^Q:/gm)).toHaveLength(4);
    expect(text.match(/^[AC]:/gm)).toHaveLength(4);
    expect(contents((await readAll(out)).cards).toSorted()).toEqual(
      given.map((content) => content.replace("``` ", "```").replace(" --- ", " ---")).toSorted(),
    );
  });
});

describe("what an export loses", () => {
  /** Cards of each kind that some format has no place for. */
  async function collection() {
    const client = await emptyAccount();
    const { id } = await client.decks.create({ name: "[5] IT" }).send();
    const { id: old } = await client.decks.create({ name: "Old", "archived?": true }).send();
    const { id: thrown } = await client.decks
      .create({ name: "Thrown", "trashed?": "2026-02-01T00:00:00.000Z" })
      .send();
    const template = await client.templates
      .create({
        name: "T",
        content: "<< Word >>\n---\nof << Word >>",
        fields: { name: { id: "name", name: "Word" } },
      })
      .send();
    const add = async (content: string, more: object = {}) =>
      (await client.cards.create({ content, "deck-id": id, ...more }).send()).id;
    await add("a\n---\nb\n---\nc", { "manual-tags": ["A::B", "two words"] });
    await add("c\n---\nd", { "archived?": true, "manual-tags": ["1984"] });
    await add("e\n---\nf", { "deck-id": old, "manual-tags": ["fine"] });
    await add("g\n---\nh", { "deck-id": thrown });
    const trashed = await add("i\n---\nj");
    await client.cards.update(trashed, { "trashed?": "2026-02-01T00:00:00.000Z" }).send();
    const reviewed = await add("k\n---\nl", { "review-reverse?": true });
    const dates = ["2026-03-01T10:00:00.000Z", "2026-03-02T10:00:00.000Z"];
    await client.reviews
      .add(
        reviewed,
        dates.map((date) => ({ date, "remembered?": true })),
      )
      .send();
    await add("", { "template-id": template.id, fields: { name: { id: "name", value: "w" } } });
    await add("no answer");
    return client;
  }

  const wanted = {
    obsidian: {
      cards: 5,
      adapted: {
        "archived cards": 2,
        "cards with reviews": 1,
        "cards of templates": 1,
        "cards with tags that Obsidian refuses": 2,
        "names of decks that Obsidian refuses as tags": 1,
      },
      text: [
        "#flashcards/-5-IT\n",
        "a\u200b #A/B #two-words\n?\nb\n---\nc",
        "c\u200b #_1984::d",
        "e\u200b #fine::f",
        "w::of w",
      ],
    },
    hashcards: {
      cards: 5,
      adapted: {
        "archived cards": 2,
        "cards with reviews": 1,
        "cards of templates": 1,
        "cards with tags": 3,
        "cards that are asked in reverse, too": 1,
        "cards with more than two sides": 1,
      },
      text: ['name = "[5] IT"\n', "Q: a\nA: b\n\nc"],
    },
    "anki-text": {
      cards: 6,
      adapted: {
        "archived cards": 2,
        "cards with reviews": 1,
        "cards with blanks in tags": 1,
        "cards with more than two sides": 1,
        "cards that are asked in reverse, too": 1,
      },
      text: ["A::B two_words\ta\tb\tc"],
    },
  } as const;

  for (const format of ["obsidian", "hashcards", "anki-text"] as const)
    test(`as ${format} is counted, and cards in the trash are left out`, async () => {
      const out = join(temporaryFolder(), "out");
      const { losses, cards, trashed } = await exportFile(await collection(), out, format);
      const unwritten = { "cards in the trash": 2, "cards with one side and no deletion": 1 };
      if (format === "anki-text")
        expect(Object.fromEntries(losses.leftOut)).toEqual({ "layouts of templates": 1 });
      expect(Object.fromEntries(losses.unwritten)).toEqual(
        format === "anki-text" ? { "cards in the trash": 2 } : unwritten,
      );
      expect({ cards, trashed }).toEqual({ cards: wanted[format].cards, trashed: 0 });
      const adapted = Object.fromEntries([...losses.adapted].map(([{ what }, number]) => [what, number]));
      expect(adapted).toEqual(wanted[format].adapted);
      const files = format === "anki-text" ? [""] : readdirSync(out).filter((name) => name.endsWith(".md"));
      const text = files.map((name) => readFileSync(join(out, name), "utf8")).join("");
      for (const each of wanted[format].text) expect(text).toContain(each);
    });

  test("to anki-text counts the cards of templates that ask in the other direction", async () => {
    const client = await emptyAccount();
    const { id } = await client.decks.create({ name: "Deck" }).send();
    const fields = { name: { id: "name", name: "Word" }, backback: { id: "backback", name: "Back" } };
    const values = { name: { id: "name", value: "w" }, backback: { id: "backback", value: "b" } };
    for (const content of ["<< Word >>\n---\n<< Back >>", "<< Back >>\n---\n<< Word >>"]) {
      const template = await client.templates.create({ name: content, content, fields }).send();
      const card = { content: "", "deck-id": id, "template-id": template.id, fields: values };
      await client.cards.create(card).send();
    }
    const { losses } = await exportFile(client, join(temporaryFolder(), "out.txt"), "anki-text");
    expect([...losses.adapted].map(([{ what }, count]) => [what, count])).toEqual([
      ["cards that do not ask for their first field", 1],
    ]);
  });

  test("to anki-text comes back with all sides, deletions without a second one, and what is asked in reverse", async () => {
    const client = await emptyAccount();
    const { id } = await client.decks.create({ name: "Deck" }).send();
    const contents = ["a\n---\nb\n---\nc\n---\nd", "e\n---\nf", "{{1::g}}", "h\n---\ni", "j\n---\nk\n---\nl"];
    for (const content of contents) {
      const reverse = /^[ej]/.test(content) ? { "review-reverse?": true } : {};
      await client.cards.create({ content, "deck-id": id, ...reverse }).send();
    }
    const out = join(temporaryFolder(), "out.txt");
    await exportFile(client, out, "anki-text");
    const { cards, skipped } = await readAll(out);
    const found = cards.map(({ body }) => [body.content, body["review-reverse?"] ?? false]);
    expect(found.sort()).toEqual(contents.map((content) => [content, /^[ej]/.test(content)]).sort());
    expect(skipped.map(({ what }) => what)).toEqual(["note types"]);
  });

  test("to anki-text has the tags of a text beside the others", async () => {
    const client = await emptyAccount();
    const { id } = await client.decks.create({ name: "Deck" }).send();
    const content = "Q #cell\n---\nA";
    await client.cards.create({ content, "deck-id": id, "manual-tags": ["mine"] }).send();
    const out = join(temporaryFolder(), "out.txt");
    await exportFile(client, out, "anki-text");
    expect(readFileSync(out, "utf8")).toContain("\tmine cell\tQ #cell\tA");
  });

  test.each([
    "# Title\ntext\n---\nback",
    "front\n---\ntext\n## Heading\na::b",
    "std::vector {{x}}\nstd::map {{y}}",
    "front\n---\n```\na code block without an end",
    "```\ncode\n```\n---\nback",
  ])("to obsidian is no text that reads as another card: %j", async (content) => {
    const client = await emptyAccount();
    const { id } = await client.decks.create({ name: "Deck" }).send();
    for (const each of [content, "next\n---\nanswer"])
      await client.cards.create({ content: each, "deck-id": id, "manual-tags": ["t"] }).send();
    const out = join(temporaryFolder(), "out");
    await exportFile(client, out, "obsidian");
    const { cards } = await readAll(out);
    const plain = (text = "") =>
      text.replace(/ ?#t$|\n?#t(?=\n)| #t(?=\n)|\\|\{\{(\d::)?|\}\}/gm, "").replace(/\n```$/, "");
    expect(contents(cards).map(plain)).toEqual([plain(content), "next\n---\nanswer"]);
  });
});

describe("deletions in notes of Obsidian", () => {
  const exported = async (...given: readonly string[]) => {
    const client = await emptyAccount();
    const { id } = await client.decks.create({ name: "Deck" }).send();
    for (const content of given) await client.cards.create({ content, "deck-id": id }).send();
    const out = join(temporaryFolder(), "out");
    const { losses } = await exportFile(client, out, "obsidian");
    const text = readFileSync(join(out, "Deck.md"), "utf8").replace("#flashcards/Deck\n\n", "");
    return { text, adapted: [...losses.adapted.keys()].map(({ what }) => what), out };
  };

  test.each([
    ["A {{1::one}} and {{2::two}}", "A ==one== and ==two=="],
    ["{{2::two}} {{1::one}} {{2::zwei}}", "==2;;two== ==1;;one== ==2;;zwei=="],
    ["{{a}} and {{b}} together, {{1::c}} before", "==2;;a== and ==2;;b== together, ==1;;c== before"],
    ["only {{one}}", "only ==one=="],
    ["{{1::Oslo}} (a city)", "==Oslo== (a city)"],
    ["an \\{{escape}} and `{{code}}` and {{x}}", "an \\{{escape}} and `{{code}}` and ==x=="],
    ["$x$ {{\\frac{1}{2}}}", "$x$ ==\\frac{1}{2}=="],
    ["a {{E = mc²}}", "a ==E = mc²=="],
  ])("are highlights: %j", async (content, wanted) => {
    const { text, adapted } = await exported(content);
    expect(text).toBe(`${wanted}\n`);
    expect(adapted).toEqual([]);
  });

  test("that have no form there are counted, and written as plain ones", async () => {
    const { text, adapted } = await exported("{{1::a {{2::b}}}} {{3::c\nd}} {{4::e == f;;g}}");
    expect(text).toBe("==1;;a b== ==3;;c<br>d== ==4;;e =\\= f;\\;g==\n");
    expect(adapted).toEqual(["cards with deletions that Obsidian has no form for"]);
  });

  test("are read with their numbers and hints", async () => {
    const root = folder({
      "a.md": "#flashcards\n\n==2;;b== ==1;;a;;first== ==2;;c==\n\n==x;;hint== ==y==\n",
    });
    expect(contents((await readAll(root)).cards)).toEqual([
      "{{2::b}} {{1::a}} (first) {{2::c}}",
      "{{1::x}} (hint) {{2::y}}",
    ]);
  });

  test("are asked in the same groups when they come back", async () => {
    const word = fc.stringMatching(/^[a-zé]{1,5}(?:[ =;:.][a-z]{1,3})?$/);
    const deletion = fc.tuple(fc.option(fc.integer({ min: 1, max: 4 })), word, fc.boolean());
    const card = fc.array(fc.tuple(word, deletion), { minLength: 1, maxLength: 5 });
    const cards = fc.sample(card, { numRuns: 60, seed: 7 });
    const written = cards.map((parts) =>
      parts
        .map(([before, [number, text, nested]]) => {
          const inner = nested ? `{{9::${text}}}` : text;
          return `${before} {{${number === null ? "" : `${number}::`}${inner}}} (hint)`;
        })
        .join(" "),
    );
    const grouped = (groups: readonly (number | null)[]) => {
      const bare = Math.max(0, ...groups.map(Number)) + 1;
      const order = [...new Set(groups.map((group) => group ?? bare))].toSorted((a, b) => a - b);
      return groups.map((group) => order.indexOf(group ?? bare));
    };
    const wanted = cards.map((parts) => ({
      text: parts.map(([before, [, text]]) => `${before} {{${text}}} (hint)`).join(" "),
      groups: grouped(parts.map(([, [number]]) => number)),
    }));
    const { out } = await exported(...written);
    const read = contents((await readAll(out)).cards).map((content) => ({
      text: content.replace(/\{\{\d+::/g, "{{"),
      groups: grouped([...content.matchAll(/\{\{(\d+)::/g)].map(([, number]) => Number(number))),
    }));
    const sorted = (list: typeof wanted) => list.map((each) => JSON.stringify(each)).toSorted();
    expect(sorted(read)).toEqual(sorted(wanted));
  });
});

describe("deletions beside another side", () => {
  const written = async (format: "obsidian" | "hashcards", ...given: readonly string[]) => {
    const client = await emptyAccount();
    const { id } = await client.decks.create({ name: "Deck" }).send();
    for (const content of given) await client.cards.create({ content, "deck-id": id }).send();
    const out = join(temporaryFolder(), "out");
    const { losses } = await exportFile(client, out, format);
    const text = readFileSync(join(out, "Deck.md"), "utf8").replace(
      /^(?:#flash.*|---\n[\s\S]*?\n---)\n\n/,
      "",
    );
    return { text, counted: [...losses.adapted, ...losses.unwritten].map(([key]) => key) };
  };
  const notes = {
    question: "The {{1::nucleus}} has {{2::a {{3::b}}}} {{c\nd}}.\n---\nExtra: {{x}}",
    noExtra: "Anki's {{1::cloze}} with {{2::$\\frac{a}{b}$}}\n---\n \n---\n",
    emptyFront: "\n---\nback",
  };

  test.each([
    ["obsidian", "The [...] has [...] [...].\n?\nThe ==nucleus== has ==a b== c\nd.\n<br>\nExtra: ==x==\n"],
    ["hashcards", "Q: The [...] has [...] [...].\nA: The **nucleus** has **a b** c\nd.\n\nExtra: **x**\n"],
  ] as const)("do not show the answer in a question of %s", async (format, wanted) => {
    const { text, counted } = await written(format, notes.question);
    expect(text).toBe(wanted);
    expect(counted).toMatchObject([{ what: "cards with deletions beside another side" }]);
  });

  test.each([
    ["obsidian", "Anki's ==cloze== with ==$\\frac{a}{b}$==\n"],
    ["hashcards", "C: Anki's [cloze] with [$\\frac{a}{b}$]\n"],
  ] as const)("are a cloze of %s where that side is empty", async (format, wanted) => {
    expect(await written(format, notes.noExtra)).toEqual({ text: wanted, counted: [] });
  });

  test.each(["obsidian", "hashcards"] as const)("with an empty front are left out of %s", async (format) => {
    const { text, counted } = await written(format, notes.emptyFront, "next\n---\nanswer");
    expect(text).not.toContain("back");
    expect(counted).toEqual(["cards with an empty first side"]);
  });
});

test("a spreadsheet's column of pictures becomes attachments of the side before it", async () => {
  const root = folder({
    "x.csv": "front,image,back,sound\ncell,cell.png,a cell,[sound:a.mp3]\nnone,,x,missing.png\n",
    "cell.png": "png",
    "a.mp3": "mp3",
  });
  const { cards, skipped } = await readAll(join(root, "x.csv"));
  expect(contents(cards)).toEqual([
    "cell\n\n![](@media/cell.png)\n---\na cell\n\n![](@media/a.mp3)",
    "none\n---\nx\n\n![](<missing.png>)",
  ]);
  expect(cards[0]?.attachments?.map(({ fileName }) => fileName)).toEqual(["cell.png", "a.mp3"]);
  expect(skipped).toMatchObject([{ what: "pictures and sounds", why: "no such file" }]);
});

test("`@media/` links take the files beside a spreadsheet or file, and missing ones are reported", async () => {
  const root = folder({
    "x.csv": "front,back\n![](@media/cell.png),![](@media/gone.png)\n",
    "z.md": "![](@media/cell.png) ![](@media/gone.png)\n",
    "cell.png": "png",
  });
  for (const name of ["x.csv", "z.md"]) {
    const { cards, skipped } = await readAll(join(root, name));
    expect(cards[0]?.attachments).toMatchObject([{ fileName: "cell.png", size: 3 }]);
    expect(skipped).toMatchObject([{ place: expect.stringContaining("gone.png"), why: "no such file" }]);
  }
});

describe("tags of Obsidian", () => {
  test.each([
    ["in a heading", "# Biology #flashcards/bio\n\nCell::unit\n"],
    ["in a sentence", "About #flashcards/bio here.\n\nCell::unit\n"],
    ["in front matter", "---\ntags: [flashcards/bio]\n---\nCell::unit\n"],
    ["on a line of its own", "#flashcards/bio\nCell::unit\n"],
  ])("name the deck of the cards that follow: %s", async (_where, text) => {
    const { source, cards } = await readAll(join(folder({ "n.md": text }), "n.md"));
    expect(source.decks.map(({ body }) => body.name)).toEqual(["bio"]);
    expect(cards).toHaveLength(1);
    expect(deckNames(cards[0]?.deck)).toEqual(["bio"]);
  });

  test("beside the deck's are those of its cards, and a missing picture is named once for each card", async () => {
    const text = "#flashcards/bio #exam\n\nCell ![](no.png)::unit ![](no.png)\nDNA ![](no.png)::acid\n";
    const { cards, skipped } = await readAll(join(folder({ "n.md": text }), "n.md"));
    expect(cards.map(({ body }) => body["manual-tags"])).toEqual([["exam"], ["exam"]]);
    expect(skipped.map(({ place }) => place)).toEqual(["n.md, line 3: no.png", "n.md, line 4: no.png"]);
  });
});

test("a file of notes in the current folder is found by its name alone", async () => {
  const root = folder({ "n.md": "#flashcards\n\nCell::unit ![](cell.png)\n", "cell.png": "p" });
  const before = process.cwd();
  process.chdir(root);
  try {
    const { cards } = await readAll("n.md");
    expect(cards[0]?.attachments?.map(({ fileName }) => fileName)).toEqual(["cell.png"]);
  } finally {
    process.chdir(before);
  }
});
