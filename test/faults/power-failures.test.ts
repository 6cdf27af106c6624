import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { saveStream } from "../../src/commands/attach/save.ts";
import { changeConfig } from "../../src/config/change-config.ts";
import { readConfig } from "../../src/config/config-file.ts";
import { changeCredential, readCredentials } from "../../src/config/credentials.ts";
import { AppendLog } from "../../src/files/append-log.ts";
import { Aside } from "../../src/files/aside.ts";
import { checksumState } from "../../src/files/checksum.ts";
import type { FileChange, Write } from "../../src/folder/changes.ts";
import { hashOfBytes as hashOf } from "../../src/folder/stat.ts";
import { FolderWriter } from "../../src/folder/writer.ts";
import { readLog } from "../../src/review/session/history.ts";
import { type AnswerLine, openLog } from "../../src/review/session/log.ts";
import { readBackup } from "../../src/service/backup/read.ts";
import { restoreBackup } from "../../src/service/backup/restore.ts";
import { using } from "../../src/service/backup/snapshot.ts";
import { writeBackup } from "../../src/service/backup/write.ts";
import { FileBlobs } from "../../src/service/blobs/files.ts";
import { openStore, type Store } from "../../src/service/store/index.ts";
import { ExportFolder } from "../../src/transfer/formats/markdown/folder.ts";
import { makeCards, withCollection } from "../support/collection.ts";
import { type DiskState, lay, type Recording, record, statesOf, syncsOf } from "../support/disk.ts";
import { temporaryFolder } from "../support/folder.ts";
import { count, figure, isSoak, seed } from "../support/soak.ts";

/** Something that writes files, and what has to hold of each state that a power failure may leave. */
interface Flow {
  /** What is there before, synced. */
  prepare?(folder: string): Promise<void>;
  run(folder: string, told: (what: string) => void): Promise<void>;
  /** Syncs that can be left out without anything being lost: what they sync, the how manieth of it, and why. */
  readonly harmless?: readonly (readonly [what: string, nth: number | "last" | "each", why: string])[];
  /** Opens a state as the next run of the program does. Throws if something told is missing, or anything is misread. */
  open(folder: string, told: readonly string[]): Promise<void>;
}

const again = "synced again before anything depends on it";

const most = count("disk_states", 150, 10_000);
/** How many things each flow writes. */
const steps = count("disk_steps", 3, 20);

async function recordingOf(flow: Flow): Promise<Recording> {
  const folder = temporaryFolder();
  await flow.prepare?.(folder);
  return record(folder, (told) => flow.run(folder, told));
}

/** The first state that does not open as it should; undefined if all do. */
async function firstFailure(
  flow: Flow,
  recording: Recording,
  options: { readonly most: number; readonly without?: readonly number[] },
): Promise<{ readonly opened: number; readonly failure?: string }> {
  const folder = join(fastFolder(), "disk");
  let opened = 0;
  for (const state of statesOf(recording, { ...options, seed })) {
    lay(state, folder, recording.kinds);
    opened++;
    const failure = await problemOf(flow, folder, state);
    if (failure !== undefined) return { opened, failure };
  }
  return { opened };
}

