import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Client } from "../../../src/client/index.ts";
import { writeFileWith } from "../../../src/files/atomic-write.ts";
import { isLocked, takeLock } from "../../../src/files/lock.ts";
import { openApplication } from "../../../src/service/app.ts";
import { ArchiveWriter } from "../../../src/service/backup/archive.ts";
import { isBackup, readBackup } from "../../../src/service/backup/read.ts";
import { type RestoreOptions, restoreBackup } from "../../../src/service/backup/restore.ts";
import { using } from "../../../src/service/backup/snapshot.ts";
import { type BackupOptions, writeBackup } from "../../../src/service/backup/write.ts";
import { backupLock, contentPath } from "../../../src/service/blobs/paths.ts";
import { makeCards, withCollection, withTransport } from "../../support/collection.ts";
import { temporaryFolder } from "../../support/folder.ts";

const now = Date.parse("2026-11-22T12:00:00Z");

function backUp(data: string, options: Partial<BackupOptions> = {}) {
  const target = join(temporaryFolder(), "cards.tar");
  const written = writeBackup({ folder: join(data, "service"), target, attachments: true, now, ...options });
  return written.then((result) => ({ target: options.target ?? target, ...result }));
}

function restore(file: string, data: string, options: Partial<RestoreOptions> = {}) {
  return restoreBackup({
    file,
    folder: join(data, "service"),
    takes: () => true,
    present: () => [],
    log: "reviews/local.jsonl",
    aside: undefined,
    ...options,
  });
}

const upload = (fileName: string, content: string) => ({
  fileName,
  source: async () => ({ stream: Readable.from([Buffer.from(content)]), size: content.length }),
});

async function collection(client: Client): Promise<string[]> {
  const ids = await makeCards(client, ["Lisbon", "Oslo"]);
  for (const id of ids) await client.attachments.add(id, upload("a.txt", `file of ${id}`));
  await client.reviews.create(ids[0] ?? "", { date: "2026-11-01T00:00:00Z", "remembered?": true });
  return ids;
}

async function filled(): Promise<{ data: string; ids: string[] }> {
  const data = temporaryFolder();
  return { data, ids: await withCollection(data, collection) };
}

const contentsOf = (data: string) =>
  withCollection(data, async (client) => {
    const cards = [];
    for (const { id } of (await client.cards.list({})).docs) {
      const card = await client.cards.get(id);
      const file = await client.attachments
        .fetch(id, "a.txt", ({ body }) => text(body))
        .catch(() => undefined);
      cards.push({ ...card, file });
    }
    return cards;
  });

const isLock = (name: string) => name.startsWith("service-restore.");
const schemaIn = (data: string) =>
  using(join(data, "service", "store.sqlite"), (database) =>
    database.prepare("select type, name, sql from sqlite_master order by type, name").all(),
  );

