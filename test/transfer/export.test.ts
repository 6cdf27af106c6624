import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { yamlMap, yamlText } from "../../src/transfer/formats/markdown/front-matter.ts";
import { exportFormats } from "../../src/transfer/model.ts";
import { temporaryFolder } from "../support/service.ts";
import { count } from "../support/soak.ts";
import { emptyAccount, exportFile, readAll } from "./support.ts";

/** Cards on several pages, in two decks, with a template, tags and files of the same name. */
async function fill(client: Client, cards = 230): Promise<void> {
  const decks = [await client.decks.create({ name: "One" }), await client.decks.create({ name: "Two" })];
  const template = await client.templates.create({
    name: "T",
    content: "<< F >>",
    fields: { f: { id: "f", name: "F" } },
  });
  for (let index = 0; index < cards; index++) {
    const card = await client.cards.create({
      content: `card ${index}, "quoted" #inline\n---\n日本 ![](@media/a.png)`,
      "deck-id": decks[index % 2]?.id ?? "",
      "manual-tags": [`tag ${index % 3}`],
      ...(index % 5 === 0 ? { "template-id": template.id, fields: { f: { id: "f", value: "v" } } } : {}),
    });
    if (index % 100 < 2)
      await client.attachments.add(card.id, {
        fileName: "a.png",
        contentType: "image/png",
        source: async () => ({ stream: Readable.from([Buffer.from(`bytes ${index}`)]), size: undefined }),
      });
  }
}

/** Spreadsheets and notes hold what has two sides, and no files. */
const holdsEverything = (format: string): boolean => ["markdown", "ndjson", "mochi", "apkg"].includes(format);

function bytesOf(path: string): unknown {
  if (!statSync(path).isDirectory()) return readFileSync(path).toString("latin1");
  const names = readdirSync(path, { recursive: true, encoding: "utf8" }).toSorted();
  return names
    .filter((name) => !name.startsWith(".deckhand") && statSync(join(path, name)).isFile())
    .map((name) => [name, readFileSync(join(path, name)).toString("latin1")]);
}

