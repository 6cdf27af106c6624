import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundledScript, type Script, type ScriptRun } from "../support/script.ts";
import { type StrictService, strictService } from "../support/strict-service.ts";
import { waitFor } from "../support/wait-for.ts";

let sender: Script;
let folder: string;
let runs: ScriptRun[] = [];
let service: StrictService | undefined;

beforeAll(async () => {
  sender = await bundledScript("test/support/sender.ts");
});
afterAll(() => sender.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deckhand-throttle-"));
});
afterEach(async () => {
  for (const run of runs) run.process.kill("SIGKILL");
  await Promise.all(runs.map((run) => run.ended));
  runs = [];
  await service?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

function start(name: string, count: number, options: object = {}): ScriptRun {
  const run = sender.start({ baseUrl: service?.url, key: "a-key", folder, count, name, ...options });
  runs.push(run);
  return run;
}

const arrived = (name: string) =>
  service?.requests.filter((request) => request.url.startsWith(`/cards/${name}-`)).length ?? 0;
/** Milliseconds that a request took with its wait, as the process reported them. */
const longestRequest = (run: ScriptRun) =>
  Math.max(
    0,
    ...run.lines
      .map((line) => JSON.parse(line) as { done?: number; ms: number })
      .filter(({ done }) => done !== undefined)
      .map(({ ms }) => ms),
  );
const succeeded = { code: 0, signal: null, stderr: "" };

describe("several processes of one account", () => {
  it("send one request at a time, and none starves", async () => {
    service = await strictService(() => 2);
    const names = ["a", "b", "c", "d", "e"];
    const started = names.map((name) => start(name, 20));
    expect(await Promise.all(started.map((run) => run.ended))).toEqual(names.map(() => succeeded));
    expect(service.requests).toHaveLength(100);
    expect(service.mostAtOnce).toBe(1);
  });

  it("let one in that comes later while another sends without a pause", async () => {
    service = await strictService(() => 60);
    const busy = start("busy", 100_000);
    await waitFor(() => arrived("busy") > 5, "the busy one sends");
    const late = start("late", 5);
    expect(await late.ended).toEqual(succeeded);
    expect(busy.process.exitCode).toBeNull();
    expect(late.lines.join("\n")).toContain('"other-process"');
    expect(longestRequest(late)).toBeLessThan(3000);
    expect(service.mostAtOnce).toBe(1);
  });

  it("hardly wait for one that was killed with the lock", async () => {
    service = await strictService((url) => (url.includes("dead") ? new Promise(() => {}) : 1));
    const dead = start("dead", 1);
    await waitFor(() => arrived("dead") === 1, "the one to be killed holds the lock");
    dead.process.kill("SIGKILL");
    await dead.ended;
    const heir = start("heir", 1);
    expect(await heir.ended).toEqual(succeeded);
    // Not from here to its end: on a busy machine, starting a process may take as long.
    expect(longestRequest(heir)).toBeLessThan(1000);
  });

  it("wait for one that is stopped, whose turn nobody takes, and say which one it is", async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    service = await strictService((url) => (url.includes("stopped-1") ? held : 1));
    const stopped = start("stopped", 3);
    await waitFor(() => arrived("stopped") === 1, "the one to be stopped holds the lock");
    stopped.process.kill("SIGSTOP");
    const heir = start("heir", 3);
    await waitFor(() => heir.lines.length > 0, "the heir waits", 8000);
    expect(JSON.parse(heir.lines[0] ?? "")).toMatchObject({
      why: "other-process",
      who: `deckhand (process ${stopped.process.pid})`,
    });
    finish();
    expect(arrived("heir")).toBe(0);
    stopped.process.kill("SIGCONT");
    expect(await Promise.all([stopped.ended, heir.ended])).toEqual([succeeded, succeeded]);
    expect(service.mostAtOnce).toBe(1);
  });

  it("leave no key in file names or files", async () => {
    service = await strictService(() => 1);
    expect(await start("one", 3, { key: "secret-key" }).ended).toEqual(succeeded);
    const files = readdirSync(folder);
    const texts = files.map((name) => readFileSync(join(folder, name), "utf8"));
    expect([...files, ...texts].join()).not.toContain("secret-key");
  });
});

describe("processes of two accounts", () => {
  it("do not wait for each other", async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    service = await strictService((url) => (url.includes("slow") ? held : 1));
    const slow = start("slow", 1, { key: "one-key" });
    await waitFor(() => arrived("slow") === 1, "the slow one is under way");
    expect(await start("quick", 3, { key: "other-key" }).ended).toEqual(succeeded);
    finish();
    expect(await slow.ended).toEqual(succeeded);
    expect(service.mostAtAll).toBe(2);
  });
});
