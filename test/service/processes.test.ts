import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { bundle } from "../support/bundle.ts";
import { stock } from "../support/crash.ts";
import { docsOf, rawClient } from "../support/requests.ts";
import { openTestApplication, type TestApplication, temporaryFolder } from "../support/service.ts";

let program = "";
beforeAll(async () => {
  const folder = join("node_modules", `.deckhand-test-${process.pid}`);
  program = await bundle("test/support/programs/busy-writer.ts", folder, "cjs");
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

interface Writer {
  readonly child: ChildProcess;
  /** What it said when it ended: lines of words, the last line only if it is whole. */
  readonly said: Promise<string[][]>;
  readonly stderr: () => string;
}

function startWriter(folder: string, rounds: number): Writer {
  const child = spawn(process.execPath, [program, folder, String(rounds)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [output, errors] = ["", ""];
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  const said = new Promise<string[][]>((resolve) =>
    child.once("close", () => {
      const whole = output.slice(0, output.lastIndexOf("\n") + 1).split("\n");
      resolve(whole.filter((line) => line !== "").map((line) => line.split(" ")));
    }),
  );
  return { child, said, stderr: () => errors };
}

/** Looks for every acknowledged write. What was about to be deleted may be there or not. */
async function examine(application: TestApplication, acknowledged: readonly string[][]): Promise<void> {
  const ask = rawClient(application);
  const going = new Set(acknowledged.filter(([what]) => what === "going").map(([, card]) => card));
  for (const [what, id = "", detail = ""] of acknowledged) {
    if (what === "deck") expect((await ask("GET", `/decks/${id}`)).status).toBe(200);
    if (what === "gone") expect((await ask("GET", `/cards/${id}`)).status).toBe(404);
    if (going.has(id)) continue;
    if (what === "card") expect((await ask("GET", `/cards/${id}`)).status).toBe(200);
    if (what === "file")
      expect((await ask("GET", `/cards/${id}/attachments/${detail}`)).text).toMatch(/^content \d$/);
    if (what === "review") {
      const reviews = (await ask("GET", `/cards/${id}`)).body["reviews"] as unknown as {
        date: { date: string };
      }[];
      expect(reviews.map(({ date }) => date.date)).toContain(detail);
    }
  }
}

test("lets several processes create and write one new collection at the same time", async () => {
  const folder = await temporaryFolder();
  const writers = Array.from({ length: 4 }, () => startWriter(folder, 15));
  const said = await Promise.all(writers.map((writer) => writer.said));
  for (const writer of writers) expect(writer.stderr()).toBe("");
  for (const lines of said) expect(lines.at(-1)).toEqual(["done"]);
  const application = await openTestApplication({ folder });
  await examine(application, said.flat());
  const decks = docsOf(await rawClient(application)("GET", "/decks"));
  expect(decks.map((deck) => Number(deck["sort"]))).toEqual([0, 1, 2, 3]);
  const { integrity, named, stored } = await stock(folder);
  expect(integrity).toEqual([{ integrity_check: "ok" }]);
  expect(stored).toEqual(named);
});

test("loses no acknowledged write when it is killed at any moment, and a server that starts leaves no orphaned file", async () => {
  const folder = await temporaryFolder();
  const acknowledged: string[][] = [];
  for (let round = 0; round < 12; round++) {
    const writer = startWriter(folder, 10_000);
    const until = 1 + ((round * 7) % 23);
    let lines = 0;
    writer.child.stdout?.on("data", (chunk) => {
      lines += String(chunk).split("\n").length - 1;
      if (lines >= until) writer.child.kill("SIGKILL");
    });
    acknowledged.push(...(await writer.said));
    expect(writer.stderr()).toBe("");
  }
  expect(acknowledged.length).toBeGreaterThan(50);
  const application = await openTestApplication({ folder });
  await examine(application, acknowledged);
  await application.preload();
  const { integrity, named, stored } = await stock(folder);
  expect(integrity).toEqual([{ integrity_check: "ok" }]);
  expect(stored).toEqual(named);
});
