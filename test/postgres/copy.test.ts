import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Application, openApplication } from "../../src/service/app.ts";
import { copyStore } from "../../src/service/copy.ts";
import type { DataPlace } from "../../src/service/place.ts";
import { handled } from "../support/handled.ts";
import { giveDatabase, takeDatabase } from "../support/postgres.ts";
import { docsOf, idOf, rawClient } from "../support/requests.ts";
import { temporaryFolder } from "../support/service.ts";
import { formOf, multipart } from "../support/uploads.ts";

async function databasePlace(): Promise<DataPlace> {
  const url = await takeDatabase();
  onTestFinished(() => giveDatabase(url));
  return { folder: "", database: { url } };
}

const folderPlace = (): DataPlace => ({ folder: temporaryFolder() });

async function opened<T>(place: DataPlace, work: (application: Application) => Promise<T>): Promise<T> {
  const application = await openApplication({ ...place, now: Date.now, keyDelay: 0 });
  try {
    return await work(application);
  } finally {
    await application.close();
  }
}

/** Fills a place with two accounts. @returns their keys */
async function fill(place: DataPlace): Promise<string[]> {
  return opened(place, async (application) => {
    const keys: string[] = [];
    for (const account of ["anna", "béla"]) {
      const key = await application.keys.add(account);
      keys.push(key);
      await application.setDays(account, { timeZone: "Europe/Oslo", startsAt: 180 });
      const ask = rawClient(application, key);
      const deck = idOf(await ask("POST", "/decks", { name: `Deck of ${account}` }));
      await ask("POST", "/decks", { name: "below", "parent-id": deck, sort: 2 ** 40 });
      await ask("POST", "/templates", { name: "t", content: "<< x >>", fields: { x: { id: "x" } } });
      await ask("PUT", "/schedule", { retention: 0.85 });
      for (let at = 0; at < 130; at++) {
        const content = at === 7 ? "long ".repeat(30_000) : `card ${at} \u0000 \u{1f600}`;
        const card = idOf(await ask("POST", "/cards", { content, "deck-id": deck }));
        if (at > 3) continue;
        const date = "2026-01-02T03:04:05.678Z";
        await ask("POST", `/cards/${card}/reviews`, { date, "remembered?": at % 2 === 0, duration: 1.25 });
        for (const [name, content] of [
          ["same.txt", "in every card"],
          ["own.bin", at === 0 ? "0123456789".repeat(250_000) : Buffer.from([at])],
        ] as const)
          await handled(application, {
            method: "POST",
            path: `/cards/${card}/attachments/${name}`,
            query: "",
            headers: { authorization: `Basic ${btoa(key)}`, ...multipart },
            body: formOf({ content }),
          });
      }
    }
    return keys;
  });
}

/** Everything that the keys can read. */
async function everything(place: DataPlace, keys: readonly string[]): Promise<unknown[]> {
  return opened(place, async (application) => {
    const all: unknown[] = [];
    for (const key of keys) {
      const ask = rawClient(application, key);
      for (const path of ["/decks", "/templates", "/attachments", "/schedule"])
        all.push((await ask("GET", path)).body);
      const cards: Record<string, unknown>[] = [];
      for (let bookmark = ""; ; ) {
        const page = await ask("GET", `/cards?limit=100${bookmark && `&bookmark=${bookmark}`}`);
        if (docsOf(page).length === 0) break;
        cards.push(...docsOf(page));
        bookmark = String(page.body["bookmark"]);
      }
      all.push(cards);
      for (const file of docsOf(await ask("GET", "/attachments")))
        all.push((await ask("GET", `/cards/${file["card-id"]}/attachments/${file["file-name"]}`)).text);
    }
    return all;
  });
}

const copied = (from: DataPlace, to: DataPlace) =>
  copyStore({ from, to, now: Date.now, signal: new AbortController().signal });

test("copies every account from SQLite to PostgreSQL and back, and the same keys read the same", async () => {
  const [source, database, target] = [folderPlace(), await databasePlace(), folderPlace()];
  const keys = await fill(source);
  const before = await everything(source, keys);
  expect(before.length).toBeGreaterThan(20);
  const counts = { key: 2, deck: 4, template: 2, card: 260, review: 8, attachment: 16 };
  expect(await copied(source, database)).toMatchObject(counts);
  expect(await everything(database, keys)).toEqual(before);
  expect(await copied(database, target)).toMatchObject(counts);
  expect(await everything(target, keys)).toEqual(before);
  expect(await everything(source, keys)).toEqual(before);
  expect(await everything(database, keys)).toEqual(before);
});

test("copies nothing to a target that has accounts, and changes neither", async () => {
  const [source, database] = [folderPlace(), await databasePlace()];
  const keys = await fill(source);
  const [other] = await opened(database, async (application) => [await application.keys.add("anna")]);
  await expect(copied(source, database)).rejects.toMatchObject({ code: "refused" });
  expect(
    docsOf(await opened(database, async (application) => rawClient(application, other)("GET", "/cards"))),
  ).toEqual([]);
  expect(await everything(source, keys)).toHaveLength(26);
});

test("leaves the target empty if an attachment of the source is damaged, and can be run again", async () => {
  const [source, database] = [folderPlace(), await databasePlace()];
  const keys = await fill(source);
  const files = join(source.folder, "service", "attachments");
  const sha256 = await opened(source, async (application) =>
    String(docsOf(await rawClient(application, keys[0])("GET", "/attachments"))[0]?.["sha256"]),
  );
  await rm(join(files, sha256.slice(0, 2), sha256.slice(2)));
  await expect(copied(source, database)).rejects.toMatchObject({ code: "refused", message: /damaged/ });
  const empty = await opened(database, async (application) => application.keys.exist());
  expect(empty).toBe(false);
});
