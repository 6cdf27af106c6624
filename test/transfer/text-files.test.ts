import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { splitTags } from "../../src/transfer/formats/csv/sheet.ts";
import { jsonValues } from "../../src/transfer/formats/json-values.ts";
import type { OpenOptions } from "../../src/transfer/formats/open.ts";
import { temporaryFolder } from "../support/service.ts";
import { readAll } from "./support.ts";

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

const contents = ({ cards }: Awaited<ReturnType<typeof readAll>>) => cards.map(({ body }) => body.content);

describe("text with the ending of a container", () => {
  test.each([
    ["x.apkg", "a package of Anki"],
    ["x.COLPKG", "a package of Anki"],
    ["x.mochi", "a Mochi archive"],
    ["x.zip", "an archive"],
  ])("is refused, and read where its format is named: %s", async (name, what) => {
    const path = await file(name, "front,back\nOslo,Norway\n");
    await expect(readAll(path)).rejects.toMatchObject({
      message: `${name}: this is text, not ${what}`,
      hint: expect.stringContaining("--format csv"),
      exitCode: 2,
    });
    expect(contents(await readAll(path, { format: "csv" }))).toEqual(["Oslo\n---\nNorway"]);
  });
});

describe("an archive of another program", () => {
  test.each([
    ["words.xlsx", ["[Content_Types].xml", "xl/workbook.xml"], "save it as CSV"],
    ["words.ods", ["mimetype", "content.xml"], "save it as CSV"],
    ["vault.zip", ["vault/notes.md"], "Unpack it first"],
  ])("is refused with what can be done instead: %s", async (name, entries, hint) => {
    const path = await file(name, zipSync(Object.fromEntries(entries.map((each) => [each, strToU8("x")]))));
    await expect(readAll(path)).rejects.toMatchObject({ hint: expect.stringContaining(hint), exitCode: 2 });
  });
});

describe("documents of a collection", () => {
  test("with instants beyond all calendars and fields that only look known lose just these", async () => {
    const lines = [
      { deck: { id: "d", name: "D", "trashed?": 1e300 } },
      {
        card: {
          id: "c",
          content: "x",
          "deck-id": "d",
          "trashed?": -1e17,
          constructor: 1,
          reviews: [{ date: 1e20 }],
        },
      },
    ];
    const path = await file("a.ndjson", lines.map((line) => JSON.stringify(line)).join("\n"));
    const { source, cards, skipped } = await readAll(path);
    expect(source.decks.map(({ body }) => ({ ...body }))).toEqual([{ name: "D" }]);
    expect(cards).toMatchObject([{ body: { content: "x" }, reviews: [] }]);
    expect(cards[0]).not.toHaveProperty("trashed");
    expect(Object.keys(cards[0]?.body ?? {})).toEqual(["content"]);
    expect(skipped.map(({ what }) => what)).toContain('values of "constructor"');
  });
});

describe("the line break at the end of a card's file", () => {
  test.each([
    ["---\n---\nx\n", "x"],
    ["---\n---\nx", "x"],
    ["---\n---\nx\n\n", "x\n"],
    ["---\n---\nx\r\n", "x\r"],
    ["---\r\n---\r\nx\r\n", "x"],
    ["x\r\n", "x"],
  ])("is the file's, as its other lines end: %j gives %j", async (text, content) => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, "card.md"), text);
    expect(contents(await readAll(folder))).toEqual([content]);
  });
});

describe("YAML at the top of a card", () => {
  test("ends at a line of dashes, not at what only some take for one", async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, "card.md"), '---\nfields: { name: "a\u2028---\u2029---" }\n---\nx\n');
    const { cards } = await readAll(folder);
    expect(cards[0]?.body).toMatchObject({
      content: "x",
      fields: { name: { value: "a\u2028---\u2029---" } },
    });
  });

  test("keeps numbers as they are written", async () => {
    const folder = await temporaryFolder();
    const card = "---\ntags: [007, 2024]\nfields:\n  name: 007\n  a: 1.10\n  b: 0x1F\n  c: 12\n---\nx\n";
    writeFileSync(join(folder, "card.md"), card);
    const [read] = (await readAll(folder)).cards;
    expect(read?.body["manual-tags"]).toEqual(["007", "2024"]);
    expect(Object.values(read?.body.fields ?? {}).map((field) => field?.value)).toEqual([
      "007",
      "1.10",
      "0x1F",
      "12",
    ]);
  });
});

