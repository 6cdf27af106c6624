import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { stateProblem } from "../../src/check/index.ts";
import { filesIn, logFindings } from "../../src/check/lines.ts";
import { hashOfBytes } from "../../src/folder/stat.ts";
import { openLog } from "../../src/review/session/log.ts";
import { readBackup } from "../../src/service/backup/read.ts";
import { using } from "../../src/service/backup/snapshot.ts";
import { writeBackup } from "../../src/service/backup/write.ts";
import { storeFindings } from "../../src/service/check/index.ts";
import { State } from "../../src/sync/state.ts";
import { withCollection } from "../support/collection.ts";
import { temporaryFolder } from "../support/folder.ts";
import { attachedText, fullCollection } from "../support/full-collection.ts";
import { seededRandom } from "../support/random.ts";
import { count, figure, seed } from "../support/soak.ts";

const each = count("bit_errors", 15, 200);
const random = seededRandom(seed);
const below = (limit: number) => Math.floor(random() * limit);

/** Writes a file with one wrong bit. @returns which */
function flip(path: string, whole: Buffer): number {
  const bit = below(whole.length * 8);
  const wrong = Buffer.from(whole);
  wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  writeFileSync(path, wrong);
  return bit;
}

/** Flips one bit of a file again and again; each has to be found. */
async function expectFound(
  what: string,
  pick: () => string,
  look: (path: string, bit: number) => Promise<unknown>,
): Promise<void> {
  for (let error = 0; error < each; error++) {
    const path = pick();
    const whole = readFileSync(path);
    const bit = flip(path, whole);
    try {
      expect(await look(path, bit), `bit ${bit} of ${path}`).toBeTruthy();
    } finally {
      writeFileSync(path, whole);
    }
  }
  figure(`single wrong bits in ${what}`, { made: each, found: each });
}

const quiet = { cards() {}, attachments() {} };

async function findingsOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const { part, item, problem } of storeFindings(folder, quiet))
      found.push(`${part}: ${item}: ${problem}`);
  } catch (error) {
    found.push(String(error));
  }
  return found;
}

async function problems(findings: AsyncIterable<{ problem: string }>): Promise<number> {
  let number = 0;
  for await (const _ of findings) number++;
  return number;
}

