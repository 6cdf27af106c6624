import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Format } from "../../src/config/settings.ts";
import { cellText, type Document, valueAt } from "../../src/output/columns.ts";
import { withDerived } from "../../src/output/printer.ts";
import { visible } from "../../src/output/sanitize.ts";
import { listings } from "../../src/schema/resources.ts";
import { anyCard, anyText, hostile, printed } from "./support.ts";

const cards = fc.array(anyCard, { maxLength: 8 });
const columns = listings.cards.columns;
const cells = (documents: readonly object[], names: readonly string[] = columns) =>
  documents.map((document) => {
    const complete = withDerived(document as Document, listings.cards, names);
    return names.map((name) => cellText(valueAt(complete, name)));
  });
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const decks = [
  { id: "aaaa1111", name: "Languages", sort: 1 },
  { id: "bbbb2222", name: "Tab\there\nand \\", sort: null },
];

describe("a list", () => {
  test("is tsv without header on a pipe", async () => {
    expect(await printed(decks, { listing: listings.decks })).toBe(
      "aaaa1111\tLanguages\t1\t\t\t\t\nbbbb2222\tTab\\there\\nand \\\\\t\t\t\t\t\n",
    );
  });

  test("is a table on a terminal", async () => {
    expect(await printed(decks, { listing: listings.decks, isTerminal: true })).toBe(
      "ID        NAME            SORT  DUE  NEW  CARDS\naaaa1111  Languages          1\nbbbb2222  Tab here and \\\n",
    );
  });

  test("is csv with a header", async () => {
    expect(await printed(decks, { listing: listings.decks, format: "csv" })).toBe(
      'id,name,sort,state,due,new,cards\r\naaaa1111,Languages,1,,,,\r\nbbbb2222,"Tab\there\nand \\",,,,,\r\n',
    );
    expect(await printed([], { listing: listings.decks, format: "csv" })).toBe(
      "id,name,sort,state,due,new,cards\r\n",
    );
    expect(await printed([{ id: "x\x1b" }], { columns: "id", format: "csv", isTerminal: true })).toBe(
      "id\r\nx␛\r\n",
    );
    // An empty line would be no row to many readers.
    expect(await printed([{ id: "x", name: "" }], { columns: "name", format: "csv" })).toBe('name\r\n""\r\n');
  });

  test("is one array in json, one document a line in ndjson, one id a line in id", async () => {
    const listing = listings.decks;
    expect(await printed(decks, { listing, format: "json" })).toBe(`${JSON.stringify(decks, null, 2)}\n`);
    expect(await printed([], { listing, format: "json" })).toBe("[]\n");
    expect(await printed(decks, { listing, format: "ndjson" })).toBe(
      decks.map((deck) => `${JSON.stringify(deck)}\n`).join(""),
    );
    expect(await printed(decks, { listing, format: "id" })).toBe("aaaa1111\nbbbb2222\n");
  });

  test("of attachments is named by the file names", async () => {
    const files = [{ "file-name": "a.png", size: 3, type: "image/png" }];
    const listing = listings.attachments;
    expect(await printed(files, { listing, format: "id" })).toBe("a.png\n");
    expect(await printed(files, { listing })).toBe("a.png\t3\timage/png\n");
  });

  test("that is empty prints nothing as table, tsv, ndjson and id", async () => {
    for (const format of ["table", "tsv", "ndjson", "id"] as const)
      expect(await printed([], { format })).toBe("");
  });

  test("may come in pages", async () => {
    async function* pages() {
      yield decks.slice(0, 1);
      yield [];
      yield decks.slice(1);
    }
    for (const format of ["json", "csv", "table", "id"] as const)
      expect(await printed(pages(), { format, listing: listings.decks })).toBe(
        await printed(decks, { format, listing: listings.decks }),
      );
  });

  test("in json and ndjson is the data, unknown fields included", async () => {
    await fc.assert(
      fc.asyncProperty(cards, fc.boolean(), async (documents, isTerminal) => {
        const json = await printed(documents, { format: "json", isTerminal });
        expect(JSON.parse(json)).toEqual(plain(documents));
        const lines = (await printed(documents, { format: "ndjson", isTerminal })).split("\n").slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(plain(documents));
      }),
    );
  });

  test("in tsv is read back value by value", async () => {
    const escapes: Record<string, string> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };
    const visibleValue = (text: string) =>
      plainText(visible(text.replace(/[\t\n\r\\]/g, (each) => escapes[each] ?? "")));
    const plainText = (text: string) =>
      text.replace(/\\([\\tnr])/g, (_, letter) => ({ t: "\t", n: "\n", r: "\r" })[letter as string] ?? "\\");
    await fc.assert(
      fc.asyncProperty(cards, async (documents) => {
        const lines = (await printed(documents, { format: "tsv" })).split("\n");
        expect(lines.pop()).toBe("");
        expect(lines.map((line) => line.split("\t").map(plainText))).toEqual(
          wellFormed(cells(documents)).map((row) => row.map(visibleValue)),
        );
      }),
    );
  });

  test("in a pipe controls nothing, in whatever text format it is printed", async () => {
    const documents = [{ id: "a", name: "\u001b]0;title\u0007\u009b2J\u202ex\ty" }];
    for (const format of ["tsv", "table", "yaml"] as const)
      expect(await printed(documents, { format })).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  });

  test("in csv is read back value by value by another library", async () => {
    await fc.assert(
      fc.asyncProperty(cards, async (documents) => {
        const text = await printed(documents, { format: "csv" });
        const rows: string[][] = parse(text, { record_delimiter: "\r\n" });
        expect(rows).toEqual(wellFormed([[...columns], ...cells(documents)]));
      }),
    );
    const single = fc.array(fc.record({ id: anyText, name: anyText }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(single, async (documents) => {
        const text = await printed(documents, { format: "csv", columns: "name" });
        const rows: string[][] = parse(text, { record_delimiter: "\r\n" });
        expect(rows).toEqual(wellFormed([["name"], ...documents.map(({ name }) => [name])]));
      }),
    );
  });

  test("never brings a control character to a terminal, in any format", async () => {
    const formats: (Format | undefined)[] = [undefined, "table", "json", "ndjson", "csv", "tsv", "id"];
    await fc.assert(
      fc.asyncProperty(cards, fc.constantFrom(...formats), async (documents, format) => {
        for (const what of ["list", "documents", "changed"] as const) {
          const text = await printed(documents, { format, isTerminal: true }, what);
          expect(text.replaceAll("\r\n", "\n")).not.toMatch(hostile);
        }
      }),
    );
  });

  test("has as many lines in id and tsv as documents, whatever the ids hold", async () => {
    await fc.assert(
      fc.asyncProperty(cards, fc.constantFrom<Format>("id", "tsv"), async (documents, format) => {
        expect((await printed(documents, { format })).split("\n")).toHaveLength(documents.length + 1);
      }),
    );
  });
});