describe("a collection in lines of JSON", () => {
  test("may have a card that a service gave without a deck", async () => {
    const path = await file("a.ndjson", '{"card":{"id":"a","content":"x","deck-id":null}}\n');
    const { cards, source } = await readAll(path);
    expect(cards.map(({ deck, body }) => [deck, body.content])).toEqual([[undefined, "x"]]);
    expect(source.decks).toEqual([]);
  });
});

test("attachments of a card that is not in the collection are told", async () => {
  const lines = [
    { attachment: { "card-id": "gone", "file-name": "a.txt", size: 1 } },
    { bytes: "AA==" },
    { card: { id: "a", content: "x" } },
  ];
  const path = await file("a.ndjson", lines.map((line) => JSON.stringify(line)).join("\n"));
  expect((await readAll(path)).skipped).toEqual([
    { place: "a.ndjson, line 1", what: "attachments", why: "their card is not in the collection" },
  ]);
});

describe("tags at the top of a card", () => {
  test.each([
    ["tags: a, b", ["a", "b"], 0],
    ["tags: 2024", ["2024"], 0],
    ["tags: [a, 2024, true, '#b']", ["a", "2024", "true", "#b"], 0],
    ["tags:\n  - lang: es\n  - a\n  -", ["a"], 1],
    ["tags:", undefined, 0],
  ])("%j", async (yaml, tags, told) => {
    const { cards, skipped } = await readAll(await file("a.md", `---\n${yaml}\n---\nx\n`));
    expect(cards[0]?.body["manual-tags"]).toEqual(tags);
    expect(skipped.filter(({ what, place }) => what === "tags" && place.startsWith("a.md"))).toHaveLength(
      told,
    );
  });
});

