import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { countNotes, readNotes } from "../../src/transfer/formats/notes/text.ts";
import type { SourceCard } from "../../src/transfer/model.ts";
import { cpuTimeOf, leastBelow } from "../support/cpu-time.ts";
import { temporaryFolder } from "../support/service.ts";
import { readAll } from "./support.ts";

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
    flashcardTags: ["#cards", "#exam/bio"],
  };
  const note =
    "---\ntags: [x, exam/bio/cells]\n---\na::b\nc:::d\ne;;f\n\ng\n?\nh\n\n#cards/x\ni::j\n\nk\n??\nl\n";

  test("set the tags of the notes of its vault, and not their separators", async () => {
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
      expect(source.notes).toEqual([`Tags are those of ${join(root, settings)}`]);
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
    expect(contents(read.cards)).toEqual(["x ![](@media/p.png)\n---\ny", "q ![](@media/p.png)\n---\na"]);
    const database = format === "hashcards" ? "review histories of hashcards" : "files";
    expect(counted(read)).toEqual([
      ["/hashcards.db", database, 1],
      ["/macros.tex", "files", 1],
      ["/sub/other.png", "files", 1],
      ["/words.csv", "files", 1],
    ]);
  });
});

test("links of Obsidian have their titles in the order of the card language", async () => {
  const text = "[[Call-by-Name|thunking]] ![[x|100]] `[[a|b]]`::see [[Note#Part|part]]\n";
  const root = folder({ "n.md": `#flashcards\n\n${text}` });
  const [card] = contents((await readAll(root)).cards);
  expect(card).toBe("[[thunking|Call-by-Name]] ![[x|100]] `[[a|b]]`\n---\nsee [[part|Note#Part]]");
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
  test("without an A: are counted as left out, an empty one is an answer", async () => {
    const root = folder({ "words.md": "Q: one\nA: 1\n\nQ: two\nA:\n\nQ: three\n" });
    const { cards, skipped } = await readAll(root, { format: "hashcards" });
    expect(contents(cards)).toEqual(["one\n---\n1", "two\n---\n"]);
    expect(skipped.map(({ what, place }) => [what, place.replace(/.*words/, "words")])).toEqual([
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
});

describe("deletions in notes of Obsidian", () => {
  test("are read with their numbers and hints", async () => {
    const root = folder({
      "a.md": "#flashcards\n\n==2;;b== ==1;;a;;first== ==2;;c==\n\n==x;;hint== ==y==\n",
    });
    expect(contents((await readAll(root)).cards)).toEqual([
      "{{2::b}} {{1::a}} (first) {{2::c}}",
      "{{1::x}} (hint) {{2::y}}",
    ]);
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

describe("a file with marks of several kinds", () => {
  const mixed = [
    "# Words",
    "",
    "Q: What is a cell?",
    "A: The unit",
    "",
    "of life",
    "",
    "perro :: dog",
    "gato ::: cat",
    "",
    "Who?",
    "?",
    "She.",
    "",
    "C: The [capital] of Norway",
    "---",
    "Use std::vector here.",
    "",
    "Q: Why?",
  ].join("\n");

  test("keeps the cards of all of them, with their lines and marks, and names what is left out", () => {
    const { notes, left } = readNotes(mixed);
    expect(notes.map(({ line, mark, content, reverse }) => [line, mark, content, reverse])).toEqual([
      [3, "Q:", "What is a cell?\n---\nThe unit\n\nof life", false],
      [8, " :: ", "perro\n---\ndog", false],
      [9, " :: ", "gato\n---\ncat", true],
      [11, "?", "Who?\n---\nShe.", false],
      [15, "C:", "The {{1::capital}} of Norway", false],
    ]);
    expect(left.map(({ line, what }) => [line, what])).toEqual([
      [19, "questions without an answer"],
      [17, "lines with ::"],
    ]);
    expect(countNotes(mixed)).toBe(5);
  });

  test("is read in linear time", async () => {
    const many = 20_000;
    const text = Array.from({ length: many }, (_, index) => `Q: q ${index}\nA: a\n\nmore\n`).join("\n");
    const work = () => {
      expect(readNotes(text).notes).toHaveLength(many);
      expect(readNotes(`#flashcards/a\n\n${text}`).notes).toHaveLength(many);
    };
    expect(await leastBelow(2_000, () => cpuTimeOf(work))).toBeLessThan(2_000);
  });

  test("is imported whole", async () => {
    const { cards, skipped } = await readAll(join(folder({ "m.md": mixed }), "m.md"));
    expect(cards).toHaveLength(5);
    expect(skipped.map(({ what }) => what)).toEqual(["questions without an answer", "lines with ::"]);
  });

  test("has the decks of its tags, also for cards of hashcards", () => {
    const text = "#flashcards/A\n\na::b\n\nQ: c\nA: d\n\n#flashcards/B\n\nQ: e\nA: f\n\ng::h\n";
    expect(readNotes(text).notes.map(({ content, deck }) => [content, deck])).toEqual([
      ["a\n---\nb", "A"],
      ["c\n---\nd", "A"],
      ["e\n---\nf", "B"],
      ["g\n---\nh", "B"],
    ]);
  });

  test.each([
    ["# a\ntext\n\n# b\ntext", 0],
    ["Use ==this== and std::vector\n\nf::Int", 0],
    ["```\nQ: a\nA: b\n```\ntext", 0],
    ["---\nid: x\n---\na :: b\nc :: d", 2],
  ])("is counted by marks that are nothing else: %j", (text, number) => {
    expect(countNotes(text)).toBe(number);
  });
});

describe("a markdown file with headings and no other mark", () => {
  const text =
    "# Norway\n\nintro\n\n## Capital\nOslo\n\n```\n# no heading\n```\n\n## Empty\n\n## Currency ##\nkrone\n";

  test("has a card for each heading of the lowest level, which the plan says, and names the rest", async () => {
    const { source, cards, skipped } = await readAll(join(folder({ "n.md": text }), "n.md"));
    expect(cards.map(({ body, place }) => [body.content, place])).toEqual([
      ["Capital\n---\nOslo\n\n```\n# no heading\n```", "n.md, line 5"],
      ["Currency\n---\nkrone", "n.md, line 14"],
    ]);
    expect(source.notes?.[0]).toContain("each heading of level 2 is a card");
    expect(skipped.map(({ what, place }) => [what, place])).toEqual([
      ["texts above the cards' headings", "n.md, line 1"],
      ["headings without a text", "n.md, line 12"],
    ]);
  });

  test.each([
    ["one heading", "# Norway\n\nOslo\n"],
    ["sides", "# Norway\nx\n---\n# Oslo\ny\n"],
  ])("is one card with %s", async (_what, one) => {
    const { cards } = await readAll(join(folder({ "n.md": one }), "n.md"));
    expect(contents(cards)).toEqual([one.trimEnd()]);
  });
});

describe("deletions as Anki writes them", () => {
  test.each([
    ["a.md", "Oslo is in {{c1::Norway::country}}, `{{c1::code}}` {{c2::a `}}`}}\n"],
    ["a.csv", 'front\n"Oslo is in {{c1::Norway::country}}, `{{c1::code}}` {{c2::a `}}`}}"\n'],
  ])("are deletions in %s", async (name, text) => {
    const { cards } = await readAll(join(folder({ [name]: text }), name));
    expect(contents(cards)).toEqual(["Oslo is in {{1::Norway}} (country), `{{c1::code}}` {{2::a `}}`}}"]);
  });

  test("are deletions in notes", async () => {
    const { cards } = await readAll(
      folder({ "a.md": "#flashcards\n\nOslo is in {{c1::Norway}}\n\n{{c2::a}}::b\n" }),
    );
    expect(contents(cards)).toEqual(["Oslo is in {{1::Norway}}", "{{2::a}}\n---\nb"]);
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