/** Lone surrogates can't be written in UTF-8. */
const wellFormed = (rows: readonly string[][]) =>
  rows.map((row) => row.map((cell) => Buffer.from(cell).toString()));

describe("columns", () => {
  const card = {
    id: "x",
    name: "n",
    tags: ["a", "b"],
    reviews: [{ due: "2026-08-01T00:00:00.000Z", "remembered?": true }],
    fields: { "a.b": { id: "a.b", value: "v" } },
  };

  test("are chosen in every format but id", async () => {
    const columns = "name,reviews.0.due,id";
    expect(await printed([card], { columns })).toBe("n\t2026-08-01T00:00:00.000Z\tx\n");
    expect(await printed([card], { columns, format: "csv" })).toBe(
      "name,reviews.0.due,id\r\nn,2026-08-01T00:00:00.000Z,x\r\n",
    );
    expect(await printed([card], { columns, format: "ndjson" })).toBe(
      '{"name":"n","reviews.0.due":"2026-08-01T00:00:00.000Z","id":"x"}\n',
    );
    expect(await printed([card], { columns, format: "table" })).toBe(
      "NAME  REVIEWS.0.DUE  ID\nn     tomorrow       x\n",
    );
    expect(await printed([card], { columns, format: "id" })).toBe("x\n");
    expect(await printed([card], { columns, format: "json" }, "documents")).toBe(
      `${JSON.stringify({ name: "n", "reviews.0.due": "2026-08-01T00:00:00.000Z", id: "x" }, null, 2)}\n`,
    );
  });

  test("reach into lists and maps", () => {
    expect(valueAt(card, "tags.1")).toBe("b");
    for (const path of [
      "reviews.1.due",
      "reviews.x",
      "name.length",
      "tags.length",
      "toString",
      "__proto__.x",
      "",
    ])
      expect(valueAt(card, path)).toBeUndefined();
  });

  test("that a document has not are empty, null in json", async () => {
    const columns = "id,template-id,reviews.9.due";
    expect(await printed([card], { columns })).toBe("x\t\t\n");
    expect(await printed([card], { columns, format: "ndjson" })).toBe(
      '{"id":"x","template-id":null,"reviews.9.due":null}\n',
    );
  });

  test("that no document can have are refused with those that one can", async () => {
    await expect(printed([], { columns: "id,nmae" })).rejects.toThrow(
      /^there is no column "nmae"; it must be one of id, content, name, deck-id, /,
    );
    await expect(printed([], { columns: "names.x" })).rejects.toThrow(
      expect.objectContaining({ exitCode: 2 }),
    );
    // What a service may send beside what is documented can be asked for.
    expect(await printed([card], { columns: "reviews.0.interval,fields.x.y,attachments.x" })).toBe("\t\t\n");
    await expect(printed([], { columns: " , " })).rejects.toThrow("--columns must name at least one of id, ");
  });

  test("hold lists of words joined by commas, and what is nested as JSON", () => {
    expect(cellText(["a", "b"])).toBe("a,b");
    expect(cellText([])).toBe("");
    expect(cellText(["a,b", "c"])).toBe('["a,b","c"]');
    expect(cellText({ a: 1 })).toBe('{"a":1}');
    expect([cellText(null), cellText(undefined), cellText(false), cellText(0)]).toEqual([
      "",
      "",
      "false",
      "0",
    ]);
  });
});