describe("a csv file", () => {
  test("gives a card for each row, quoted line breaks and quotes included", async () => {
    const path = await file("a.csv", 'Front,Back,Tags\n"a\nb","say ""hi""",x y\n\nc,d,"p q, r"\n');
    const read = await readAll(path);
    expect(contents(read)).toEqual(['a\nb\n---\nsay "hi"', "c\n---\nd"]);
    expect(read.cards.map(({ body }) => body["manual-tags"])).toEqual([["x y"], ["p q", "r"]]);
    expect(read.cards.map(({ place }) => place)).toEqual(["a.csv, line 2", "a.csv, line 5"]);
  });

  test("keeps a code block that is not closed from taking in the side behind it", async () => {
    const path = await file("a.csv", 'front,back\n"```js\ncode",```b\n');
    expect(contents(await readAll(path))).toEqual(["```js\ncode\n```\n---\n```b"]);
  });

  test.each([
    ["semicolons and a byte order mark", "\ufefffront;back\r\na;b\r\n"],
    ["tabs", "front\tback\na\tb\n"],
    ["bars, and commas in quotes", 'front|back|"x,y,z,w"\na|b|c\n'],
    ["old line ends", "front,back\ra,b\r"],
    ["old line ends, and a line that names the separator", "sep=;\rfront;back\ra;b\r"],
    ["a first row that ends in another way than the others", "front,back\na,b\r\n"],
    ["a first row that ends in another way, the other way round", "front,back\r\na,b\n"],
    ["quotes before line ends of both kinds", 'front,"back"\n"a","b"\r\n'],
    ["no line break at the end", "front,back\na,b"],
    ["a line that names the separator", "sep=;\r\nfront;back\r\na;b\r\n"],
    ["a first cell like the start of an archive", "PK,front,back\n1,a,b\n"],
  ])("with %s is read", async (_, content) => {
    expect(contents(await readAll(await file("a.csv", content)))).toEqual(["a\n---\nb"]);
  });

  test.each([
    ["bars, and more commas in its first cell", "one, two, three|b\na|b\n", "one, two, three\n---\nb"],
    ["semicolons, and a stray quote", 'a 5", b;b\na;b\n', 'a 5", b\n---\nb'],
  ])("with %s is separated as most of its rows are", async (_, content, first) => {
    expect(contents(await readAll(await file("a.csv", content)))).toEqual([first, "a\n---\nb"]);
  });

  test("in another encoding is read when it is named, and told when it is not", async () => {
    const path = await file("a.csv", Buffer.from("front,back\nx,y\nmañana,caf\xe9\n", "latin1"));
    await expect(readAll(path)).rejects.toThrow(/a\.csv, line 3: the text is not utf-8/);
    expect(contents(await readAll(path, { encoding: "windows-1252" }))).toContain("mañana\n---\ncafé");
    await expect(readAll(path, { encoding: "klingon" })).rejects.toThrow(/no encoding "klingon"/);
    const wide = await file("b.csv", Buffer.from("\ufefffront,back\n日本,東京\n", "utf16le"));
    expect(contents(await readAll(wide))).toEqual(["日本\n---\n東京"]);
    const unmarked = await file("c.csv", Buffer.from("front,back\n日本,東京\n", "utf16le"));
    expect(contents(await readAll(unmarked, { encoding: "utf-16le" }))).toEqual(["日本\n---\n東京"]);
    const swapped = await file("d.csv", Buffer.from("\ufefffront,back\n日本,東京\n", "utf16le").swap16());
    expect(contents(await readAll(swapped, { encoding: "utf-16" }))).toEqual(["日本\n---\n東京"]);
    await expect(readAll(swapped, { encoding: "klingon" })).rejects.toThrow(/no encoding "klingon"/);
  });

  test("takes columns by option, by number, and without a header", async () => {
    const path = await file("a.csv", "Wort,Bedeutung,Stapel\nHund,dog,A/B\n");
    expect(contents(await readAll(path, { front: "bedeutung", back: "Wort" }))).toEqual(["dog\n---\nHund"]);
    expect(contents(await readAll(path, { front: "1", header: false }))).toEqual(["Wort", "Hund"]);
    const { source } = await readAll(path, { front: "1", deckColumn: "Stapel" });
    expect(source.decks.map(({ body, parent }) => [body.name, parent !== undefined])).toEqual([
      ["A", false],
      ["B", true],
    ]);
    const accents = ["Café/A", "Café/B".normalize("NFD")].map((deck) => `x,${deck}\n`).join("");
    expect((await readAll(await file("b.csv", `front,deck\n${accents}`))).source.decks).toHaveLength(3);
    await expect(readAll(path, { header: true })).rejects.toThrow(/which column is the front/);
    await expect(readAll(path, { front: "Vorn" })).rejects.toThrow(/there is no column "Vorn"/);
  });

  test("matches columns to the fields of a template", async () => {
    const path = await file("a.csv", "country,capital,note,tags\nNorway,Oslo,,europe\n,,x,\n");
    const template = {
      id: "T",
      name: "Capital",
      fields: [
        { id: "name", name: "Country" },
        { id: "c", name: "Capital" },
      ],
    };
    const { cards, skipped } = await readAll(path, { template });
    expect(cards).toMatchObject([
      {
        template: { id: "T" },
        body: {
          content: "",
          fields: { name: { id: "name", value: "Norway" }, c: { id: "c", value: "Oslo" } },
          "manual-tags": ["europe"],
        },
      },
    ]);
    expect(skipped.map(({ place, what }) => `${what}: ${place}`)).toEqual([
      "rows without content: a.csv, line 3",
      'columns: a.csv, column "note"',
    ]);
  });

  test("with a row that does not fit, or a quote that is never closed, says where", async () => {
    const { skipped, cards } = await readAll(await file("a.csv", "front,back\na,b,c\nd,e\n"));
    expect(cards).toHaveLength(1);
    expect(skipped).toMatchObject([{ place: "a.csv, line 2", what: "rows that do not fit the columns" }]);
    await expect(readAll(await file("b.csv", 'front,back\na,b\nc,"d\ne\nf\n'))).rejects.toThrow(
      /b\.csv, line 3: a quote that begins in this row is never closed/,
    );
  });

  test.each([
    ["text after a closing quote", '"x" y,b'],
    ["a quote in the middle of a cell", '5" nail,b'],
    ["a quote at the end of a cell", 'a nail of 5",b'],
  ])("with %s has it as a character, far down", async (_, row) => {
    const rows = Array.from({ length: 900 }, (_each, index) => `q ${index},a\n`).join("");
    const path = await file("a.csv", `front,back\n${rows}${row}\n${rows}`);
    const { cards } = await readAll(path);
    expect(cards).toHaveLength(1801);
    expect(cards[900]).toMatchObject({
      body: { content: row.replace(",", "\n---\n") },
      place: "a.csv, line 902",
    });
  });

  test("whose cells are not quoted may have quotes and separators in its first row", async () => {
    const path = await file("a.csv", 'a,"b;front;back\n1;2;3\n');
    expect(contents(await readAll(path, { quotes: false }))).toEqual(["2\n---\n3"]);
  });

  test("keeps the numbers of its lines below one that names the separator", async () => {
    const { cards } = await readAll(await file("a.csv", "sep=;\nfront;back\na;b\n"));
    expect(cards[0]?.place).toBe("a.csv, line 3");
  });

  test.each(["\r\n", "\n", "\r"])("counts its lines by %j, in cells, too", async (end) => {
    const rows = ["front,back", `"a${end}${end}b",c`, "d,e", `"f${end}g",h`, "i,j,k"];
    const { cards, skipped } = await readAll(await file("a.csv", rows.join(end)));
    expect(cards.map(({ place }) => place)).toEqual(["a.csv, line 2", "a.csv, line 5", "a.csv, line 6"]);
    expect(skipped.map(({ place }) => place)).toEqual(["a.csv, line 8"]);
    await expect(readAll(await file("b.csv", [...rows, `"x y,z`].join(end)))).rejects.toThrow(
      "b.csv, line 9",
    );
  });

  test("keeps a CR in a cell where rows do not end so", async () => {
    expect(contents(await readAll(await file("a.csv", "front,back\na\rb,c\n")))).toEqual(["a\rb\n---\nc"]);
  });

  test("splits tags at commas, else at spaces", () => {
    expect(splitTags("#a b  c")).toEqual(["a", "b", "c"]);
    expect(splitTags("a b, c;d,,a b")).toEqual(["a b", "c", "d"]);
    expect(splitTags(" ")).toEqual([]);
  });
});