describe("a backup of the local collection", () => {
  test("restores into an empty one as it was: cards, reviews, attachments and the files besides", async () => {
    const { data } = await filled();
    writeFileSync(join(data, "config.json"), "{}");
    const { target, damaged } = await backUp(data, {
      files: [
        { name: "config.json", path: join(data, "config.json") },
        { name: "reviews/local.jsonl", path: join(data, "missing") },
      ],
    });
    expect(damaged).toEqual([]);
    expect(await readBackup(target)).toMatchObject({
      created: "2026-11-22T12:00:00.000Z",
      files: 2,
      attachments: true,
      parts: ["config.json", "store.sqlite"],
    });
    const other = temporaryFolder();
    expect(await restore(target, other)).toMatchObject({ replaced: false, missing: [] });
    expect(await contentsOf(other)).toEqual(await contentsOf(data));
    // Settings are for the caller to choose from.
    expect(readdirSync(other).filter((name) => !isLock(name))).toEqual(["service"]);
    expect(statSync(join(other, "service", "store.sqlite")).mode & 0o777).toBe(0o600);
  });

  test("is not restored over a collection without being asked, and then moves it aside", async () => {
    const [{ data }, { data: other }] = [await filled(), await filled()];
    const before = await contentsOf(other);
    const { target } = await backUp(data);
    // Two copies: a look into a store leaves it open in this process, where SQLite is the drop-in of older Nodes.
    const [refused, copy] = [temporaryFolder(), temporaryFolder()];
    for (const folder of [refused, copy]) await restore((await backUp(other)).target, folder);
    await expect(restore(target, refused)).rejects.toMatchObject({ code: "conflict" });
    const aside = join(copy, "set-aside", "1");
    expect(await restore(target, copy, { aside })).toMatchObject({ replaced: true });
    expect(await contentsOf(copy)).toEqual(await contentsOf(data));
    expect(await contentsOf(aside)).toEqual(before);
  });

  test("is not restored while another program uses the collection", async () => {
    const { data } = await filled();
    const { target } = await backUp(data);
    const other = temporaryFolder();
    const application = await openApplication({ folder: other, now: Date.now });
    onTestFinished(() => application.close());
    await expect(restore(target, other, { aside: join(other, "aside") })).rejects.toThrow("in use");
  });

  test("is refused with exit 9 where it is damaged, and nothing is changed", async () => {
    const { data } = await filled();
    const { target } = await backUp(data);
    const other = temporaryFolder();
    writeFileSync(target, Buffer.alloc(statSync(target).size - 512), { flag: "r+" });
    await expect(restore(target, other)).rejects.toMatchObject({ exitCode: 9 });
    expect(readdirSync(other)).toEqual([]);
    expect(await isBackup(target)).toBe(false);
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["no store", {}, "store.sqlite is missing"],
    ["an empty store", { "store.sqlite": "" }, "no such table: card"],
    ["something else as its store", { "store.sqlite": "no database ".repeat(100) }, "file is not a database"],
  ])("with right hashes and %s is refused, and nothing is replaced", async (_, parts, said) => {
    // A copy, since this process may have the other one open.
    const data = temporaryFolder();
    await restore((await backUp((await filled()).data)).target, data);
    const [target, aside] = [join(temporaryFolder(), "crafted.tar"), join(temporaryFolder(), "aside")];
    await writeFileWith(target, async (file) => {
      const writer = new ArchiveWriter(file, now);
      const header = '{"backup":1,"created":"","schema":5,"attachments":true}';
      // Names that lead elsewhere are left out.
      for (const [name, content] of Object.entries({
        "deckhand.json": header,
        "../../outside": "x",
        ...parts,
      }))
        await writer.add(name, content.length, Readable.from([Buffer.from(content)]));
      await writer.end();
    });
    await expect(restore(target, data, { aside, takes: () => false })).rejects.toMatchObject({
      exitCode: 9,
      message: `the backup holds no collection: ${said}; nothing was restored`,
    });
    expect(existsSync(aside)).toBe(false);
    expect((await contentsOf(data)).map(({ content }) => content)).toEqual(["Lisbon", "Oslo"]);
    expect(readdirSync(dirname(data))).not.toContain("outside");
  });

  test("of a restore that was killed between its two renames is taken by the next program", async () => {
    const { data } = await filled();
    const other = temporaryFolder();
    await restore((await backUp(data)).target, other);
    renameSync(join(other, "service"), join(other, "service.restored"));
    expect(await contentsOf(other)).toEqual(await contentsOf(data));
  });

  test("brings nothing of its author's but rows: no trigger, view, virtual table, index, column or key", async () => {
    const { data, ids } = await filled();
    using(join(data, "service", "store.sqlite"), (database) =>
      database.exec(`
        create trigger wipe after insert on review begin delete from card; end;
        create trigger own after insert on setting begin insert into key (account, hash, created_at) values ('default', 'x', 0); end;
        create view spin as with recursive n(i) as (select 1 union all select i + 1 from n) select i from n;
        create virtual table words using fts5(text);
        alter table account add column size generated always as (length(hex(zeroblob(1000)))) virtual;
        create index costly on card (length(replace(document, 'a', hex(zeroblob(10)))));
        insert into key (account, hash, created_at) values ('default', 'theirs', 0);`),
    );
    const { target } = await backUp(data);
    const refused = temporaryFolder();
    await expect(restore(target, refused)).rejects.toThrow(
      "the column size of the table account is generated",
    );
    expect(readdirSync(refused).filter((name) => !isLock(name))).toEqual([]);
    using(join(data, "service", "store.sqlite"), (database) =>
      database.exec("alter table account drop column size"),
    );
    const other = temporaryFolder();
    await restore((await backUp(data)).target, other);
    const fresh = temporaryFolder();
    await withCollection(fresh, async () => {});
    expect(schemaIn(other)).toEqual(schemaIn(fresh));
    using(join(other, "service", "store.sqlite"), (database) =>
      expect(database.prepare("select * from key").all()).toEqual([]),
    );
    await withCollection(other, async (client) => {
      await client.reviews.create(ids[0] ?? "", { date: "2026-11-20T00:00:00Z", "remembered?": true });
      expect((await client.cards.list({})).docs).toHaveLength(2);
    });
  });

  test.each([
    [
      "a view",
      `create view template as with recursive n(i) as (select 1 union all select i + 1 from n)
        select i as account, i as id, i as pos, i as document, i as checksum from n`,
    ],
    ["a virtual table", "create virtual table template using fts5(account, id, pos, document, checksum)"],
  ])("with %s in the place of a table is refused at once, however long it would run", async (_, made) => {
    const { data } = await filled();
    using(join(data, "service", "store.sqlite"), (database) =>
      database.exec(`drop table template; ${made};`),
    );
    const other = temporaryFolder();
    await expect(restore((await backUp(data)).target, other)).rejects.toMatchObject({ exitCode: 9 });
    expect(readdirSync(other).filter((name) => !isLock(name))).toEqual([]);
  });

  test("of a newer version is refused before anything is asked or moved", async () => {
    const { data } = await filled();
    using(join(data, "service", "store.sqlite"), (database) => database.exec("pragma user_version = 99"));
    const { target } = await backUp(data);
    const other = temporaryFolder();
    const approve = () => Promise.reject(new Error("asked"));
    await expect(restore(target, other, { approve })).rejects.toMatchObject({ code: "refused" });
    expect(readdirSync(other)).toEqual([]);
  });

  test("without contents takes those of the collection before, and names what is missing", async () => {
    const { data, ids } = await filled();
    const { target } = await backUp(data, { attachments: false });
    const other = temporaryFolder();
    await restore((await backUp(data)).target, other);
    const before = await contentsOf(data);
    expect(await restore(target, other, { aside: join(other, "aside") })).toMatchObject({ missing: [] });
    expect(await contentsOf(other)).toEqual(before);
    const { missing } = await restore(target, temporaryFolder());
    expect(missing).toHaveLength(ids.length);
  });

  test("has what is left of a damaged attachment, and reports it", async () => {
    const { data } = await filled();
    const folder = join(data, "service", "attachments");
    const [prefix = ""] = readdirSync(folder).filter((name) => name.length === 2);
    const [name = ""] = readdirSync(join(folder, prefix));
    writeFileSync(join(folder, prefix, name), "x");
    const { target, damaged } = await backUp(data);
    expect(damaged).toEqual([prefix + name]);
    await readBackup(target);
    rmSync(join(folder, prefix, name));
    expect((await backUp(data)).damaged).toEqual([prefix + name]);
  });

  test("keeps the contents that are deleted while it is written, for itself only", async () => {
    const { data, ids } = await filled();
    const application = await openApplication({ folder: data, now: Date.now });
    onTestFinished(() => application.close());
    const folder = join(data, "service");
    const lock = await takeLock(backupLock(folder));
    const file = "0".repeat(64);
    expect(contentPath(file)).toBe(`00/${"0".repeat(62)}`);
    const stored = () =>
      readdirSync(join(folder, "attachments"), { recursive: true }).filter((name) => name.length > 60);
    expect(stored()).toHaveLength(2);
    await withTransport(application.as("default"), (client) => client.cards.delete(ids[0] ?? ""));
    expect(stored()).toHaveLength(2);
    expect(isLocked(backupLock(folder))).toBe(true);
    lock.release();
    await application.preload();
    expect(stored()).toHaveLength(1);
  });

  test("replaces an earlier one only when it is whole", async () => {
    const { data } = await filled();
    const { target } = await backUp(data);
    const controller = new AbortController();
    controller.abort(new Error("stopped"));
    await expect(backUp(data, { target, signal: controller.signal })).rejects.toThrow("stopped");
    await readBackup(target);
    expect(readdirSync(dirname(target))).toEqual(["cards.tar"]);
  });

  test("of an earlier version is written before a migration, and restores in this one", async () => {
    const data = temporaryFolder();
    const folder = join(data, "service");
    mkdirSync(folder);
    using(join(folder, "store.sqlite"), (database) => {
      database.exec("pragma foreign_keys = off; pragma journal_mode = wal");
      database.exec(readFileSync("test/fixtures/stores/5-015a64a.sql", "utf8"));
      database.exec("delete from attachment; delete from review; delete from card; delete from deck");
    });
    const ids = await withCollection(data, (client) => makeCards(client, ["Lisbon"]));
    const [name = ""] = readdirSync(join(data, "backups"));
    expect(name).toMatch(/^before-migration-\d{8}T\d{6}Z\.tar$/);
    const old = join(data, "backups", name);
    expect(await readBackup(old)).toMatchObject({ schema: 5, attachments: false });
    const other = temporaryFolder();
    await restore(old, other);
    await withCollection(other, async (client) => {
      expect((await client.decks.list({})).docs).toEqual([]);
      await makeCards(client, ["Oslo"]);
    });
    expect(ids).toHaveLength(1);
  });
});
