import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfig } from "../../src/config/config-file.ts";
import { readCredentials } from "../../src/config/credentials.ts";
import { readSnapshot } from "../../src/decks/snapshot.ts";
import { readLog } from "../../src/review/session/history.ts";
import { killAtRandom } from "../support/crash.ts";
import { temporaryFolder } from "../support/folder.ts";
import { paddingOf, type WrittenFile, writtenFiles } from "../support/programs/file-writer.ts";
import { seededRandom } from "../support/random.ts";
import { bundledScript, type Script } from "../support/script.ts";
import { count, figure, seed } from "../support/soak.ts";
import { waitFor } from "../support/wait-for.ts";

let writer: Script;
beforeAll(async () => {
  writer = await bundledScript("test/support/programs/file-writer.ts");
});
afterAll(() => writer.remove());

const fileNames: Readonly<Record<WrittenFile, string>> = {
  config: "config.json",
  credentials: "credentials.json",
  names: "names-a.json",
  log: "log.jsonl",
};

/** The number that was written last, read as the program reads it. Fails for anything that is not one whole writing. */
async function lastNumber(what: WrittenFile, folder: string): Promise<number> {
  let number: number;
  let padding: unknown;
  if (what === "config") {
    const { config } = readConfig(folder);
    [number, padding] = [Number(config["number"]), config["number-padding"]];
  } else if (what === "credentials") {
    const { keys, problem } = readCredentials(folder, process.platform);
    expect(problem).toBeUndefined();
    const found = keys.get("number");
    [number, padding] = [Number(found?.origin), found?.key];
  } else if (what === "names") {
    const { decksRead, decks } = readSnapshot(folder, "a");
    [number, padding] = [decksRead, decks[0]?.name];
  } else {
    const { answers, damaged, torn } = await readLog(join(folder, fileNames.log));
    // A line that was broken off is told, and is the last one.
    expect(damaged.length).toBeLessThanOrEqual(torn ? 1 : 0);
    expect(answers.map(({ id }) => id)).toEqual(answers.map((_, at) => String(at + 1)));
    [number, padding] = [answers.length, answers.at(-1)?.read()?.pass];
  }
  expect(padding).toBe(paddingOf(number));
  return number;
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

for (const what of writtenFiles)
  it(`the ${what} file holds the old or the new, for its owner alone, whenever a writing is killed`, async () => {
    const kills = count("file_kills", 6, 150);
    const random = seededRandom(seed);
    const folder = join(temporaryFolder(), "private");
    mkdirSync(folder, { mode: 0o700 });
    const path = join(folder, fileNames[what]);
    let written = 0;
    let leftBehind = 0;
    let begun = 0;
    for (let kill = 0; kill < kills; kill++) {
      const run = writer.start({ what, folder, from: written + 1, count: 100_000 });
      await waitFor(() => run.lines.length > 0, "it writes", 20_000);
      const killed = killAtRandom(run.process, random, 40);
      // Whoever reads meanwhile sees no half, either; only the log grows before one's eyes.
      if (what !== "log") expect(await lastNumber(what, folder)).toBeGreaterThan(written);
      await killed;
      await run.ended;
      const acknowledged = Number(run.lines.at(-1));
      written = await lastNumber(what, folder);
      expect([acknowledged, acknowledged + 1]).toContain(written);
      if (written > acknowledged) begun++;
      expect([mode(path), mode(folder)]).toEqual(["600", "700"]);
      leftBehind += readdirSync(folder).filter((name) => !isKept(name, what)).length;
    }
    const last = writer.start({ what, folder, from: written + 1, count: 1 });
    expect(await last.ended).toMatchObject({ code: 0, stderr: "" });
    expect(await lastNumber(what, folder)).toBe(written + 1);
    expect(readdirSync(folder).filter((name) => !isLock(name))).toEqual([fileNames[what]]);
    expect(existsSync(path)).toBe(true);
    figure(`kill -9 while the ${what} file is written`, { kills, written, begun, leftBehind });
  }, 1_800_000);

const isLock = (name: string) => /\.(?:lockfile|holder)$/.test(name);
const isKept = (name: string, what: WrittenFile) => name === fileNames[what] || isLock(name);

for (const what of ["config", "credentials"] as const)
  it(`two processes that change the ${what} file at once lose no change`, async () => {
    const changes = count("changes_at_once", 6, 100);
    const folder = temporaryFolder();
    const names = ["a", "b"];
    const from = (name: string, at: number) => ({ what, folder, from: at, count: 1, name: `${name}${at}` });
    // Each change adds a name: one that is lost is missed at the end.
    const ended = await Promise.all(
      names.map(async (name) => {
        const runs = [];
        for (let at = 0; at < changes; at++) runs.push(await writer.start(from(name, at)).ended);
        return runs.filter(({ code, stderr }) => code !== 0 || stderr !== "");
      }),
    );
    expect(ended).toEqual([[], []]);
    const kept =
      what === "config"
        ? Object.keys(readConfig(folder).config).filter((name) => /^[ab]\d+$/.test(name))
        : [...readCredentials(folder, process.platform).keys.keys()];
    expect(kept.sort()).toEqual(
      names.flatMap((name) => Array.from({ length: changes }, (_, at) => `${name}${at}`)).sort(),
    );
  }, 600_000);
