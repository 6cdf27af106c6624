import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bundle } from "../support/bundle.ts";
import { type Cli, cli, serve } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { canTrace, type SystemCall, traced, tracedNode } from "../support/traced.ts";

// What a crash of the machine leaves cannot be tested here; that it is asked in time to keep things, it can.
const traceable = canTrace();

function place(): Cli {
  const home = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => home.remove());
  return home;
}

/** Whether everything that was written to files of that name was synced before a moment. */
function syncedBefore(calls: readonly SystemCall[], file: RegExp, end: number): boolean {
  const before = calls.slice(0, end);
  const last = (name: SystemCall["name"]) =>
    before.findLastIndex((call) => call.name === name && file.test(call.path));
  return last("write") !== -1 && last("sync") > last("write");
}

const firstPrinted = (calls: readonly SystemCall[]) => calls.findIndex(({ path }) => path === "stdout");

/** A file that was written under another name was synced before it got its own. */
function expectSyncedThenNamed(calls: readonly SystemCall[], file: string): void {
  const at = calls.findIndex(({ name, to }) => name === "rename" && to === file);
  expect(at, `${file} gets its name`).not.toBe(-1);
  const path = calls[at]?.path ?? "";
  const before = calls.find(({ name, to }) => name === "rename" && to === path)?.path ?? path;
  const names = [path, before].map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  expect(syncedBefore(calls, new RegExp(`^(?:${names.join("|")})$`), at), `${path} is synced first`).toBe(
    true,
  );
}

describe.skipIf(!traceable)("what is told as done was handed to the disk before (with strace only)", () => {
  let local: Cli;
  beforeAll(() => {
    local = cli({ DECKHAND_PROFILE: "local" });
    return () => local.remove();
  });

  it("a deck or card of the local service, before its id is printed", async () => {
    const calls = await traced(local, ["decks", "create", "Geography", "-o", "id"]);
    expect(firstPrinted(calls)).not.toBe(-1);
    expect(syncedBefore(calls, /store\.sqlite-wal$/, firstPrinted(calls))).toBe(true);
  });

  it("an attachment, before it has its name; and the name, before it is told", async () => {
    const deck = (await local.ok(["decks", "create", "Rivers"])).trim();
    const card = (await local.ok(["cards", "create", "--deck-id", deck, "--content", "x"])).trim();
    const file = join(local.home, "a.txt");
    writeFileSync(file, "content");
    const calls = await traced(local, ["attach", "add", card, file]);
    const named = calls.find(({ name, path }) => name === "rename" && path.includes("incoming"))?.to ?? "";
    expectSyncedThenNamed(calls, named);
    const at = (name: SystemCall["name"], path: string) =>
      calls.findIndex((call) => call.name === name && (call.to ?? call.path) === path);
    expect(at("sync", dirname(named))).toBeGreaterThan(at("rename", named));
    expect(at("sync", dirname(named))).toBeLessThan(firstPrinted(calls));
  });

  it("settings", async () => {
    const home = place();
    const calls = await traced(home, ["config", "set", "timeout", "5s"]);
    expectSyncedThenNamed(calls, join(home.home, "config", "config.json"));
  });

  it("keys", async () => {
    const home = place();
    const service = await serve(home);
    onTestFinished(async () => void (await service.stop("SIGKILL")));
    const login = ["auth", "login", "--profile", "work", "--base-url", service.url, "--key-stdin"];
    const calls = await traced(home, login, `${service.key}\n`);
    expectSyncedThenNamed(calls, join(home.home, "config", "credentials.json"));
  });

  it("a download", async () => {
    const deck = (await local.ok(["decks", "create", "Lakes"])).trim();
    const card = (await local.ok(["cards", "create", "--deck-id", deck, "--content", "x"])).trim();
    const file = join(local.home, "b.txt");
    writeFileSync(file, "content");
    await local.ok(["attach", "add", card, file]);
    const target = join(local.home, "out.txt");
    const calls = await traced(local, ["attach", "get", card, "b.txt", "--output-file", target]);
    expectSyncedThenNamed(calls, target);
  });

  it("an answer in the review log, before the next card is shown", async () => {
    const folder = temporaryFolder();
    const writer = await bundle("test/support/programs/file-writer.ts", folder);
    const options = { what: "log", folder: join(folder, "reviews"), from: 1, count: 3 };
    const calls = await tracedNode([writer, JSON.stringify(options)], folder);
    const told = calls
      .filter(({ path }) => path === "stdout" || path.endsWith("log.jsonl"))
      .map(({ name, path }) => (path === "stdout" ? "told" : name));
    expect(told.join(" ")).toMatch(/^(write sync told ?){3}$/);
  });

  it("what an import is about to create, in its record, before it is sent", async () => {
    const home = place();
    const service = await serve(home);
    onTestFinished(async () => void (await service.stop("SIGKILL")));
    const remote: Cli = {
      ...home,
      env: {
        ...home.env,
        DECKHAND_PROFILE: "",
        DECKHAND_BASE_URL: service.url,
        DECKHAND_API_KEY: service.key,
      },
    };
    const deck = (await home.ok(["decks", "create", "Geography"], { env: remote.env })).trim();
    const file = join(home.home, "cards.csv");
    writeFileSync(file, "front,back\na,b\nc,d\ne,f\n");
    const calls = await traced(remote, ["import", file, "--deck-id", deck, "--yes"]);
    const journal = calls.filter(({ path }) => /imports\.db-wal$/.test(path)).map(({ name }) => name);
    const lines = journal.join(" ").match(/write sync/g) ?? [];
    expect(lines.length).toBeGreaterThan(0);
    expect(journal.join(" ")).not.toMatch(/write$/);
  });
});