describe("an export", () => {
  test("that fails at any request leaves what was there, and is the same to the byte when it is run again", async () => {
    let left = Number.POSITIVE_INFINITY;
    const client = await emptyAccount(() => {
      if (left-- <= 0) throw new Error("unavailable");
      return undefined;
    });
    await fill(client, 130);
    const folder = temporaryFolder();
    for (const format of exportFormats) {
      const whole = join(folder, `whole.${format}`);
      await exportFile(client, whole, format);
      const target = join(folder, `parts.${format}`);
      for (let allowed = 1; ; allowed += count("export_step", 7, 1)) {
        expect(allowed).toBeLessThan(1000);
        left = allowed;
        const done = await exportFile(client, target, format).then(
          () => true,
          () => false,
        );
        if (done) break;
        if (format !== "markdown") expect(existsSync(target)).toBe(false);
      }
      left = Number.POSITIVE_INFINITY;
      expect(bytesOf(target)).toEqual(bytesOf(whole));
      if (holdsEverything(format)) expect((await readAll(target)).cards).toHaveLength(130);
      expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
    }
  });

  test("lists and downloads an attachment again that is not as it was listed, and leaves out one that stays so", async () => {
    let answers = 0;
    const client = await emptyAccount(({ method, path }) => {
      if (method !== "GET" || !/\/attachments\/./.test(path)) return undefined;
      return ++answers === 1 ? cutOff : undefined;
    });
    const cutOff = { status: 200, headers: { "content-type": "image/png" }, body: Buffer.from("by") };
    await fill(client, 1);
    const folder = temporaryFolder();
    const target = join(folder, "a.ndjson");
    expect(await exportFile(client, target, "ndjson")).toMatchObject({ attachments: 1, failed: 0 });
    const before = bytesOf(target);
    const always = await emptyAccount(({ method, path }) =>
      method === "GET" && /\/attachments\/./.test(path) ? cutOff : undefined,
    );
    await fill(always, 1);
    for (const format of exportFormats.filter(holdsEverything)) {
      const other = join(folder, `other.${format}`);
      const summary = await exportFile(always, other, format);
      expect(summary).toMatchObject({ attachments: 0, failed: 1, missing: [{ fileName: "a.png" }] });
      expect((await readAll(other)).cards[0]?.attachments).toEqual([]);
    }
    expect(await exportFile(always, target, "ndjson")).toMatchObject({ failed: 1, kept: true });
    expect(bytesOf(target)).toEqual(before);
  });

  test("leaves out attachments whose names no file can have", async () => {
    let card = "";
    const names = ["..", "a\0b", "a/b"];
    const client = await emptyAccount(({ method, path }) => {
      if (method !== "GET" || !/^\/attachments\b/.test(path)) return undefined;
      const docs = names.map((name) => ({ "card-id": card, "file-name": name, size: 1 }));
      return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ docs }) };
    });
    const deck = await client.decks.create({ name: "D" });
    card = (await client.cards.create({ content: "x", "deck-id": deck.id })).id;
    const folder = temporaryFolder();
    for (const format of exportFormats.filter(holdsEverything)) {
      const target = join(folder, `x.${format}`);
      // A second time over the first: what never was in the file keeps nothing back.
      for (const _ of [1, 2])
        expect(await exportFile(client, target, format)).toMatchObject({
          attachments: 0,
          failed: 0,
          missing: names.map((fileName) => ({ fileName, why: "its name cannot be that of a file" })),
          kept: false,
        });
    }
  });

  test("stops where the service fails to give a file, and anything else, too", async () => {
    let down = false;
    const client = await emptyAccount(({ method, path }) => {
      const file = method === "GET" && /\/attachments\/./.test(path);
      down ||= file;
      return file || (down && path === "/decks") ? { status: 503, headers: {}, body: "" } : undefined;
    });
    await fill(client, 1);
    const target = join(temporaryFolder(), "a.ndjson");
    await expect(exportFile(client, target, "ndjson")).rejects.toMatchObject({ code: "server" });
    expect(existsSync(target)).toBe(false);
  });

  test("as csv fetches no attachment", async () => {
    const asked: string[] = [];
    const client = await emptyAccount(({ method, path }) => {
      asked.push(`${method} ${path}`);
      return undefined;
    });
    await fill(client, 3);
    asked.length = 0;
    const summary = await exportFile(client, join(temporaryFolder(), "a.csv"), "csv");
    expect(summary).toMatchObject({ attachments: 0, missing: [] });
    expect(summary.leftOut.get("attachments")).toBe(2);
    expect(asked.filter((each) => each.includes("a.png"))).toEqual([]);
  });
});

