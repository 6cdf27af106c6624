import { cpSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { ahead } from "../../src/transfer/export/ahead.ts";
import { exportFormats, spoolFolder } from "../../src/transfer/export/export.ts";
import { yamlMap, yamlText } from "../../src/transfer/formats/markdown/front-matter.ts";
import { temporaryFolder } from "../support/service.ts";
import { emptyAccount, exportFile, readAll } from "./support.ts";

/** Cards on several pages, in two decks, with a template, tags and files of the same name. */
async function fill(client: Client, cards = 230): Promise<void> {
  const decks = [
    await client.decks.create({ name: "One" }).send(),
    await client.decks.create({ name: "Two" }).send(),
  ];
  const template = await client.templates
    .create({ name: "T", content: "<< F >>", fields: { f: { id: "f", name: "F" } } })
    .send();
  for (let index = 0; index < cards; index++) {
    const card = await client.cards
      .create({
        content: `card ${index}, "quoted" #inline\n---\n日本 ![](@media/a.png)`,
        "deck-id": decks[index % 2]?.id ?? "",
        "manual-tags": [`tag ${index % 3}`],
        ...(index % 5 === 0 ? { "template-id": template.id, fields: { f: { id: "f", value: "v" } } } : {}),
      })
      .send();
    if (index % 100 < 2)
      await client.attachments
        .add(card.id, {
          fileName: "a.png",
          contentType: "image/png",
          source: async () => ({ stream: Readable.from([Buffer.from(`bytes ${index}`)]), size: undefined }),
        })
        .send();
  }
}

function bytesOf(path: string): unknown {
  if (!statSync(path).isDirectory()) return readFileSync(path).toString("latin1");
  const names = readdirSync(path, { recursive: true, encoding: "utf8" }).toSorted();
  return names
    .filter((name) => statSync(join(path, name)).isFile())
    .map((name) => [name, readFileSync(join(path, name)).toString("latin1")]);
}

describe("an export", () => {
  test("that was stopped at any request goes on and is the same to the byte, in every format", async () => {
    let left = Number.POSITIVE_INFINITY;
    const client = await emptyAccount(() => {
      if (left-- <= 0) throw new Error("gone");
      return undefined;
    });
    await fill(client);
    const folder = await temporaryFolder();
    for (const format of exportFormats) {
      const whole = join(folder, `whole.${format}`);
      await exportFile(client, whole, format);
      const target = join(folder, `parts.${format}`);
      let tries = 0;
      for (let allowed = 1; !existsSync(target); allowed++, tries++) {
        left = allowed;
        await exportFile(client, target, format).catch(() => {});
      }
      left = Number.POSITIVE_INFINITY;
      expect(tries).toBeGreaterThan(2);
      expect(bytesOf(target)).toEqual(bytesOf(whole));
      if (format !== "csv") expect((await readAll(target)).cards).toHaveLength(230);
      expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
    }
  });

  test("that was killed at any request goes on from what was written by then, and is the same to the byte", async () => {
    let asked = () => {};
    const client = await emptyAccount(({ path }) => {
      if (path === "/cards") asked();
      return undefined;
    });
    const deck = await client.decks.create({ name: "One" }).send();
    // Enough for what is gathered to be written more than once on the way.
    for (let index = 0; index < 700; index++)
      await client.cards
        .create({ content: `card ${index} ${"日本".repeat(400)}`, "deck-id": deck.id })
        .send();
    const folder = await temporaryFolder();
    for (const format of exportFormats) {
      const whole = join(folder, `whole.${format}`);
      const left: string[] = [];
      asked = () => {
        const copy = join(folder, `left-${left.length}.${format}`);
        cpSync(spoolFolder(whole), spoolFolder(copy), { recursive: true });
        left.push(copy);
      };
      await exportFile(client, whole, format);
      expect(left).toHaveLength(8);
      let fetched = 0;
      asked = () => {
        fetched++;
      };
      for (const target of left)
        expect(await exportFile(client, target, format)).toMatchObject({ cards: 700, resumed: true });
      // Of eight pages each; what was written by then is not fetched again.
      expect(fetched).toBeLessThan(60);
      for (const target of left) expect(bytesOf(target)).toEqual(bytesOf(whole));
    }
  });

  test("whose place in the list the service has forgotten begins the list anew", async () => {
    let pages = 0;
    const forgotten = JSON.stringify({ errors: { bookmark: "is not known" } });
    const client = await emptyAccount(({ method, path }) =>
      method === "GET" && path === "/cards" && ++pages === 3
        ? { status: 422, headers: { "content-type": "application/json" }, body: forgotten }
        : undefined,
    );
    await fill(client);
    const folder = await temporaryFolder();
    for (const format of exportFormats) {
      pages = 0;
      const [twice, once] = [join(folder, `twice.${format}`), join(folder, `once.${format}`)];
      expect(await exportFile(client, twice, format)).toMatchObject({ cards: 230 });
      expect(pages).toBe(6);
      await exportFile(client, once, format);
      expect(bytesOf(twice)).toEqual(bytesOf(once));
    }
  });

  test("begins anew where what it had fetched is not all there any more, or was for another format", async () => {
    let left = Number.POSITIVE_INFINITY;
    const client = await emptyAccount(({ path }) => {
      if (path === "/cards" && left-- <= 0) throw new Error("gone");
      return undefined;
    });
    await fill(client, 210);
    const target = join(await temporaryFolder(), "a.csv");
    left = 2;
    await expect(exportFile(client, target, "ndjson")).rejects.toThrow();
    truncateSync(join(spoolFolder(target), "cards"), 10);
    left = Number.POSITIVE_INFINITY;
    expect(await exportFile(client, target, "ndjson")).toMatchObject({ resumed: false, cards: 210 });
    left = 2;
    await expect(exportFile(client, target, "ndjson")).rejects.toThrow();
    left = Number.POSITIVE_INFINITY;
    expect(await exportFile(client, target, "csv")).toMatchObject({ resumed: false, cards: 210, leftOut: 6 });
    const ids = readFileSync(target, "utf8").match(/^\w{8},/gm) ?? [];
    expect(new Set(ids).size).toBe(210);
  });

  test("fetches its files again where a power cut took some of their bytes", async () => {
    let files = 10;
    const client = await emptyAccount(({ method, path }) => {
      if (method === "GET" && /\/attachments\/./.test(path) && ++files === 4) throw new Error("gone");
      return undefined;
    });
    await fill(client, 120);
    const folder = await temporaryFolder();
    const [whole, cut] = [join(folder, "whole.ndjson"), join(folder, "cut.ndjson")];
    await exportFile(client, whole, "ndjson");
    files = 0;
    await expect(exportFile(client, cut, "ndjson")).rejects.toThrow();
    truncateSync(join(spoolFolder(cut), "files", "1"), 0);
    expect(await exportFile(client, cut, "ndjson")).toMatchObject({ resumed: true, attachments: 4 });
    expect(bytesOf(cut)).toEqual(bytesOf(whole));
  });

  test("tells the size of what it fetched, not of what was listed before", async () => {
    const client = await emptyAccount(({ method, path }) =>
      method === "GET" && /\/attachments\/./.test(path)
        ? { status: 200, headers: { "content-type": "image/png" }, body: Buffer.from("replaced meanwhile") }
        : undefined,
    );
    await fill(client, 1);
    const target = join(await temporaryFolder(), "a.ndjson");
    await exportFile(client, target, "ndjson");
    const [card] = (await readAll(target)).cards;
    const parts: Buffer[] = [];
    for await (const part of (await card?.attachments?.[0]?.open()) ?? []) parts.push(part as Buffer);
    expect(Buffer.concat(parts).toString()).toBe("replaced meanwhile");
  });

  test("stops where the service fails to give a file, and anything else, too", async () => {
    let down = false;
    const client = await emptyAccount(({ method, path }) => {
      const file = method === "GET" && /\/attachments\/./.test(path);
      down ||= file;
      return file || (down && path === "/decks") ? { status: 503, headers: {}, body: "" } : undefined;
    });
    await fill(client, 1);
    const target = join(await temporaryFolder(), "a.ndjson");
    await expect(exportFile(client, target, "ndjson")).rejects.toMatchObject({ code: "server" });
    expect(existsSync(target)).toBe(false);
  });

  test("that rested for more than a day begins anew: cards may have been deleted meanwhile", async () => {
    let left = Number.POSITIVE_INFINITY;
    const client = await emptyAccount(({ path }) => {
      if (path === "/cards" && left-- <= 0) throw new Error("gone");
      return undefined;
    });
    await fill(client, 210);
    const target = join(await temporaryFolder(), "a.ndjson");
    const [day, stopped] = [24 * 60 * 60 * 1000, Date.now() - 1000];
    left = 1;
    await expect(exportFile(client, target, "ndjson")).rejects.toThrow();
    utimesSync(join(spoolFolder(target), "state"), stopped / 1000, stopped / 1000);
    // To be tried in vain makes it no younger.
    await expect(exportFile(client, target, "ndjson", stopped + day - 1000)).rejects.toThrow();
    left = Number.POSITIVE_INFINITY;
    const [first] = (await client.cards.list({}).send()).docs;
    await client.cards.delete(first?.id ?? "").send();
    const summary = await exportFile(client, target, "ndjson", stopped + day + 1000);
    expect(summary).toMatchObject({ resumed: false, cards: 209 });
    expect(readFileSync(target, "utf8")).not.toContain(`"${first?.id}"`);
  });

  test("of some decks begins anew where they are others now: how far it had come is a place among them", async () => {
    let left = Number.POSITIVE_INFINITY;
    const client = await emptyAccount(({ path }) => {
      if (path === "/cards" && left-- <= 0) throw new Error("gone");
      return undefined;
    });
    const decks: string[] = [];
    for (const name of ["One", "Two", "Three"]) {
      const { id } = await client.decks.create({ name }).send();
      await client.cards.create({ content: `in ${name}`, "deck-id": id }).send();
      decks.push(id);
    }
    const target = join(await temporaryFolder(), "a.ndjson");
    const exportOf = (ids: readonly string[]) =>
      exportFile(client, target, "ndjson", Date.now(), new Set(ids));
    left = 2;
    await expect(exportOf(decks)).rejects.toThrow();
    left = Number.POSITIVE_INFINITY;
    // The second is no longer among them.
    const summary = await exportOf(decks.filter((_, index) => index !== 1));
    expect(summary).toMatchObject({ resumed: false, cards: 2 });
    expect(readFileSync(target, "utf8")).toContain("in Three");
  });

  test("as csv fetches no attachment", async () => {
    const asked: string[] = [];
    const client = await emptyAccount(({ method, path }) => {
      asked.push(`${method} ${path}`);
      return undefined;
    });
    await fill(client, 3);
    asked.length = 0;
    const summary = await exportFile(client, join(await temporaryFolder(), "a.csv"), "csv");
    expect(summary).toMatchObject({ attachments: 0, leftOut: 2, missing: [] });
    expect(asked.filter((each) => each.includes("a.png"))).toEqual([]);
  });
});

describe("reading ahead", () => {
  test("asks for the next item before the last is done with, and for never more than one", async () => {
    const log: string[] = [];
    async function* items() {
      for (let item = 1; item <= 3; item++) {
        log.push(`asked ${item}`);
        yield item;
      }
    }
    for await (const item of ahead(items())) log.push(`got ${item}`);
    expect(log).toEqual(["asked 1", "asked 2", "got 1", "asked 3", "got 2", "got 3"]);
  });

  test("gives all that came before an error, and closes what it reads from when it is left", async () => {
    let closed = 0;
    async function* items() {
      try {
        yield 1;
        yield 2;
        throw new Error("broken");
      } finally {
        closed++;
      }
    }
    const seen: number[] = [];
    const reading = async () => {
      for await (const item of ahead(items())) seen.push(item);
    };
    await expect(reading()).rejects.toThrow("broken");
    expect(seen).toEqual([1, 2]);
    for await (const _ of ahead(items())) break;
    expect(closed).toBe(2);
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