describe("what was asked for by id", () => {
  const card = { id: "x", name: "n", later: { a: 1 } };

  test("is one object in json, an array where several ids were given", async () => {
    for (const format of [undefined, "json"] as const) {
      expect(JSON.parse(await printed([card], { format }, "documents"))).toEqual(card);
      expect(JSON.parse(await printed([card], { format }, "documents", true))).toEqual([card]);
    }
  });

  test("is shown field by field on a terminal", async () => {
    expect(await printed([card], { isTerminal: true }, "documents")).toBe(
      'id     x\nname   n\nlater  {"a":1}\n',
    );
    const long = { name: "n".repeat(70), "created-at": "2026-07-28T00:00:00.000Z", "new?": true, tags: [] };
    expect(
      await printed(
        [long],
        { isTerminal: true, width: 60, columns: "name,created-at,new?,tags,pos" },
        "documents",
      ),
    ).toBe(
      [
        `name        ${"n".repeat(48)}`,
        `            ${"n".repeat(22)}`,
        "created-at  2026-07-28T00:00:00.000Z (3 days ago)",
        "new?        yes",
        "tags",
        "",
      ].join("\n"),
    );
    expect(await printed([card], { isTerminal: true, columns: "name" }, "documents")).toBe("name  n\n");
  });

  test("keeps on a terminal how its texts are set in", async () => {
    const content = "- list\n  - nested word\n\tif (x)   y";
    const shown = async (width: number) =>
      (await printed([{ content }], { isTerminal: true, width, columns: "content" }, "documents")).split(
        "\n",
      );
    expect(await shown(80)).toEqual([
      "content  - list",
      "           - nested word",
      "             if (x)   y",
      "",
    ]);
    expect(await shown(25)).toEqual([
      "content  - list",
      "           - nested word",
      "             if (x)   y",
      "",
    ]);
    expect(await shown(20)).toEqual(["content", "  - list", "    - nested word", "      if (x)   y", ""]);
    expect(await shown(15)).toEqual([
      "content",
      "  - list",
      "    - nested",
      "    word",
      "      if (x) y",
      "",
    ]);
  });

  test("is a table of several", async () => {
    const deck = { id: "x", name: "n", sort: 10, "card-count": 7 };
    const listing = listings.deck;
    expect(await printed([deck], { isTerminal: true, listing }, "documents", true)).toBe(
      "ID  NAME  SORT  PARENT-ID  CARD-COUNT\nx   n       10                      7\n",
    );
  });
});

describe("what was changed", () => {
  const done = [{ id: "x", name: "n" }, { id: "y" }];

  test("is one id a line on a pipe, nothing on a terminal", async () => {
    expect(await printed(done, {}, "changed", true)).toBe("x\ny\n");
    expect(await printed(done, { isTerminal: true }, "changed", true)).toBe("");
    expect(await printed(done, { isTerminal: true, format: "id" }, "changed", true)).toBe("x\ny\n");
  });

  test("is the documents in json and ndjson", async () => {
    expect(await printed(done, { format: "ndjson" }, "changed", true)).toBe(
      '{"id":"x","name":"n"}\n{"id":"y"}\n',
    );
    expect(JSON.parse(await printed(done, { format: "json" }, "changed", true))).toEqual(done);
    expect(JSON.parse(await printed(done.slice(0, 1), { format: "json" }, "changed"))).toEqual(done[0]);
  });
});