describe("a folder of markdown that is exported again", () => {
  const card = (folder: string, name: string) =>
    join(
      folder,
      "One",
      readdirSync(join(folder, "One")).find((each) => each.startsWith(name) && each.endsWith(".md")) ?? "",
    );

  async function exported() {
    const client = await emptyAccount();
    await fill(client, 4);
    const folder = join(temporaryFolder(), "cards");
    await exportFile(client, folder, "markdown");
    return { client, folder, manifest: join(folder, ".deckhand", "manifest.ndjson") };
  }

  test("touches only what changed, and removes only what its manifest lists", async () => {
    const { client, folder, manifest } = await exported();
    const listed = readFileSync(manifest, "utf8");
    for (const name of ["mine.md", "copy.files/a.png", ".git/HEAD"]) {
      mkdirSync(dirname(join(folder, "One", name)), { recursive: true });
      writeFileSync(join(folder, "One", name), "mine");
    }
    const before = bytesOf(folder);
    const { ino } = statSync(card(folder, "card 0"));
    expect(await exportFile(client, folder, "markdown")).toMatchObject({ setAside: [] });
    expect(bytesOf(folder)).toEqual(before);
    expect(statSync(card(folder, "card 0")).ino).toBe(ino);
    expect(readFileSync(manifest, "utf8")).toBe(listed);
    for await (const { docs } of client.cards.pages())
      for (const { id } of docs) await client.cards.delete(id);
    await exportFile(client, folder, "markdown");
    expect(readdirSync(join(folder, "One")).toSorted()).toEqual([
      ".git",
      "copy.files",
      "deck.yaml",
      "mine.md",
    ]);
    expect(readdirSync(join(folder, "Two"))).toEqual(["deck.yaml"]);
  });

  test("moves a file that was edited, or put in its way, to .deckhand/trash", async () => {
    const { client, folder } = await exported();
    const [edited, removed] = [card(folder, "card 0"), card(folder, "card 2")];
    writeFileSync(edited, "edited");
    writeFileSync(removed, "edited, and the card is deleted");
    const id = /-(\w+)\.md$/.exec(removed)?.[1] ?? "";
    await client.cards.delete(id);
    const { setAside } = await exportFile(client, folder, "markdown");
    const paths = [edited, removed].map((path) => relative(folder, path));
    expect(setAside).toEqual(paths);
    const kept = paths.map((path) => readFileSync(join(folder, ".deckhand", "trash", path), "utf8"));
    expect(kept).toEqual(["edited", "edited, and the card is deleted"]);
    expect(readFileSync(edited, "utf8")).toContain("card 0");
    expect(existsSync(removed)).toBe(false);
    expect(readFileSync(join(folder, ".deckhand", ".gitignore"), "utf8")).toBe("*\n");
  });

  test("is private, and writes nowhere but below itself", async () => {
    const { client, folder, manifest } = await exported();
    for (const path of [folder, join(folder, "One")]) expect(statSync(path).mode & 0o777).toBe(0o700);
    for (const path of [card(folder, "card 0"), manifest]) expect(statSync(path).mode & 0o777).toBe(0o600);
    const outside = temporaryFolder();
    writeFileSync(join(outside, "deck.yaml"), "mine");
    rmSync(join(folder, "One"), { recursive: true });
    symlinkSync(outside, join(folder, "One"));
    await expect(exportFile(client, folder, "markdown")).rejects.toThrow(/One is a link/);
    expect(bytesOf(outside)).toEqual([["deck.yaml", "mine"]]);
    rmSync(join(folder, "One"));
    // A manifest that came from elsewhere.
    const hash = createHash("sha256").update("mine").digest("hex");
    const path = relative(folder, join(outside, "deck.yaml"));
    appendFileSync(manifest, `${JSON.stringify({ path, hash })}\n`);
    await exportFile(client, folder, "markdown");
    expect(bytesOf(outside)).toEqual([["deck.yaml", "mine"]]);
    rmSync(join(folder, ".deckhand"), { recursive: true });
    symlinkSync(outside, join(folder, ".deckhand"));
    await expect(exportFile(client, folder, "markdown")).rejects.toThrow(/\.deckhand is a link/);
    expect(bytesOf(outside)).toEqual([["deck.yaml", "mine"]]);
  });

  test("keeps the file of an attachment that could not be fetched this time", async () => {
    let fails = false;
    const client = await emptyAccount(({ method, path }) =>
      fails && method === "GET" && /\/attachments\/./.test(path)
        ? { status: 500, headers: {}, body: "" }
        : undefined,
    );
    await fill(client, 1);
    const folder = join(temporaryFolder(), "cards");
    await exportFile(client, folder, "markdown");
    fails = true;
    for (let times = 0; times < 2; times++) {
      expect(await exportFile(client, folder, "markdown")).toMatchObject({ failed: 1 });
      expect((await readAll(folder)).cards[0]?.attachments).toMatchObject([{ fileName: "a.png", size: 7 }]);
    }
  });
});

describe("front matter", () => {
  test("written pair by pair is what the library writes for the whole map", () => {
    const word = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[\w-]{1,9}$/),
      fc.stringMatching(/^[\deExo._+-]{1,6}$/),
      fc.constantFrom(
        "null",
        "Null",
        "TRUE",
        "yes",
        "no",
        "0x1f",
        "0o7",
        "1e3",
        "12",
        ".inf",
        "NaN",
        "~",
        "-",
        "1_0",
      ),
    );
    const value = fc.oneof(
      word,
      fc.array(word, { maxLength: 3 }),
      fc.boolean(),
      fc.array(fc.record({ date: word, "remembered?": fc.boolean() }), { maxLength: 2 }),
      fc.dictionary(word, word, { maxKeys: 2 }).map((map) => new Map(Object.entries(map))),
    );
    const key = fc.constantFrom("id", "template", "tags", "pos", "archived?", "fields", "reviews");
    fc.assert(
      fc.property(fc.dictionary(key, value, { minKeys: 1 }), (map) => {
        expect(yamlMap(map)).toBe(yamlText(map));
      }),
      { numRuns: 2000 },
    );
  });
});
