import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { withChecksum } from "../../src/files/checksum.ts";
import { storeFindings } from "../../src/service/check/index.ts";
import { type Cli, cli } from "../support/cli.ts";
import { makeCards, withCollection } from "../support/collection.ts";
import { killAtRandom } from "../support/crash.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededRandom } from "../support/random.ts";
import { count, figure, seed } from "../support/soak.ts";

/** What a backup has besides that is restored, by what tells two collections apart. */
const files = {
  log: "data/reviews/local.jsonl",
};

/** Makes a collection whose cards, attachments and files all contain a word. */
async function fill(home: string, word: string): Promise<void> {
  await withCollection(join(home, "data"), async (client) => {
    const ids = await makeCards(
      client,
      Array.from({ length: 12 }, (_, at) => `${word} ${at}`),
    );
    for (const id of ids.slice(0, 3)) {
      const source = async () => ({
        stream: Readable.from([Buffer.from(word + id)]),
        size: word.length + id.length,
      });
      await client.attachments.add(id, { fileName: "a.txt", source });
    }
  });
  for (const path of Object.values(files)) mkdirSync(join(home, path, ".."), { recursive: true });
  for (const path of [files.log])
    writeFileSync(join(home, path), `${withChecksum(JSON.stringify({ type: "sent", id: word }))}\n`);
}

/**
 * The word of a collection, all of which has to be there; undefined where there is none. A copy is read: a look would
 * leave the store open in this process, where SQLite is the drop-in of older Nodes.
 */
async function wordOf(place: string): Promise<string | undefined> {
  if (!existsSync(join(place, "service"))) return undefined;
  const data = temporaryFolder();
  cpSync(join(place, "service"), join(data, "service"), { recursive: true });
  const contents = await withCollection(data, async (client) => {
    const found: string[] = [];
    for (const { id, content = "" } of (await client.cards.list({ limit: 100 })).docs) {
      const word = content?.split(" ")[0] ?? "";
      if ((await client.attachments.list(id)).length > 0)
        expect(await client.attachments.fetch(id, "a.txt", ({ body }) => text(body))).toBe(word + id);
      found.push(word);
    }
    return found;
  });
  if (contents.length === 0) return undefined;
  expect(contents.length).toBe(12);
  expect(new Set(contents).size).toBe(1);
  const findings: unknown[] = [];
  const quiet = { cards() {}, attachments() {} };
  for await (const finding of storeFindings(join(data, "service"), quiet)) findings.push(finding);
  expect(findings).toEqual([]);
  return contents[0];
}

const textOf = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** Runs the program and kills it: at a moment, or at a call that changes files. */
async function runAndKill(
  home: Cli,
  args: readonly string[],
  { calls, within, random }: KillOptions,
): Promise<void> {
  const byCall = random() < 0.5;
  const env = byCall ? { DIE_AT: String(1 + Math.floor(random() * calls)) } : {};
  const child = home.start(args, { env: { ...hooked, ...env } });
  child.stdin?.end();
  if (byCall) await new Promise((done) => child.once("close", done));
  else await killAtRandom(child, random, within);
}

interface KillOptions {
  /** How many calls there are that change files. */
  readonly calls: number;
  /** How long it takes, in milliseconds. */
  readonly within: number;
  random(): number;
}

const hooked = { NODE_OPTIONS: `--require ${resolve("test/support/programs/die-at.cjs")}` };

describe("a restore that is killed at any moment", () => {
  let [old, backup] = ["", ""];
  const place = () => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    onTestFinished(() => home.remove());
    return home;
  };
  beforeAll(async () => {
    const [before, made] = [cli(), cli({ DECKHAND_PROFILE: "local" })];
    await fill(before.home, "old");
    await fill(made.home, "new");
    backup = join(made.home, "cards.tar");
    await made.ok(["backup", backup]);
    old = before.home;
    return () => {
      before.remove();
      made.remove();
    };
  });

  const kills = count("restore_kills", 2, 80);

  /** How long a restore takes, and how many calls of it change files. */
  async function measure(home: Cli, args: readonly string[]): Promise<Omit<KillOptions, "random">> {
    const counted = join(home.home, "calls");
    const began = performance.now();
    await home.ok(args, { env: { ...hooked, COUNT_CALLS: counted } });
    return { calls: Number(readFileSync(counted, "utf8")), within: performance.now() - began };
  }

  it("with --replace leaves the old collection or the new one, the old one is found, and again it completes", async () => {
    const home = place();
    const args = ["backup", "restore", backup, "--replace", "--yes"];
    const data = join(home.home, "data");
    const reset = () => {
      rmSync(home.home, { recursive: true });
      cpSync(old, home.home, { recursive: true });
    };
    reset();
    const options = { ...(await measure(home, args)), random: seededRandom(seed) };
    const counts: Record<string, number> = {};
    for (let kill = 1; kill <= kills; kill++) {
      reset();
      await runAndKill(home, args, options);
      const begun = existsSync(join(data, "service.restored")) ? ", completed by the next program" : "";
      await home.ok(["decks", "list"]);
      const word = await wordOf(data);
      counts[`${word}${begun}`] = (counts[`${word}${begun}`] ?? 0) + 1;
      expect(["old", "new"]).toContain(word);
      expect(textOf(join(home.home, files.log)), "the log of the same collection").toContain(word);
      await home.ok(args);
      expect(await wordOf(data)).toBe("new");
      for (const path of Object.values(files)) expect(textOf(join(home.home, path)), path).toContain("new");
      await expectOldAside(data);
      expect(readdirSync(data).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    }
    figure("restores with --replace killed", { kills, calls: options.calls, counts });
  }, 3_600_000);

  /** The folders of what was set aside have the old collection, and its files. */
  async function expectOldAside(data: string): Promise<void> {
    const names = readdirSync(join(data, "set-aside"));
    const folders = names.map((name) => join(data, "set-aside", name));
    const words = await Promise.all(folders.map(wordOf));
    expect(words).toContain("old");
    for (const name of ["reviews/local.jsonl"])
      expect(folders.map((folder) => textOf(join(folder, name))).join(""), name).toContain("old");
  }

  it("into an empty collection leaves none or the whole one, and again it completes", async () => {
    const home = place();
    const args = ["backup", "restore", backup];
    const data = join(home.home, "data");
    const reset = () => {
      rmSync(home.home, { recursive: true });
      mkdirSync(home.home);
    };
    const options = { ...(await measure(home, args)), random: seededRandom(seed + 1) };
    const counts: Record<string, number> = {};
    for (let kill = 1; kill <= kills; kill++) {
      reset();
      await runAndKill(home, args, options);
      const begun = existsSync(join(data, "service.restored"));
      const whole = existsSync(join(data, "service/store.sqlite"));
      const again = await home.run(args);
      // One that was killed after its last step is there, and a second one is refused.
      expect(whole ? [0, 5] : [0], again.stderr).toContain(again.code);
      expect(await wordOf(data)).toBe("new");
      for (const path of Object.values(files)) expect(textOf(join(home.home, path)), path).toContain("new");
      const state = whole ? "new" : begun ? "none, with a folder that the next restore replaces" : "none";
      counts[state] = (counts[state] ?? 0) + 1;
    }
    figure("restores into an empty collection killed", { kills, calls: options.calls, counts });
  }, 3_600_000);
});
