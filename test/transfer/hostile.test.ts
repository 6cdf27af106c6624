import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { strToU8, type Zippable, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { reportError } from "../../src/output/index.ts";
import { convertClozes } from "../../src/transfer/formats/anki/cloze.ts";
import { HtmlConverter } from "../../src/transfer/formats/anki/html.ts";
import { convertTemplate } from "../../src/transfer/formats/anki/template.ts";
import { cardStem } from "../../src/transfer/formats/markdown/write-files.ts";
import { notesFormat } from "../../src/transfer/formats/notes/recognise.ts";
import { openZip } from "../../src/transfer/formats/zip/read.ts";
import { limits } from "../../src/transfer/limits.ts";
import { cpuTimeOf, leastBelow } from "../support/cpu-time.ts";
import { temporaryFolder } from "../support/service.ts";
import { emptyAccount, importFile, readAll } from "./support.ts";

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

const zip = (files: Zippable) => zipSync(files);
const transit = (data: object) => strToU8(JSON.stringify(data));

describe("broken and hostile input", () => {
  test("an archive that is cut off anywhere is reported as damaged", async () => {
    const whole = readFileSync("test/fixtures/apkg/modern.apkg");
    for (const part of [0.05, 0.3, 0.6, 0.9, 0.99]) {
      const path = await file("cut.apkg", whole.subarray(0, Math.floor(whole.length * part)));
      await expect(readAll(path)).rejects.toThrow(/^cut\.apkg: the archive is damaged or cut off/);
    }
  });

  test("a damaged entry of an archive is found by its checksum", async () => {
    const bytes = Buffer.from(zipSync({ "data.json": [transit({ "~:cards": [] }), { level: 0 }] }));
    const at = bytes.indexOf("cards");
    bytes[at] = 0x43;
    await expect(readAll(await file("a.mochi", bytes))).rejects.toThrow(
      /a\.mochi: data\.json: the file is damaged: its checksum is wrong/,
    );
  });

  test("an archive that unpacks to far too much is refused before it is unpacked", async () => {
    const bomb = zip({ "data.json": [new Uint8Array(64 * 1024 * 1024), { level: 1 }] });
    await expect(readAll(await file("bomb.mochi", bomb))).rejects.toThrow(
      /data\.json: the file unpacks to \d+ times its size/,
    );
    const many = zip(
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, new Uint8Array(10)])),
    );
    const path = await file("many.mochi", many);
    await expect(openZip(path, "many.mochi", { ...limits, archiveFiles: 20 })).rejects.toThrow(
      /more than 20 files/,
    );
    await expect(openZip(path, "many.mochi", { ...limits, archiveBytes: 100 })).rejects.toThrow(
      /unpacks to more than/,
    );
  });

  test("an entry of another size than the directory says is refused", async () => {
    const bytes = Buffer.from(zipSync({ "data.json": strToU8("x".repeat(5000)) }));
    // The size in the central directory and in the local header.
    for (
      let at = bytes.indexOf(Buffer.from([0x88, 0x13, 0, 0]));
      at >= 0;
      at = bytes.indexOf(Buffer.from([0x88, 0x13, 0, 0]), at + 1)
    )
      bytes.writeUInt32LE(50, at);
    await expect(readAll(await file("a.mochi", bytes))).rejects.toThrow(
      /^a\.mochi: data\.json: .*damaged or cut off/,
    );
  });

  test.each(["../../evil.json", "/etc/evil", "..\\evil"])("an entry called %s is refused", async (name) => {
    const path = await file("a.mochi", zip({ "data.json": transit({}), [name]: strToU8("x") }));
    await expect(readAll(path)).rejects.toThrow(/a\.mochi.*(?:invalid relative path|absolute path)/);
  });

  test("media whose names lead out of the archive is left out", async () => {
    const data = {
      "~:cards": [
        { "~:id": "~:C", "~:deck-id": "~:D", "~:content": "![](@media/../../x) ![](@media/%2e%2e%2fy)" },
      ],
    };
    const { cards, skipped } = await readAll(await file("a.mochi", zip({ "data.json": transit(data) })));
    expect(cards[0]?.attachments).toEqual([]);
    expect(skipped.filter(({ what }) => what === "attachments")).toHaveLength(2);
  });

  test("attachments that exist outside the archive or the folder are left out", async () => {
    const attachments = ["../evil", "a/b", "..", "c\n"].map((name) => ({
      "~:file-name": name,
      "~:path": "here.png",
    }));
    const listed = { "~:cards": [{ "~:deck-id": "~:D", "~:content": "x", "~:attachments": attachments }] };
    const mochi = await file("a.mochi", zip({ "data.json": transit(listed), "here.png": strToU8("x") }));
    const folder = await temporaryFolder();
    mkdirSync(join(folder, "card.files"));
    writeFileSync(join(folder, "other.png"), "x");
    writeFileSync(join(folder, "card.md"), "---\nattachments:\n  ../other.png: image/png\n---\nx\n");
    for (const [path, count] of [
      [mochi, 4],
      [folder, 1],
    ] as const) {
      const { cards, skipped } = await readAll(path);
      expect(cards[0]?.attachments).toEqual([]);
      expect(skipped.filter(({ what }) => what === "attachments")).toHaveLength(count);
    }
  });

  test("decks in a circle and duplicate ids are reported with their places", async () => {
    const deck = (id: string, parent?: string) => ({
      "~:id": `~:${id}`,
      "~:name": id,
      ...(parent ? { "~:parent-id": `~:${parent}` } : {}),
    });
    const circle = { "~:decks": [deck("A", "C"), deck("B", "A"), deck("C", "B")] };
    await expect(readAll(await file("a.mochi", zip({ "data.json": transit(circle) })))).rejects.toThrow(
      /a\.mochi, deck \d: deck "\w" is among its own parents/,
    );
    const twice = { "~:decks": [deck("A"), deck("A")] };
    await expect(readAll(await file("a.mochi", zip({ "data.json": transit(twice) })))).rejects.toThrow(
      /deck 2: the id "A" is also used by another deck \(a\.mochi, deck 1\)/,
    );
    const cards = {
      "~:cards": ["x", "y"].map((content) => ({ "~:id": "~:C", "~:deck-id": "~:A", "~:content": content })),
    };
    await expect(readAll(await file("a.mochi", zip({ "data.json": transit(cards) })))).rejects.toThrow(
      /card 2: another card has the id "C", too/,
    );
    const lines = '{"card":{"id":"C","deck-id":"D","content":"x"}}\n';
    await expect(readAll(await file("a.ndjson", lines + lines))).rejects.toThrow(
      /a\.ndjson, line 2: the id "C"/,
    );
  });

  test("a field of 200 MB is refused with its line, in little memory", async () => {
    const path = join(await temporaryFolder(), "huge.csv");
    const handle = openSync(path, "w");
    writeSync(handle, 'front,back\na,b\nc,"');
    const part = "x".repeat(1024 * 1024);
    for (let count = 0; count < 200; count++) writeSync(handle, part);
    writeSync(handle, '"\n');
    closeSync(handle);
    const before = process.memoryUsage().rss;
    await expect(readAll(path)).rejects.toThrow(/huge\.csv, line 3: a row has more than 10 MiB/);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  test.each([
    ["a.ndjson", '{"deck":{"id":"D","name":"D"}}\n{"card":"', /a\.ndjson, line 2: the line is too long/],
    ["a.md", "one\n***\ntwo\n", /a\.md, line 3: a card has more than 10 MiB/],
    ["a.tsv", "front\tback\na\tb\nc\t", /a\.tsv, line 3: a row has more than 10 MiB/],
  ])("a field of 32 MB in %s is refused with its line", async (name, start, message) => {
    const path = await file(name, Buffer.concat([Buffer.from(start), Buffer.alloc(32 * 1024 * 1024, "x")]));
    await expect(readAll(path)).rejects.toThrow(message);
  });

  test("transit and EDN that are not what they look like are refused", async () => {
    for (const [name, text] of [
      ["data.json", "{"],
      ["data.json", '{"~:cards":{"~#set":1}}'],
      ["data.json", `${"[".repeat(5000)}${"]".repeat(5000)}`],
      ["data.json", '{"~:decks":{"a":1}}'],
      ["data.json", "[1]"],
      ["data.edn", "{:cards 5}"],
    ] as const)
      await expect(readAll(await file("a.mochi", zip({ [name]: strToU8(text) })))).rejects.toThrow(
        /^a\.mochi/,
      );
    const bytes = zip({ "data.json": new Uint8Array([0x22, 0xff, 0x22]) });
    await expect(readAll(await file("a.mochi", bytes))).rejects.toThrow(
      /data\.json: it cannot be read: not UTF-8/,
    );
  });

  test("a package without a collection, or with a damaged one, is refused", async () => {
    const broken = zip({ "collection.anki2": strToU8("SQLite format 3\0 nonsense"), media: strToU8("{}") });
    await expect(readAll(await file("a.apkg", broken))).rejects.toThrow(
      /a\.apkg: collection\.anki2: it is damaged/,
    );
    const compressed = zip({ "collection.anki21b": strToU8("no zstd"), media: strToU8("") });
    await expect(readAll(await file("a.apkg", compressed))).rejects.toThrow(
      /a\.apkg: collection\.anki21b: it is damaged/,
    );
    await expect(readAll(await file("a.zip", zip({ "x.txt": strToU8("x") })))).rejects.toThrow(
      /neither a \.mochi/,
    );
    await expect(readAll(await file("a.db", "SQLite format 3\0 and more"))).rejects.toThrow(
      /a database, not a package/,
    );
    await expect(readAll(await file("a.bin", new Uint8Array([1, 0, 2, 0])))).rejects.toThrow(
      /no file that can be imported/,
    );
    await expect(readAll(await file("a.csv", ""))).rejects.toThrow(/the file is empty/);
    await expect(readAll("/nowhere/x.csv")).rejects.toThrow(/there is no such file/);
  });

  test("nothing is created on the service when the input is broken", async () => {
    const client = await emptyAccount();
    const path = await file("a.csv", 'front,back\na,b\nc,"d\n');
    const deck = await client.decks.create({ name: "D" });
    await expect(importFile(client, path, { deck: deck.id })).rejects.toThrow(/line 3/);
    expect((await client.cards.list()).docs).toEqual([]);
  });
});

