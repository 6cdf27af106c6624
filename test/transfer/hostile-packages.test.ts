import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../support/service.ts";
import { ankiPackage, type PackageContent } from "./anki-package.ts";
import { emptyAccount, importFile, readAll, wholeAccount } from "./support.ts";

const basic: PackageContent = {
  noteTypes: [{ name: "Basic", fields: ["Front", "Back"], templates: [["Card 1", "{{Front}}", "{{Back}}"]] }],
  notes: [{ fields: ["a", "b"] }],
};

/** A Zstandard frame of zeros: every 4 bytes stand for 128 KiB. */
function zstdZeros(blocks: number): Buffer {
  const block = Buffer.alloc(4);
  block.writeUIntLE((131_071 << 3) | 2, 0, 3);
  const last = Buffer.from(block);
  last.writeUInt8(last.readUInt8(0) | 1, 0);
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38]);
  return Buffer.concat([header, ...Array.from({ length: blocks - 1 }, () => block), last]);
}

async function memoryOf(act: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  await act();
  return (process.memoryUsage().rss - before) / 1024 / 1024;
}

describe("the database of a package", () => {
  test("with a generated column, which could be any amount of data, is refused", async () => {
    const path = ankiPackage({
      ...basic,
      sql: "alter table notes add column extra text generated always as (hex(zeroblob(500000000))) virtual",
    });
    const used = await memoryOf(() =>
      expect(readAll(path)).rejects.toThrow(
        /^cards\.apkg: collection\.anki21b: it is damaged: the column extra of the table notes is generated/,
      ),
    );
    expect(used).toBeLessThan(200);
  });

  test("with a view in the place of a table is refused", async () => {
    const path = ankiPackage({
      ...basic,
      sql: `drop table notes; create view notes as with recursive endless(id) as
        (select 1 union all select id + 1 from endless) select id, '' as guid, 1 as mid, '' as tags, '' as flds from endless`,
    });
    await expect(readAll(path)).rejects.toThrow(/it is not a collection of Anki: it has no table notes/);
  });

  test("with triggers, views and tables of its own is read without them", async () => {
    const path = ankiPackage({
      ...basic,
      sql: `create table other (x); create view more as select 1;
        create trigger t after insert on notes begin delete from cards; end;
        create index odd on notes (hex(zeroblob(100)))`,
    });
    expect((await readAll(path)).cards).toHaveLength(1);
  });

  test("with a note that is too large is refused before the note is read", async () => {
    const path = ankiPackage({ ...basic, sql: "update notes set flds = cast(zeroblob(30000000) as text)" });
    const used = await memoryOf(() =>
      expect(readAll(path)).rejects.toThrow(/note \d+: the note has more than 10 MiB/),
    );
    expect(used).toBeLessThan(200);
  });

  test("without columns that Anki has is refused", async () => {
    const path = ankiPackage({ ...basic, sql: "alter table cards rename column due to later" });
    await expect(readAll(path)).rejects.toThrow(/its table cards has no column due/);
  });

  test("that unpacks to far too much is refused, and leaves nothing behind", async () => {
    const path = ankiPackage({ ...basic, packed: () => zstdZeros(8000) });
    const folder = temporaryFolder();
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const used = await memoryOf(() =>
      expect(readAll(path)).rejects.toThrow(
        /^cards\.apkg: collection\.anki21b: it unpacks to more than 200 times its size/,
      ),
    );
    expect(used).toBeLessThan(200);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("an archive", () => {
  const write = (bytes: Uint8Array) => {
    const path = join(temporaryFolder(), "a.mochi");
    writeFileSync(path, bytes);
    return path;
  };
  const data = strToU8(JSON.stringify({ "~:cards": [{ "~:content": "x", "~:deck-id": "~:D" }] }));

  test("with a symbolic link is refused", async () => {
    const bytes = zipSync({
      "data.json": data,
      "link.png": [strToU8("/etc/passwd"), { os: 3, attrs: 0xa1ff << 16 }],
    });
    await expect(readAll(write(bytes))).rejects.toThrow(/^a\.mochi: link\.png: the file is a symbolic link/);
  });

  test("with a password is refused, with what to do", async () => {
    const bytes = Buffer.from(zipSync({ "data.json": data }));
    // The first flag of the entry, in its local header and in the directory.
    bytes.writeUInt16LE(bytes.readUInt16LE(6) | 1, 6);
    const directory = bytes.indexOf(Buffer.from("PK\x01\x02", "latin1"));
    bytes.writeUInt16LE(bytes.readUInt16LE(directory + 8) | 1, directory + 8);
    await expect(readAll(write(bytes))).rejects.toMatchObject({
      message: "a.mochi: data.json: the file is encrypted",
      hint: "Save the archive without a password, and import that.",
    });
  });

  test("whose entries share the same bytes is refused", async () => {
    const bytes = Buffer.from(
      zipSync({ "data.json": data, "b.png": [Buffer.alloc(100_000, "ab"), { level: 0 }] }),
    );
    const directory = bytes.indexOf(Buffer.from("PK\x01\x02", "latin1"));
    const end = bytes.indexOf(Buffer.from("PK\x05\x06", "latin1"));
    const second = bytes.indexOf(Buffer.from("PK\x01\x02", "latin1"), directory + 4);
    const copies = ["c.png", "d.png", "e.png"].map((name) => {
      const copy = Buffer.from(bytes.subarray(second, end));
      copy.write(name, 46, "latin1");
      return copy;
    });
    const added = Buffer.concat(copies);
    const tail = Buffer.from(bytes.subarray(end));
    tail.writeUInt16LE(5, 8);
    tail.writeUInt16LE(5, 10);
    tail.writeUInt32LE(tail.readUInt32LE(12) + added.length, 12);
    const path = write(Buffer.concat([bytes.subarray(0, end), added, tail]));
    await expect(readAll(path)).rejects.toThrow(/the archive has entries that share the same bytes/);
  });
});

test("nothing is created when a package cannot be read to its end", async () => {
  const client = await emptyAccount();
  const notes = Array.from({ length: 600 }, (_, index) => ({ fields: [`front ${index}`, "back"] }));
  const path = ankiPackage({
    ...basic,
    notes,
    sql: "update notes set flds = cast(zeroblob(11000000) as text) where id = (select max(id) from notes)",
  });
  await expect(importFile(client, path)).rejects.toThrow(/the note has more than 10 MiB/);
  const { cards, decks, templates } = await wholeAccount(client);
  expect([cards.length, decks.length, templates.length]).toEqual([0, 0, 0]);
});