/** In memory where the system has such a place: opening a state syncs, too. */
function fastFolder(): string {
  if (!existsSync("/dev/shm")) return temporaryFolder();
  const folder = mkdtempSync("/dev/shm/deckhand-test-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function problemOf(
  flow: Flow,
  folder: string,
  { told, missing }: DiskState,
): Promise<string | undefined> {
  try {
    await flow.open(folder, told);
    return undefined;
  } catch (error) {
    return `${missing}; told: ${told.join(", ")}: ${error instanceof Error ? error.message : error}`;
  }
}

const numbers = (told: readonly string[]) => told.map(Number);
const lastOf = (told: readonly string[]) => Math.max(0, ...numbers(told));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const padding = (number: number) => `${number} `.repeat(1500);

const answer = (number: number): AnswerLine => ({
  type: "answer",
  id: `answer${number}`,
  "card-id": `card${number}`,
  "deck-id": "deck",
  at: new Date(1_760_000_000_000 + number).toISOString(),
  pass: "front",
  "remembered?": number % 2 === 0,
  duration: number,
  left: number % 2,
});
const reviewLog: Flow = {
  async run(folder, told) {
    for (const numbers of [range(1, steps), range(steps + 1, steps + 2)]) {
      const log = openLog(join(folder, "data", "reviews", "local.jsonl"));
      for (const number of numbers) {
        expect(log.append(answer(number))).toBeUndefined();
        told(String(number));
        log.note({ type: "sent", id: `answer${number}` });
      }
      log.close();
    }
  },
  async open(folder, told) {
    const path = join(folder, "data", "reviews", "local.jsonl");
    const read = async () => {
      const { answers } = await readLog(path);
      return answers.map((each) => each.read()).filter((line) => line !== undefined);
    };
    const found = await read();
    for (const line of found) expect(line).toEqual(answer(Number(line.id.replace("answer", ""))));
    for (const number of numbers(told)) expect(found).toContainEqual(answer(number));
    const log = openLog(path);
    log.append(answer(99));
    log.close();
    expect(await read()).toEqual([...found, answer(99)]);
  },
};

const settings: Flow = {
  async run(folder, told) {
    for (let number = 1; number <= steps; number++) {
      await changeConfig(join(folder, "config"), (now) => ({ ...now, number, text: padding(number) }));
      told(String(number));
    }
  },
  async open(folder, told) {
    const { config } = readConfig(join(folder, "config"));
    expect(Number(config["number"] ?? 0)).toBeGreaterThanOrEqual(lastOf(told));
    if (config["number"] !== undefined) expect(config["text"]).toBe(padding(Number(config["number"])));
  },
};

const keys: Flow = {
  async run(folder, told) {
    for (let number = 1; number <= steps; number++) {
      const key = padding(number);
      await changeCredential(join(folder, "config"), "linux", "home", { origin: String(number), key });
      told(String(number));
    }
  },
  async open(folder, told) {
    const { keys: found, problem } = readCredentials(join(folder, "config"), "linux");
    expect(problem).toBeUndefined();
    const saved = found.get("home");
    expect(Number(saved?.origin ?? 0)).toBeGreaterThanOrEqual(lastOf(told));
    if (saved !== undefined) expect(saved.key).toBe(padding(Number(saved.origin)));
  },
};

const download: Flow = {
  async run(folder, told) {
    for (let number = 1; number <= steps; number++) {
      await saveStream(Readable.from([Buffer.from(padding(number))]), join(folder, "a.txt"), {
        replace: true,
      });
      told(String(number));
    }
    await saveStream(Readable.from([Buffer.from("once")]), join(folder, "b.txt"), { replace: false });
    told("once");
  },
  async open(folder, told) {
    const path = join(folder, "a.txt");
    const text = existsSync(path) ? readFileSync(path, "utf8") : padding(0);
    const number = Number.parseInt(text, 10);
    expect(text).toBe(padding(number));
    expect(number).toBeGreaterThanOrEqual(lastOf(told.filter((each) => each !== "once")));
    const once = join(folder, "b.txt");
    if (existsSync(once)) expect(readFileSync(once, "utf8")).toBe("once");
    else expect(told).not.toContain("once");
  },
};

type Version = 1 | 2 | 3;
/** The files of an export by path; in each version one has changed, and one has another name. */
const exported = (version: Version): Record<string, string> => ({
  "Geography/Lisbon.md": padding(version),
  "Geography/Europe/Oslo.md": padding(3),
  [`Geography/only ${version}.md`]: padding(4),
});
const scope = { account: "a", deck: undefined };
async function exportTo(folder: string, version: Version): Promise<void> {
  const target = await ExportFolder.open(folder, scope);
  for (const [path, text] of Object.entries(exported(version))) await target.write(path, text, { id: path });
  await target.finish();
}
const exports: Flow = {
  // The manifest lists a file before it is written: the next export makes the folder whole.
  harmless: [
    ["folder /out", 1, again],
    ["folder /", 1, again],
    ["folder /out/.deckhand", 1, again],
    ...[1, 2, 3].flatMap((nth) =>
      ["Geography", ".deckhand/tmp"].map((name) => [`folder /out/${name}`, nth, again] as const),
    ),
  ],
  async run(folder, told) {
    await exportTo(join(folder, "out"), 1);
    told("1");
    await exportTo(join(folder, "out"), 2);
    told("2");
  },
  async open(folder, told) {
    const out = join(folder, "out");
    for (const [path, text] of Object.entries(exported(2)))
      if (told.includes("2")) expect(readFileSync(join(out, path), "utf8"), path).toBe(text);
    if (told.length === 1)
      for (const [path, text] of Object.entries(exported(1)))
        if (existsSync(join(out, path)) || path.endsWith("Oslo.md"))
          expect([text, exported(2)[path]], path).toContain(readFileSync(join(out, path), "utf8"));
    // The next export makes the folder whole, and removes what an earlier one wrote, and nothing else.
    mkdirSync(out, { recursive: true });
    const next = told.includes("2") ? 3 : 2;
    await exportTo(out, next);
    if (told.length > 0) expect(existsSync(join(out, `Geography/only ${next - 1}.md`))).toBe(false);
    for (const [path, text] of Object.entries(exported(next)))
      expect(readFileSync(join(out, path), "utf8"), path).toBe(text);
  },
};

/**
 * A sync writes files of cards; what its state says is agreed on has to be in the folder, or else known to be under way. The
 * state is SQLite's own matter: a log stands for it here.
 */
const syncedFolder: Flow = {
  harmless: [
    ["folder /cards", 1, again],
    ["folder /cards", 2, again],
    ["folder /cards/.deckhand/tmp", 3, again],
  ],
  async run(folder, told) {
    mkdirSync(join(folder, "cards"));
    const state = new AppendLog(join(folder, "state.ndjson"));
    let last = 0;
    const kept: object[] = [];
    const files = new FolderWriter<string>(join(folder, "cards"), {
      owner: "me",
      step: async () => {},
      begin(changes) {
        const numbers = changes.map(() => ++last);
        for (const [index, change] of changes.entries()) state.append({ begin: numbers[index], change });
        state.sync();
        return numbers;
      },
      end(numbers, keep) {
        keep();
        state.append({ end: numbers, kept: kept.splice(0) });
      },
    });
    const agreed = (id: string, path: string, text: number): Write<string> => ({
      ...{ path, content: padding(text), about: id },
      record: ({ hash }) => kept.push({ id, path, hash }),
    });
    const [one, two] = [agreed("c1", "Deck 1/a.md", 1), agreed("c2", "Deck 2/a.md", 2)];
    await files.commit([one, two].flatMap((write) => files.prepare(write) ?? []));
    await files.write({ ...agreed("c1", "Deck 1/a.md", 7), expected: hashOf(padding(1)) });
    if (files.move("Deck 2/a.md", "Moved/b.md"))
      state.append({ id: "c2", path: "Moved/b.md", hash: hashOf(padding(2)) });
    await files.write(agreed("c3", "Deck 3/a.md", 3));
    if (await files.trash("Deck 3/a.md", hashOf(padding(3)), () => true)) state.append({ gone: "c3" });
    state.sync();
    state.close();
    told("synced");
  },
  async open(folder, told) {
    const cards = join(folder, "cards");
    const there = (path: string) => existsSync(join(cards, path));
    const [agreed, open] = [new Map<string, { path: string; hash: string }>(), new Map<number, FileChange>()];
    const log = join(folder, "state.ndjson");
    for (const text of existsSync(log) ? readFileSync(log, "utf8").split("\n") : []) {
      if (checksumState(Buffer.from(text)) !== "good") continue;
      const line = JSON.parse(text);
      if (line.begin !== undefined) open.set(line.begin, line.change);
      else if (line.end !== undefined) {
        for (const number of line.end) open.delete(number);
        for (const each of line.kept) agreed.set(each.id, each);
      } else if (line.gone !== undefined) agreed.delete(line.gone);
      else agreed.set(line.id, line);
    }
    const underWay = new Set([...open.values()].map(({ path }) => path));
    for (const [id, { path, hash }] of agreed) {
      if (underWay.has(path)) continue;
      // A file that was moved is found by its id, one that was moved to the trash is not missed.
      const elsewhere = { c2: "Moved/b.md", c3: ".deckhand/trash/Deck 3/a.md" }[id];
      const found = [path, ...(elsewhere === undefined ? [] : [elsewhere])].find(there);
      expect(found, path).toBeDefined();
      expect(hashOf(readFileSync(join(cards, found ?? ""))), path).toBe(hash);
    }
    // Every file is known, or known to be under way: another one would be a new card.
    const known = [...[...agreed.values()].map(({ path }) => path), ...underWay, "Moved/b.md"];
    for (const name of existsSync(cards) ? readdirSync(cards, { recursive: true }).map(String) : [])
      if (name.endsWith(".md") && !name.startsWith(".deckhand")) expect(known).toContain(name);
    for (const { op, path, aside = "", temporary = "", written } of open.values()) {
      if (op !== "create") expect(there(path) || there(aside)).toBe(true);
      // The temporary file is missing only if the file has its name.
      if (op !== "trash" && !there(temporary))
        expect(hashOf(readFileSync(join(cards, path)))).toBe(written?.hash);
    }
    if (!told.includes("synced")) return;
    expect([...agreed.keys()].sort()).toEqual(["c1", "c2"]);
    expect([there("Deck 3/a.md"), there(".deckhand/trash/Deck 3/a.md")]).toEqual([false, true]);
  },
};

const attachments: Flow = {
  harmless: [["folder /service/attachments", 1, again]],
  async run(folder, told) {
    const store = { write: async () => {}, read: async () => [] } as unknown as Store;
    const blobs = new FileBlobs(join(folder, "service", "attachments"), store);
    for (let number = 1; number <= steps; number++) {
      const received = await blobs.receive("a", Readable.from([Buffer.from(padding(number))]), 1e6);
      await blobs.keep(undefined as never, "a", received);
      told(received.hash);
    }
  },
  async open(folder, told) {
    const root = join(folder, "service", "attachments");
    for (const hash of told) expect(hashOfFile(join(root, hash.slice(0, 2), hash.slice(2)))).toBe(hash);
    for (const name of existsSync(root) ? readdirSync(root).filter((each) => /^[0-9a-f]{2}$/.test(each)) : [])
      for (const rest of readdirSync(join(root, name)))
        expect(hashOfFile(join(root, name, rest))).toBe(name + rest);
  },
};
const hashOfFile = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

const setAside: Flow = {
  async prepare(folder) {
    mkdirSync(join(folder, "data"));
    await saveStream(Readable.from(["damaged"]), join(folder, "data", "a"), { replace: false });
  },
  async run(folder, told) {
    const aside = new Aside(join(folder, "data", "set-aside", "1"));
    aside.note({ row: 1 });
    told("noted");
    aside.move(join(folder, "data", "a"));
    told("moved");
    aside.close();
  },
  async open(folder, told) {
    const moved = join(folder, "data", "set-aside", "1", "a");
    const [here, there] = [existsSync(join(folder, "data", "a")), existsSync(moved)];
    expect(here || there).toBe(true);
    if (told.includes("moved")) expect(there).toBe(true);
    const notes = join(folder, "data", "set-aside", "1", "damaged.ndjson");
    if (told.includes("noted")) expect(statSync(notes).size).toBeGreaterThan(10);
  },
};

/** A backup with the word `new` everywhere, and the folder of a collection with `old`; neither changes. */
let [newBackup, oldHome] = ["", ""];
/** The bytes of the stores, once they are opened as a restored one is. */
const stores: Record<string, string> = {};
const ownFiles = (home: string) => ({
  "reviews/local.jsonl": join(home, "data/reviews/local.jsonl"),
  "sync/a.ndjson": join(home, "state/sync/a.ndjson"),
});
/** The backup lacks the state of sync. */
const filesOf = (home: string, word: string) =>
  Object.entries(ownFiles(home))
    .map(([name, path]) => ({ name, path }))
    .filter(({ name }) => word === "old" || name !== "sync/a.ndjson");
const storeOf = (data: string) => hashOfFile(join(data, "service/store.sqlite"));

async function fill(home: string, word: string): Promise<void> {
  await withCollection(join(home, "data"), async (client) => {
    const [card = ""] = await makeCards(client, [word]);
    const source = async () => ({ stream: Readable.from([Buffer.from(word)]), size: word.length });
    await client.attachments.add(card, { fileName: "a.txt", source });
  });
  const store = join(home, "data/service/store.sqlite");
  using(store, (database) => database.exec("vacuum; pragma wal_checkpoint(truncate)"));
  for (const suffix of ["-wal", "-shm"]) rmSync(`${store}${suffix}`, { force: true });
  for (const { path } of filesOf(home, word)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ word }));
  }
}

beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), "deckhand-test-"));
  oldHome = join(root, "old");
  newBackup = join(root, "new.tar");
  await fill(oldHome, "old");
  await fill(join(root, "new"), "new");
  const folder = join(root, "new/data/service");
  const files = filesOf(join(root, "new"), "new");
  await writeBackup({ folder, target: newBackup, files, attachments: true, now: 0 });
  await restoreTo(join(root, "restored"), undefined);
  stores["old"] = storeOf(join(oldHome, "data"));
  stores["new"] = storeOf(join(root, "restored/data"));
  return () => rmSync(root, { recursive: true, force: true });
});

const restoreTo = (home: string, aside: string | undefined) =>
  restoreBackup({
    file: newBackup,
    folder: join(home, "data/service"),
    takes: () => true,
    present: () => filesOf(home, "old"),
    log: "reviews/local.jsonl",
    aside,
  });

/** Expects the store and the attachments to be of one collection. @returns its word; undefined where there is none */
function wordIn(home: string): string | undefined {
  const data = join(home, "data");
  if (!existsSync(join(data, "service"))) return undefined;
  const word = Object.keys(stores).find((each) => stores[each] === storeOf(data));
  expect(word, "the store is one of the two").toBeDefined();
  const hash = hashOf(Buffer.from(word ?? ""));
  expect(hashOfFile(join(data, "service/attachments", hash.slice(0, 2), hash.slice(2)))).toBe(hash);
  return word;
}