describe("notes that Anki wrote as text", () => {
  const above = ["#separator:tab", "#html:true", "#notetype column:1", "#deck column:2", "#tags column:5"];

  test("are cards with what the lines above them say", async () => {
    const path = await file(
      "notes.txt",
      `${above.join("\n")}\nBasic\tA::B\tone<br>two\t"<b>say</b> ""hi"""\tx y,z\nCloze\tA\t{{c1::a::hint}} *\t\t\tmore\n`,
    );
    const { cards, source, skipped } = await readAll(path);
    expect(source.decks.map(({ body, parent }) => [body.name, parent !== undefined])).toEqual([
      ["A", false],
      ["B", true],
    ]);
    expect(cards.map(({ body }) => [body.content, body["manual-tags"]])).toEqual([
      ['one  \ntwo\n---\n**say** "hi"', ["x", "y,z"]],
      ["{{1::a}} (hint) \\*", undefined],
    ]);
    expect(cards.map(({ deck, place }) => [deck, place])).toEqual([
      ['["A","B"]', "notes.txt, line 6"],
      ['["A"]', "notes.txt, line 7"],
    ]);
    expect(skipped.map(({ what, place }) => `${what}: ${place}`)).toEqual([
      'columns: notes.txt, column "6"',
      "note types: notes.txt",
    ]);
  });

  test("may have names for their columns, a deck and tags of all, and no HTML", async () => {
    const lines = [
      "#separator:Pipe",
      "#columns:Wort|Bild|Sinn",
      "#deck:D",
      "#tags:all",
      'a|<img src=x>|"b|c"',
    ];
    const path = await file("notes.csv", `\ufeff${lines.join("\r\n")}\r\n`);
    const { cards, source } = await readAll(path);
    expect(source.decks.map(({ body }) => body.name)).toEqual(["D"]);
    expect(cards.map(({ body }) => [body.content, body["manual-tags"]])).toEqual([
      ["a\n---\n<img src=x>", ["all"]],
    ]);
    expect(contents(await readAll(path, { front: "Sinn", back: "1" }))).toEqual(["b|c\n---\na"]);
    await expect(readAll(path, { front: "Vorn" })).rejects.toThrow(/there is no column "Vorn"/);
  });

  test("go on below lines that say nothing, as for Anki", async () => {
    const lines = [
      "# vim: tw=0",
      "#separator:tab",
      "#match scope:notetype",
      "#what:\u2028",
      "#html:true",
      "<b>a</b>\tb",
    ];
    const path = await file("notes.csv", `${lines.join("\n")}\n`);
    expect(contents(await readAll(path))).toEqual(["**a**\n---\nb"]);
  });

  test.each([
    ["#deck:Spanish\nhola,hello\n", {}],
    ["#html:false\nhola;hello\n", {}],
    ["#columns:hello;hola\n#html:false\nhello;hola\n", { front: "hola", back: "hello" }],
    ["#columns:hello:hola\nhello:hola\n", { front: "hola", back: "hello", delimiter: ":" }],
  ])(
    "have cells that are separated as their first row is where no line says how: %j",
    async (text, options) => {
      expect(contents(await readAll(await file("notes.csv", text), options))).toEqual(["hola\n---\nhello"]);
    },
  );

  test("have cells between tabs where no line says otherwise and there are some", async () => {
    const path = await file("notes.csv", "#deck:Spanish\nhola, buenas, qué tal\thello\nadiós\tbye\n");
    expect(contents(await readAll(path))).toEqual(["hola, buenas, qué tal\n---\nhello", "adiós\n---\nbye"]);
  });

  test("have the pictures and sounds that are beside them, and tell those that are not", async () => {
    const path = await file("notes.txt", "#html:true\n<img src=a.png>\t[sound:b.mp3]\n");
    const { skipped, cards } = await readAll(path);
    expect(cards[0]?.body.content).toBe("![](@media/a.png)\n---\n![](@media/b.mp3)");
    expect(skipped.map(({ what, place, why }) => `${what}: ${place}: ${why}`)).toEqual([
      "pictures and sounds: notes.txt, line 2: a.png: no such file",
      "pictures and sounds: notes.txt, line 2: b.mp3: no such file",
    ]);
    mkdirSync(join(path, "..", "images"));
    writeFileSync(join(path, "..", "images", "a.png"), "picture");
    writeFileSync(join(path, "..", "b.mp3"), "sound");
    const beside = await readAll(path);
    expect(beside.skipped).toEqual([]);
    expect(beside.cards[0]?.body.content).toBe("![](@media/a.png)\n---\n![](@media/b.mp3)");
    expect(beside.cards[0]?.attachments?.map(({ fileName }) => fileName)).toEqual(["a.png", "b.mp3"]);
  });

  test("tell a file that cannot be shown or played, wherever it is", async () => {
    const path = await file("notes.txt", "#html:true\n<img src=a.exe>\tb\n");
    expect((await readAll(path)).skipped).toMatchObject([{ place: "notes.txt, line 2: a.exe" }]);
  });

  test("report the columns that are neither a side nor what the lines above them name", async () => {
    const lines = "#separator:tab\n#guid column:1\n#notetype column:2\n#deck column:3\n";
    const path = await file("notes.txt", `${lines}Q,n]B&ac~k\tBasic\tGeo\tfront\tback\textra\n`);
    const { skipped, cards } = await readAll(path);
    expect(cards.map(({ key }) => key)).toEqual(["Q,n]B&ac~k"]);
    expect(skipped.map(({ place, what }) => `${what}: ${place}`)).toEqual([
      'columns: notes.txt, column "6"',
      "note types: notes.txt",
    ]);
    const named = await file(
      "named.txt",
      `${lines}#columns:Guid\tType\tDeck\tA\tB\tC\n1\tBasic\tGeo\ta\tb\tc\n`,
    );
    expect((await readAll(named)).skipped.map(({ place }) => place)).toContain('named.txt, column "C"');
  });

  test("name the columns of further fields, and say how to take them", async () => {
    const lines = "#separator:tab\n#notetype column:1\n";
    const path = await file("notes.txt", `${lines}A\tq\ta\tmore\t\nB\tq\ta\tmore\tstill more\nA\tq\ta\t\t\n`);
    const { skipped } = await readAll(path);
    expect(skipped.map(({ place }) => place).slice(0, 2)).toEqual([
      'notes.txt, column "4"',
      'notes.txt, column "5"',
    ]);
    expect(skipped[0]?.why).toContain("--front, --back, --tags and --deck-column");
    expect(contents(await readAll(path, { front: "4", back: "2" }))).toEqual([
      "more\n---\nq",
      "more\n---\nq",
      "\n---\nq",
    ]);
  });

  test("are not what only begins in a similar way", async () => {
    const path = await file("a.csv", "#front,back\n#tags,b\n");
    expect(contents(await readAll(path, { front: "1", back: "2", header: false }))).toEqual([
      "#front\n---\nback",
      "#tags\n---\nb",
    ]);
  });
});

