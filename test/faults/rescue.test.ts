import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Aside } from "../../src/files/aside.ts";
import { using } from "../../src/service/backup/snapshot.ts";
import type { Finding } from "../../src/service/check/finding.ts";
import { storeFindings } from "../../src/service/check/index.ts";
import { withCollection } from "../support/collection.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fullCollection } from "../support/full-collection.ts";
import { seededRandom } from "../support/random.ts";
import { count, figure, seed } from "../support/soak.ts";

const random = seededRandom(seed);
const below = (limit: number) => Math.floor(random() * limit);

/** Everything that is found, each repaired at once, as `check --repair` does. */
async function repaired(folder: string): Promise<string[]> {
  const said: string[] = [];
  const aside = new Aside(join(folder, "../aside"));
  for await (const finding of storeFindings(folder, { cards() {}, attachments() {} }))
    said.push(`${finding.item}: ${finding.problem}: ${await repair(finding, aside)}`);
  aside.close();
  return said;
}

const repair = (finding: Finding, aside: Aside) =>
  finding.repair?.(aside).catch((error: Error) => `not repaired: ${error.message}`);

/** The rows of a table by their key. */
function rowsOf(store: string, table: string, key: string, columns = "*"): Map<string, string> {
  return using(store, (database) => {
    const rows = database.prepare(`select ${key} as key_, ${columns} from ${table}`).all() as {
      key_: string;
    }[];
    return new Map(rows.map((row) => [row.key_, JSON.stringify(row)]));
  });
}

/** Whether the due of a review was given is repeated nowhere. */
const tables: [table: string, key: string, columns?: string][] = [
  ["card", "id"],
  ["review", "card_id || date", "account, card_id, date, due, remembered, duration"],
  ["attachment", "card_id || file_name"],
  ["deck", "id"],
  ["template", "id"],
];

describe("check --repair of a store with wrong bits", () => {
  let data: string;
  let whole: Buffer;
  const before = new Map<string, Map<string, string>>();
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "deckhand-test-"));
    const ids = await fullCollection(data);
    // Cards that were deleted leave free pages, of which nothing may come back.
    await withCollection(data, async (client) => {
      for (const id of ids.slice(100, 130)) await client.cards.delete(id);
    });
    const store = join(data, "service/store.sqlite");
    using(store, (database) => database.exec("pragma wal_checkpoint(truncate)"));
    whole = readFileSync(store);
    for (const [table, ...columns] of tables) before.set(table, rowsOf(store, table, ...columns));
    return () => rmSync(data, { recursive: true, force: true });
  });

  it("keeps every row outside of the damaged page, and names the cards that are lost", async () => {
    const kinds = new Map<string, number>();
    const note = (kind: string, many = 1) => void kinds.set(kind, (kinds.get(kind) ?? 0) + many);
    for (let error = 0; error < count("rescues", 20, 200); error++) {
      const place = join(temporaryFolder(), "data");
      const folder = join(place, "service");
      cpSync(join(data, "service"), folder, { recursive: true });
      const store = join(folder, "store.sqlite");
      for (const suffix of ["-wal", "-shm"]) rmSync(store + suffix, { force: true });
      const bit = below(whole.length * 8);
      const wrong = Buffer.from(whole);
      wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(store, wrong);
      const said = await repaired(folder);
      const about = `bit ${bit}, byte ${bit >> 3} = page ${1 + (bit >> 15)} + ${(bit >> 3) & 4095}: ${said.join("\n")}`;
      for (const [table, key, columns] of tables) {
        const [old, now] = [before.get(table) ?? new Map(), rowsOf(store, table, key, columns)];
        const lost = [...old.keys()].filter((each) => !now.has(each));
        const other = [...old.keys()].filter((each) => now.has(each) && now.get(each) !== old.get(each));
        expect(
          [...now.keys()].filter((each) => !old.has(each)),
          `more of ${table}: ${about}`,
        ).toEqual([]);
        if (table === "card") {
          // As many as are on a page, and all of them named.
          expect(lost.length, about).toBeLessThan(10);
          for (const id of lost) expect(about).toContain(`card ${id}`);
        }
        if (lost.length + other.length > 0) expect(said, `${table} of ${about}`).not.toEqual([]);
        note(`${table}: lost`, lost.length);
        note(`${table}: other`, other.length);
      }
      const again = await repaired(folder);
      expect(again, about).toEqual([]);
      note(said.length === 0 ? "harmless" : "repaired");
    }
    figure("stores with a wrong bit", Object.fromEntries(kinds));
  });
});