/** Expects the files besides to be of a collection, too. */
function expectFiles(home: string, word: string): void {
  const of = filesOf(home, word);
  for (const { name, path } of filesOf(home, "old"))
    if (of.some((each) => each.name === name))
      expect(readFileSync(path, "utf8"), path).toBe(JSON.stringify({ word }));
    else expect(existsSync(path), path).toBe(false);
}

const backup: Flow = {
  async prepare(folder) {
    cpSync(oldHome, folder, { recursive: true });
  },
  async run(folder, told) {
    for (const now of [1, 2]) {
      const files = filesOf(folder, "old");
      const target = join(folder, "cards.tar");
      await writeBackup({ folder: join(folder, "data/service"), target, files, attachments: true, now });
      told(String(now));
    }
  },
  async open(folder, told) {
    const target = join(folder, "cards.tar");
    expect(existsSync(target) || told.length === 0).toBe(true);
    if (existsSync(target)) {
      const { created, files } = await readBackup(target);
      expect(Date.parse(created)).toBeGreaterThanOrEqual(lastOf(told));
      expect(files).toBe(1);
    }
    expect(wordIn(folder)).toBe("old");
  },
};

/** Opens the collection, as the next program does. */
async function complete(folder: string): Promise<void> {
  const service = join(folder, "data/service");
  if (existsSync(service) || existsSync(`${service}.restored`))
    await (await openStore({ folder: service })).close();
}