describe("text of which the name does not say what it is", () => {
  const read = async (text: string, options: OpenOptions = {}) => {
    const { source, cards } = await readAll(await file("standard input", text), options);
    return [source.format, ...cards.map(({ body }) => body.content)];
  };

  test.each(["\n", "\r\n"])(
    "is markdown if a line of it separates two sides, with lines that end with %j",
    async (end) => {
      expect(await read(["Q1, or what?", "---", "A1", ""].join(end), { quotes: true })).toEqual([
        "markdown",
        "Q1, or what?\n---\nA1",
      ]);
    },
  );

  test("is a table where such a line is in a quoted cell, or an option names columns", async () => {
    expect(await read('front,back\n"a\n---\nb",c\n')).toEqual(["csv", "a\n---\nb\n---\nc"]);
    expect((await read("Q1\n---\nA1\n", { header: false }))[0]).toBe("csv");
    expect((await read("Q1,A1\nQ2,---\n"))[0]).toBe("csv");
  });
});

describe("a markdown file", () => {
  test("holds cards between separators, which are text in a code block", async () => {
    const path = await file(
      "a.md",
      "---\ntags: [x, y]\ndeck: A/B\n---\none\n---\nback\n***\n```\n***\n```\n***\n\n***\nlast\n",
    );
    const read = await readAll(path);
    expect(contents(read)).toEqual(["one\n---\nback", "```\n***\n```", "last"]);
    expect(read.cards.map(({ place }) => place)).toEqual(["a.md, line 5", "a.md, line 9", "a.md, line 15"]);
    expect(read.cards[0]?.body["manual-tags"]).toEqual(["x", "y"]);
    expect(read.source.decks.map(({ body }) => body.name)).toEqual(["A", "B"]);
    expect(contents(await readAll(path, { separator: "last" }))).toHaveLength(1);
  });
});

