import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { CompiledQuery, Kysely } from "kysely";
import { expect } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { DeckhandError } from "../../src/errors.ts";
import { openApplication } from "../../src/service/app.ts";
import { SqliteFile } from "../../src/service/store/dialects/sqlite/file.ts";
import type { Tables } from "../../src/service/store/tables.ts";
import { withCollection } from "./collection.ts";

/** Kills a process with SIGKILL at a moment from now to `within` milliseconds later; resolves when it is gone. */
export async function killAtRandom(child: ChildProcess, random: () => number, within: number): Promise<void> {
  const timer = setTimeout(() => child.kill("SIGKILL"), random() * within);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  clearTimeout(timer);
}

/**
 * Kills processes ever closer to the moment in which they do something: earlier after one that had done it, later after
 * one that had not.
 */
export function killer(random: () => number, began: number) {
  let aim = began;
  return {
    /** `done` says, when the process is gone, whether it had done it. */
    async kill(child: ChildProcess, done: () => boolean): Promise<boolean> {
      const started = performance.now();
      await killAtRandom(child, () => 1, aim * (0.9 + 0.2 * random()));
      const was = done();
      // One that had ended by itself tells how long it takes at most.
      if (child.exitCode !== null) aim = Math.min(aim, performance.now() - started);
      aim *= was ? 0.95 : 1.05;
      return was;
    },
  };
}

/** What a service has acknowledged, so that it must still be true after any crash. */
export interface Promised {
  readonly decks: Set<string>;
  /** By id: the files by name, and the instants of reviews. */
  readonly cards: Map<string, { readonly files: Map<string, string>; readonly reviews: Set<string> }>;
  /** Deleted cards and decks. */
  readonly gone: Set<string>;
}

export const nothingPromised = (): Promised => ({ decks: new Set(), cards: new Map(), gone: new Set() });

/** A delete that was sent may have happened: from then on nothing is promised until it is acknowledged. */
export function beginDelete(promised: Promised, id: string): () => void {
  promised.decks.delete(id);
  promised.cards.delete(id);
  return () => void promised.gone.add(id);
}

/** Opens the collection, as the next start of the program does, and looks for all that was promised. */
export async function examine(dataFolder: string, promised: Promised): Promise<void> {
  await withCollection(dataFolder, async (client) => {
    for (const id of promised.decks) expect((await client.decks.get(id)).id).toBe(id);
    for (const [id, { files, reviews }] of promised.cards) {
      const card = await client.cards.get(id);
      const dates = (card.reviews ?? []).map((review) => review?.date);
      for (const date of reviews) expect(dates, `reviews of ${id}`).toContain(date);
      if (files.size === 0) continue;
      for (const [name, content] of files)
        expect(await fileText(client, id, name), `${name} of ${id}`).toBe(content);
    }
    for (const id of promised.gone) expect(await isThere(client, id), `deleted ${id}`).toBe(false);
  });
  // A server that starts removes what was left.
  const application = await openApplication({ folder: dataFolder, now: Date.now });
  await application.preload();
  await application.close();
  const { integrity, named, stored } = await stock(dataFolder);
  expect(integrity).toEqual([{ integrity_check: "ok" }]);
  expect(stored).toEqual(named);
}

const fileText = (client: Client, card: string, name: string): Promise<string> =>
  client.attachments.fetch(card, name, ({ body }) => text(body));

async function isThere(client: Client, id: string): Promise<boolean> {
  for (const get of [client.cards.get(id), client.decks.get(id)])
    try {
      await get;
      return true;
    } catch (error) {
      if (!(error instanceof DeckhandError) || error.code !== "not-found") throw error;
    }
  return false;
}

/** The engine's own opinion, the contents that lie on the disk, and those that rows name. */
export async function stock(dataFolder: string) {
  const root = join(dataFolder, "service");
  const db = new Kysely<Tables>({ dialect: new SqliteFile(join(root, "store.sqlite")).dialect });
  const check = await db.executeQuery(CompiledQuery.raw("pragma integrity_check"));
  const named = await db.selectFrom("attachment").select("hash").distinct().execute();
  await db.destroy();
  const entries = await readdir(join(root, "attachments"), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.endsWith("incoming"));
  return {
    integrity: check.rows,
    named: named.map(({ hash }) => hash).sort(),
    stored: files
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .replace(/.*attachments/, "")
          .replaceAll(/[\\/]/g, ""),
      )
      .sort(),
  };
}