/** What is built beside the collection is thrown away unless it gets its name. */
const discarded = "the folder is removed after a power failure";
const beside = [
  ["folder /data/.service.tmp/reviews", "each", discarded],
  ["folder /data/.service.tmp/foreign", "each", discarded],
  ["file /data/.service.tmp/foreign/.store.sqlite.tmp", "each", discarded],
  ["folder /data/.service.tmp", 1, again],
  ["folder /data/.service.tmp", 2, again],
  ["folder /data/.service.tmp", 3, again],
  ["folder /data/.service.tmp/service", 1, again],
  ["folder /data/.service.tmp/service", 2, again],
  ["folder /data", 1, again],
  ["folder /data", 2, again],
] as const;

const restoreReplacing: Flow = {
  harmless: [
    ...beside,
    ["folder /data/set-aside/1", 1, again],
    ["folder /data/reviews", 1, again],
    ["folder /data", 5, again],
  ],
  async prepare(folder) {
    cpSync(oldHome, folder, { recursive: true });
  },
  async run(folder, told) {
    await restoreTo(folder, join(folder, "data/set-aside/1"));
    told("restored");
  },
  async open(folder, told) {
    await complete(folder);
    const word = wordIn(folder);
    const log = readFileSync(join(folder, "data/reviews/local.jsonl"), "utf8");
    expect(log, "the log is of the collection").toBe(JSON.stringify({ word }));
    if (word === "old") return expect(told).toEqual([]);
    expect(word).toBe("new");
    const aside = join(folder, "data/set-aside/1");
    expect(storeOf(aside)).toBe(stores["old"]);
    for (const { name } of filesOf(folder, "old"))
      expect(readFileSync(join(aside, name), "utf8"), name).toBe(JSON.stringify({ word: "old" }));
    if (told.length > 0) expectFiles(folder, "new");
  },
};