describe("a single wrong bit", () => {
  let data: string;
  let ids: string[];
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "deckhand-test-"));
    ids = await fullCollection(data);
    return () => rmSync(data, { recursive: true, force: true });
  });

  it("in an attachment is found, and the file is never served as good", async () => {
    const folder = join(data, "service/attachments");
    const files = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => name.length > 60)
      .map((name) => join(folder, name));
    await expectFound(
      "attachments",
      () => files[below(files.length)] ?? "",
      async () => {
        const found = await findingsOf(join(data, "service"));
        let wrong = 0;
        await withCollection(data, async (client) => {
          for (let number = 0; number < 4; number++) {
            const served = await client.attachments
              .fetch(ids[number] ?? "", "a.txt", ({ body }) => text(body))
              .catch(() => undefined);
            if (served === undefined) wrong++;
            else expect(served).toBe(attachedText(number));
          }
        });
        return wrong === 1 && found.length === 1 && /attachments: a\.txt/.test(found[0] ?? "");
      },
    );
  });

  it("in a review log is found", async () => {
    const folder = temporaryFolder();
    const log = openLog(join(folder, "local.jsonl"));
    for (let number = 0; number < 30; number++) {
      const at = new Date(1_700_000_000_000 + number * 1000).toISOString();
      log.append({
        type: "answer",
        id: `a${number}`,
        "card-id": ids[number] ?? "",
        "deck-id": "d",
        at,
        pass: "front",
        "remembered?": true,
        duration: number / 10,
        left: 0,
        review: { date: at, "remembered?": true, duration: number / 10, status: "pending" },
      });
      log.append({ type: "sent", id: `a${number}` });
    }
    log.close();
    const look = (path: string) => problems(logFindings(path));
    expect(await look(join(folder, "local.jsonl"))).toBe(0);
    await expectFound("review logs", () => filesIn(folder, ".jsonl")[0] ?? "", look);
  });

  it("in the state of sync is found, or changes nothing of a card", async () => {
    const path = join(temporaryFolder(), "state.sqlite");
    const state = State.open(path);
    for (let number = 0; number < 30; number++) {
      const place = {
        deck: "d",
        template: null,
        pos: "a",
        tags: [],
        archived: false,
        reverse: false,
        fields: {},
      };
      const stat = { path: `${number}.md`, hash: "h", mtime: number, ctime: number, size: number, at: 0 };
      state.keepCard({ id: `c${number}`, ...stat }, { content: `card ${number}`, ...place });
    }
    state.close();
    expect(await stateProblem(path)).toBeUndefined();
    const texts = (file: string) => {
      const opened = State.open(file, "show");
      try {
        return [...opened.cardsExcept(new Set())].map(({ doc }) => JSON.stringify(doc.read()));
      } finally {
        opened.close();
      }
    };
    const [whole, before] = [readFileSync(path), texts(path)];
    for (let number = 0; number < each; number++) {
      const bit = flip(path, whole);
      if ((await stateProblem(path)) === undefined) expect(texts(path), `bit ${bit}`).toEqual(before);
    }
  });

  it("in a backup is found, or changes none of its parts", async () => {
    const target = join(temporaryFolder(), "cards.tar");
    await writeBackup({ folder: join(data, "service"), target, attachments: true, now: 0 });
    const partsOf = async (path: string) => {
      const parts: Record<string, string> = {};
      await readBackup(path, async ({ name, pieces }) => {
        parts[name] = hashOfBytes(await buffer(pieces));
      });
      return JSON.stringify(parts);
    };
    const whole = await partsOf(target);
    await expectFound(
      "backups",
      () => target,
      (path) =>
        partsOf(path).then(
          (parts) => parts === whole,
          () => true,
        ),
    );
  });

  it("in the store is found, or changes nothing that a card depends on", async () => {
    const errors = count("bit_errors_store", 25, 1000);
    const folder = join(data, "service");
    const whole = readFileSync(join(folder, "store.sqlite"));
    const before = contentsOf(join(folder, "store.sqlite"));
    expect(await findingsOf(folder)).toEqual([]);
    const found = new Map<string, number>();
    const note = (kind: string) => void found.set(kind, (found.get(kind) ?? 0) + 1);
    for (let error = 0; error < errors; error++) {
      const place = join(temporaryFolder(), "data");
      cpSync(folder, join(place, "service"), { recursive: true });
      for (const suffix of ["-wal", "-shm"])
        rmSync(join(place, "service", `store.sqlite${suffix}`), { force: true });
      const store = join(place, "service/store.sqlite");
      const bit = flip(store, whole);
      // Read from a copy: opening a store may change it.
      const after = contentsOf(store);
      const findings = await findingsOf(join(place, "service"));
      rmSync(place, { recursive: true, force: true });
      if (findings.length > 0) {
        note("found");
        continue;
      }
      const changed = [...before.keys()].filter((name) => before.get(name) !== after.get(name));
      if (changed.length === 0) note("harmless: unused bytes of the file");
      for (const name of changed) {
        note(`not found: ${name}`);
        expect(named, `bit ${bit}`).toContain(name);
      }
    }
    figure("single wrong bits in the store", Object.fromEntries(found));
    expect(found.get("found")).toBeGreaterThan(errors / 4);
  });
});

/** Columns without a checksum: no card depends on them, or an import said them and nothing repeats them. */
const named = [
  "account.time_zone",
  "account.day_starts_at",
  "account.schedule",
  "key.account",
  "key.created_at",
  "review.due_given",
  "setting.value",
  "sqlite_sequence.seq",
];

/** What each column of each table holds, as text; what cannot be read is an error's message. */
function contentsOf(store: string): Map<string, string> {
  const contents = new Map<string, string>();
  try {
    using(store, (database) => {
      const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
      for (const { name } of tables as { name: string }[])
        for (const row of database.prepare(`select * from "${name}"`).all() as Record<string, unknown>[])
          for (const [column, value] of Object.entries(row)) {
            const key = `${name}.${column}`;
            const text = value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
            contents.set(key, `${contents.get(key) ?? ""}${text}\n`);
          }
    });
  } catch (error) {
    contents.set("error", String(error));
  }
  return contents;
}
