import { mkdtempSync, readdirSync, rmSync } from "node:fs";
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
/** Milliseconds, as the process told them. */
const longestWait = (run: ScriptRun) =>
  Math.max(
    0,
    ...run.lines
      .map((line) => JSON.parse(line) as { type?: string; ms: number })
      .filter((event) => event.type === "waited")
      .map((event) => event.ms),
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
    expect(longestWait(late)).toBeGreaterThan(0);
    expect(longestWait(late)).toBeLessThan(3000);
    expect(service.mostAtOnce).toBe(1);
  });

  it("wait less than six seconds for one that was killed with the lock", async () => {
    service = await strictService((url) => (url.includes("dead") ? new Promise(() => {}) : 1));
    const dead = start("dead", 1);
    await waitFor(() => arrived("dead") === 1, "the one to be killed holds the lock");
    dead.process.kill("SIGKILL");
    await dead.ended;
    const heir = start("heir", 1);
    expect(await heir.ended).toEqual(succeeded);
    // Not from here to its end: on a busy machine, starting a process may take as long.
    expect(longestWait(heir)).toBeLessThan(6000);
  });

  it("go on without one that was stopped, which goes on when it is woken", async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let letHeirFinish = () => {};
    const heirHeld = new Promise<void>((resolve) => {
      letHeirFinish = resolve;
    });
    service = await strictService((url) =>
      url.includes("stopped-1") ? held : url.includes("heir-2") ? heirHeld : 1,
    );
    const stopped = start("stopped", 3);
    await waitFor(() => arrived("stopped") === 1, "the one to be stopped holds the lock");
    stopped.process.kill("SIGSTOP");
    const heir = start("heir", 3);
    await waitFor(() => arrived("heir") === 2, "the heir has the lock for its second request", 8000);
    finish();
    stopped.process.kill("SIGCONT");
    await waitFor(
      () => stopped.lines.some((line) => line.includes('"done":1')),
      "the stopped one has its answer",
    );
    // It gave back a lock that it no longer had: the heir's must still be there.
    await waitFor(
      () => stopped.lines.some((line) => line.includes('"other-process"')),
      "it waits for the heir",
    );
    expect(arrived("stopped")).toBe(1);
    letHeirFinish();
    expect(await stopped.ended).toEqual(succeeded);
    expect(await heir.ended).toEqual(succeeded);
  });

  it("remove the lock when they end, and leave no key in file names", async () => {
    service = await strictService(() => 1);
    expect(await start("one", 3, { key: "secret-key" }).ended).toEqual(succeeded);
    const files = readdirSync(folder);
    expect(files.filter((name) => name.endsWith(".lock"))).toEqual([]);
    expect(files.join()).not.toContain("secret-key");
  });
});

describe("a process that exits in the middle of a request", () => {
  it("leaves no lock", async () => {
    service = await strictService(() => new Promise(() => {}));
    const gone = start("gone", 1, { exits: true });
    await waitFor(() => arrived("gone") === 1, "its request is under way");
    gone.process.kill("SIGUSR2");
    expect(await gone.ended).toEqual(succeeded);
    expect(readdirSync(folder).filter((name) => name.endsWith(".lock"))).toEqual([]);
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