describe("a folder of markdown", () => {
  test("that somebody wrote is a deck for each folder", async () => {
    const root = await temporaryFolder();
    mkdirSync(join(root, "Languages", "Spanish"), { recursive: true });
    mkdirSync(join(root, ".git"));
    writeFileSync(join(root, ".git", "x.md"), "no");
    writeFileSync(
      join(root, "Languages", "Spanish", "perro.md"),
      "---\ntags: 'animal, #pet'\n---\nperro\n---\ndog\n",
    );
    writeFileSync(join(root, "Languages", "picture.png"), "x");
    symlinkSync("/etc", join(root, "Languages", "etc"));
    const { source, cards, skipped } = await readAll(root);
    expect(source.decks.map(({ body, parent }) => [body.name, parent])).toEqual([
      ["Languages", undefined],
      ["Spanish", "Languages"],
    ]);
    expect(cards).toMatchObject([
      { deck: "Languages/Spanish", body: { content: "perro\n---\ndog", "manual-tags": ["animal", "pet"] } },
    ]);
    symlinkSync("/etc", join(root, "etc"));
    const places = (await readAll(root)).skipped.filter(({ what }) => what === "links");
    expect(places.map(({ place }) => place.slice(place.indexOf("/")))).toEqual(["/etc", "/Languages/etc"]);
    expect(skipped.map(({ what }) => what).toSorted()).toEqual(["files", "links"]);
  });

  test("has no decks of folders without cards", async () => {
    const root = await temporaryFolder();
    for (const folder of ["Maps/img/large", "Empty", "Described"])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, "Maps", "norway.md"), "![](img/large/map.png) Where?\n");
    writeFileSync(join(root, "Maps", "img", "large", "map.png"), "x");
    writeFileSync(join(root, "Described", "deck.yaml"), "name: Later\n");
    const { source, cards } = await readAll(root);
    expect(source.decks.map(({ body }) => body.name)).toEqual(["Later", "Maps"]);
    expect(cards[0]?.attachments).toMatchObject([{ fileName: "map.png" }]);
  });

  test("tells of files without content, but keeps the blank cards of an export", async () => {
    const root = await temporaryFolder();
    writeFileSync(join(root, "empty.md"), "");
    writeFileSync(join(root, "blank.md"), "---\ntags: [a]\n---\n\n \n");
    writeFileSync(join(root, "fields.md"), "---\nfields:\n  name: x\n---\n");
    writeFileSync(join(root, "ours.md"), "---\nid: ours\n---\n");
    const { cards, skipped } = await readAll(root);
    expect(cards.map(({ place }) => place.replace(/^.*\//, ""))).toEqual(["fields.md", "ours.md"]);
    expect(skipped.map(({ what, place }) => [what, place.replace(/^.*\//, "")])).toEqual([
      ["files without content", "blank.md"],
      ["files without content", "empty.md"],
    ]);
  });

  test("takes the files that a field names, and tells those that no card does", async () => {
    const root = await temporaryFolder();
    mkdirSync(join(root, "a.files"));
    for (const name of ["a.png", "b.png", ".DS_Store"]) writeFileSync(join(root, "a.files", name), "x");
    writeFileSync(join(root, "a.md"), '---\nfields:\n  name: "@media/a.png\\nmore"\n---\n');
    const { cards, skipped } = await readAll(root);
    expect(cards[0]?.attachments?.map(({ fileName }) => fileName)).toEqual(["a.png"]);
    expect(skipped.map(({ what, place }) => [what, place.replace(/^[^/]*\//, "")])).toEqual([
      ["files", "a.files/b.png"],
    ]);
  });

  test("finds attachments whose accents are written in the other way on the disk", async () => {
    const root = await temporaryFolder();
    const [link, disk] = (["NFC", "NFD"] as const).map((form) => "café.png".normalize(form));
    mkdirSync(join(root, "a.files"));
    writeFileSync(join(root, "a.files", disk ?? ""), "picture");
    writeFileSync(join(root, "a.md"), `![](@media/${link}) ![](@media/${disk})\n`);
    const { cards, skipped } = await readAll(root);
    expect(cards[0]?.attachments).toMatchObject([{ fileName: link, size: 7 }]);
    const parts: Buffer[] = [];
    for await (const part of (await cards[0]?.attachments?.[0]?.open()) ?? []) parts.push(part as Buffer);
    expect(Buffer.concat(parts).toString()).toBe("picture");
    expect(skipped).toEqual([]);
  });

  test("of a program is left out, but not where it is a deck of an export", async () => {
    const root = await temporaryFolder();
    mkdirSync(join(root, "node_modules"));
    writeFileSync(join(root, "node_modules", "x.md"), "---\nid: x\n---\nx\n");
    expect((await readAll(root)).cards).toEqual([]);
    writeFileSync(join(root, "deckhand.yaml"), "format: deckhand-markdown\n");
    expect(contents(await readAll(root))).toEqual(["x"]);
  });

  test("names the line of broken front matter", async () => {
    const root = await temporaryFolder();
    mkdirSync(join(root, "A"));
    writeFileSync(join(root, "A", "x.md"), "---\nid: a\ntags: [open\n---\ntext\n");
    const { skipped } = await readAll(root);
    expect(skipped).toMatchObject([{ failed: true, place: expect.stringMatching(/A\/x\.md$/) }]);
    expect(skipped[0]?.why).toMatch(/^line [34]: not valid YAML/);
  });
});

describe("JSON values", () => {
  const read = async (text: string, pieces = 1) => {
    const parts = Array.from({ length: pieces }, (_, index) =>
      text.slice(
        Math.floor((index * text.length) / pieces),
        Math.floor(((index + 1) * text.length) / pieces),
      ),
    );
    const values: [unknown, number][] = [];
    for await (const { value, line } of jsonValues(parts, "input", 1000)) values.push([value, line]);
    return values;
  };

  test("on lines, over lines, and in an array have the line they begin on", async () => {
    expect(await read('{"a":1}\n\n{"b":\n2}\n')).toEqual([
      [{ a: 1 }, 1],
      [{ b: 2 }, 3],
    ]);
    expect(await read('\ufeff[\n {"a":"]"},\n {"b":[1,{}]}\n]\n')).toEqual([
      [{ a: "]" }, 2],
      [{ b: [1, {}] }, 3],
    ]);
    expect(await read("[]")).toEqual([]);
    expect(await read("")).toEqual([]);
  });

  test.each([
    ['{"a":1}\n{"b":}\n', /line 2: not valid JSON/],
    ['{"a":"open\n{"b":1}\n', /line 1: a string is not closed/],
    ['{"a":1}\n{"b"', /line 2: the text ends in the middle/],
    ['[{"a":1}\n{"b":1}]', /line 2: the array is not valid JSON/],
    ['[{"a":1},\n]', /line 2: the array is not valid JSON/],
    ['[{"a":1}', /the array is not closed/],
    ['[{"a":1}] x', /text after the end/],
    ['{"a":1}\n{"b":1}}\n{"c":{"d":1}}', /line 2: not valid JSON: a bracket is closed/],
    [']\n{"a":1}', /line 1: not valid JSON: a bracket is closed/],
    [`{"a":"${"x".repeat(2000)}"}`, /line 1: a value has more than/],
  ])("that are broken are told with their line: %j", async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  test("are the same however the text is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 5 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        async (values, array, pieces) => {
          const text = array
            ? JSON.stringify(values, null, 1)
            : values.map((value) => `${JSON.stringify(value)}\n`).join("");
          // A text that begins with a bracket is an array.
          if (!array && text.startsWith("[")) return;
          const plain = JSON.parse(JSON.stringify(values)) as unknown[];
          const long = text.length > 900;
          if (!long) expect((await read(text, pieces)).map(([value]) => value)).toEqual(plain);
        },
      ),
    );
  });
});

describe("the columns of a spreadsheet", () => {
  async function read(text: string) {
    const path = join(temporaryFolder(), "x.csv");
    writeFileSync(path, text);
    return readAll(path);
  }

  test("of tags: a comma anywhere in it means that blanks belong to the tags", async () => {
    const commas = await read('front,back,tags\na,b,two words\nc,d,"x, y z"\n');
    expect(commas.cards.map(({ body }) => body["manual-tags"])).toEqual([["two words"], ["x", "y z"]]);
    const spaces = await read("front,back,tags\na,b,one two\nc,d,three\n");
    expect(spaces.cards.map(({ body }) => body["manual-tags"])).toEqual([["one", "two"], ["three"]]);
  });
});

test("notes that Anki wrote as text are that, whatever their fields look like", async () => {
  const path = join(temporaryFolder(), "x.txt");
  const rows = ["a::1", "b::2", "c::3"].map((text, index) => `guid000${index}\tOne\t${text}\tback\n`);
  writeFileSync(path, `#separator:tab\n#html:true\n#guid column:1\n#deck column:2\n${rows.join("")}`);
  const { source, cards } = await readAll(path);
  expect(source.format).toBe("csv");
  expect(cards.map(({ key, body }) => [key, body.content])).toEqual([
    ["guid0000", "a::1\n---\nback"],
    ["guid0001", "b::2\n---\nback"],
    ["guid0002", "c::3\n---\nback"],
  ]);
});

describe("a table without known names of columns", () => {
  const rows = "perro,dog,animal,,El perro ladra.\ngato,cat,animal,,El gato duerme.\nrana,frog,animal\n";

  test.each([{}, { header: false }])("reports the columns that are no side: %j", async (options) => {
    const { cards, skipped } = await readAll(await file("four.csv", rows), options);
    expect(cards.map(({ body }) => body.content)).toEqual([
      "perro\n---\ndog",
      "gato\n---\ncat",
      "rana\n---\nfrog",
    ]);
    expect(skipped.map(({ place }) => place)).toEqual(['four.csv, column "3"', 'four.csv, column "5"']);
  });

  test("reports nothing where options name all columns, or the others are empty", async () => {
    const all = { front: "1", back: "5", tags: "3", deckColumn: "2", header: false };
    expect((await readAll(await file("four.csv", rows), all)).skipped).toEqual([]);
    expect((await readAll(await file("two.csv", "perro,dog,\ngato,cat,\n"))).skipped).toEqual([]);
  });
});