/** Ctrl-C waits for a regular expression to end: none may take the square of a text's length. */
describe("a text made to take long is converted in linear time", () => {
  const many = 200_000;
  const converter = new HtmlConverter();
  const template = (question: string) =>
    convertTemplate(
      {
        name: "n",
        fields: ["f"],
        sortField: 0,
        templates: new Map(),
        css: ".card{".repeat(many),
        cloze: false,
      },
      { name: "t", question, answer: question },
      converter,
    );

  test.each<[string, () => unknown]>([
    ["formulas that do not end", () => converter.convert("\\[\\([latex][$][$$]".repeat(many / 4))],
    ["elements of formulas that do not end", () => converter.convert("<anki-mathjax>".repeat(many / 4))],
    [
      "blanks in formulas",
      () => converter.convert(`\\(a${" ".repeat(19_000)}b${"$".repeat(900)}c\\)`.repeat(50)),
    ],
    ["blanks in links", () => converter.convert(`<a href="http://x">a<pre>${" ".repeat(many)}</pre></a>`)],
    ["blanks that are emphasised", () => converter.convert(`<b>a\n${" \n".repeat(many)}.</b>b`)],
    ["code that is emphasised", () => converter.convert(`<b><pre>${"a\n\n".repeat(many)}</pre></b>`)],
    ["lists that are emphasised", () => converter.convert(`<b>${"<li><p>a<p>b".repeat(many / 40)}</b>`)],
    [
      "punctuation that is emphasised",
      () => converter.convert(`<b>${".a".repeat(many)}${".".repeat(many)}</b>b`),
    ],
    ["blank lines in code", () => converter.convert(`<pre>a${"\n ".repeat(many / 2)}b</pre>`)],
    ["blanks in lines", () => converter.convert(`<pre><hr>${`a${" ".repeat(many)}`.repeat(5)}\n\n</pre>`)],
    ["hard blanks in HTML", () => converter.convert(`<i>a</i>${"&nbsp;".repeat(many)}b`)],
    ["hard blanks and marks", () => converter.convert(`${"> 1. ".repeat(many)}\u00a0\n`.repeat(2))],
    ["fences in code", () => converter.convert(`<pre>${"```\n".repeat(many)}</pre>`)],
    ["colons in cloze deletions", () => convertClozes(`{{c1::${"a::".repeat(many)}`, String)],
    ["lines of cloze deletions", () => convertClozes(`{{c1::${"<br> ".repeat(many)}`, String)],
    ["blanks in cloze deletions", () => convertClozes(`{{c1::<br>${" ".repeat(many)}x}}`, String)],
    ["hints of cloze deletions", () => convertClozes("{{c1::a::b}}".repeat(many), String)],
    ["comments that do not end", () => template("<!--".repeat(many))],
    ["rules that do not end", () => template(`<hr ${"id=answer".repeat(many / 4)}`)],
    ["blank lines in templates", () => template(`<pre>a${"\n".repeat(many)}b</pre>`)],
    ["a long line of notes", () => notesFormat("x".repeat(many))],
    ["brackets in notes", () => notesFormat(`C: ${"[".repeat(many)}`)],
    ["questions without answers", () => notesFormat("Q: a\n".repeat(many / 20))],
    ["names of cards", () => cardStem({ id: "c", content: "", "deck-id": "d", name: "[".repeat(many) })],
    [
      "errors of one line",
      () => reportError(new Error(`a${" ".repeat(many)}b`), { format: undefined, write: () => {} }),
    ],
  ])("with %s", async (_, act) => {
    expect(await leastBelow(2_000, () => cpuTimeOf(act))).toBeLessThan(2_000);
  });

  test("with blanks in markdown", async () => {
    const path = await file("a.md", `a${" ".repeat(many)}b\n***\nc\n`);
    const work = async () => expect((await readAll(path)).cards).toHaveLength(2);
    expect(await leastBelow(2_000, () => cpuTimeOf(work))).toBeLessThan(2_000);
  });
});