const restoreNew: Flow = {
  harmless: [
    ...beside,
    ["folder /data/.service.tmp/service/reviews", 1, again],
    ["folder /data", 3, again],
    ["folder /data", 4, again],
  ],
  async run(folder, told) {
    await restoreTo(folder, undefined);
    told("restored");
  },
  async open(folder, told) {
    await complete(folder);
    const word = wordIn(folder);
    if (told.length > 0) {
      expect(word).toBe("new");
      expectFiles(folder, "new");
    } else expect(["new", undefined]).toContain(word);
  },
};

const flows = {
  reviewLog,
  settings,
  keys,
  download,
  exports,
  syncedFolder,
  attachments,
  setAside,
  backup,
  restoreReplacing,
  restoreNew,
};

describe.each(Object.entries(flows))("after a power failure, %s", (name, flow) => {
  it("has all that was acknowledged, and nothing is misread", async () => {
    const recording = await recordingOf(flow);
    const { opened, failure } = await firstFailure(flow, recording, { most });
    expect(failure).toBeUndefined();
    expect(opened).toBeGreaterThan(5);
    figure(`states after a power failure: ${name}`, { events: recording.events.length, opened, failures: 0 });
  }, 3_600_000);

  it("would lack something if any of its syncs were left out", async () => {
    const recording = await recordingOf(flow);
    const all = syncsOf(recording);
    const syncs = all.filter(({ needed }) => needed);
    const named = (flow.harmless ?? []).flatMap(([what, nth]) => {
      const same = all.filter((sync) => sync.what === what);
      if (nth === "each") return same.map(({ index }) => index);
      const index = (nth === "last" ? same.at(-1) : same[nth - 1])?.index;
      expect(index, `${what}, ${nth}`).toBeDefined();
      return index;
    });
    const wrong: string[] = [];
    for (const { index, what } of syncs) {
      const isNamed = named.includes(index);
      // That nothing is lost takes all states.
      if (isNamed && !isSoak) continue;
      const options = { most: count("disk_states_without", 1000, 10_000), without: [index] };
      const { failure } = await firstFailure(flow, recording, options);
      if ((failure === undefined) !== isNamed)
        wrong.push(
          `${all.filter((sync) => sync.what === what).findIndex((sync) => sync.index === index) + 1} of ${what}: ${failure ?? "nothing is lost"}`,
        );
    }
    expect(wrong).toEqual([]);
    const failed = syncs.length - named.length;
    figure(`syncs left out one by one: ${name}`, {
      all: all.length,
      nothingToSync: all.length - syncs.length,
      failed,
      harmless: flow.harmless ?? [],
    });
  }, 3_600_000);
});
