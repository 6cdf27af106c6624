import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { cli } from "../support/cli.ts";
import { killAtRandom } from "../support/crash.ts";
import { temporaryFolder } from "../support/folder.ts";
import { moodyService } from "../support/moody-service.ts";
import { seededRandom } from "../support/random.ts";
import { count, figure, seed } from "../support/soak.ts";
import { compare, edit, Model, round, World, withoutKind } from "../sync/model.ts";
import { syncedFolder } from "../sync/support.ts";
import { clientOf } from "../transfer/support.ts";

test("a sync that is killed while answers are lost loses and doubles nothing", async () => {
  const kills = count("sync_kills", 4, 200);
  const random = seededRandom(seed);
  const service = await moodyService();
  const home = cli({
    ...{ DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key, DECKHAND_RETRIES: "0" },
    DECKHAND_PROFILE: "",
  });
  onTestFinished(() => home.remove());
  const root = join(temporaryFolder(), "cards");
  const client = clientOf(service.application);
  const synced = syncedFolder({ client, root, statePath: join(temporaryFolder(), "unused") });
  const world = new World(synced, [await synced.deck("A"), await synced.deck("B")]);
  const args = ["sync", root, "--yes", "--max-delete", "1000"];
  const edits = fc.sample(edit, { numRuns: kills * 6, seed });
  let lost = 0;
  service.mood.loses = () => random() < 0.1 && ++lost > 0;
  const begun = performance.now();
  await home.run(args);
  // How long a whole one takes; later ones have more to do.
  let within = 1.2 * (performance.now() - begun);
  let killed = 0;
  for (let kill = 0; kill < kills; kill++) {
    for (const each of edits.splice(0, 6)) await world.edit(each);
    const child = home.start(args);
    const started = performance.now();
    await killAtRandom(child, random, within);
    if (child.signalCode === "SIGKILL") killed++;
    else within = Math.max(1.2 * (performance.now() - started), within * 0.9);
    if (kill % 10 === 9) world.resolve();
  }
  service.mood.loses = () => false;
  let runs = 0;
  for (let last = "", shown = "?"; last !== shown && runs < 12; runs++) {
    world.resolve();
    const ran = await home.run(args);
    for (const [, path] of ran.stderr.matchAll(/^(\S.*\.files\/[^:]*): both sides changed it/gm))
      await world.resolveAttachment(path ?? "");
    [last, shown] = [shown, ran.stderr + (ran.code === 0 ? "" : String(runs))];
  }
  await compare(synced, world, false);
  figure("syncs that were killed", { kills, killed, lost, runs, lines: world.written.size });
}, 3_600_000);

test("two machines that share a folder and an account keep all edits over many rounds", async () => {
  const rounds = count("sync_rounds", 20, 1000);
  const model = new Model();
  onTestFinished(() => model.close());
  const all = fc.sample(round, { numRuns: rounds, seed });
  const named = all.map((each) => withoutKind(withoutKind(each, "unname"), "rename"));
  await model.run(named, 2);
  figure("rounds of two machines", { rounds, effects: model.effects });
}, 3_600_000);

test.each(["folder", "state"])(
  "a sync whose %s is on a full disk fails, and completes when there is room",
  async (place) => {
    const disk = join(temporaryFolder(), "disk");
    mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], { stdio: "ignore" });
    } catch {
      console.warn("skipped: a small file system can be mounted by root on Linux only");
      return;
    }
    onTestFinished(() => void execFileSync("umount", ["-l", disk], { stdio: "ignore" }));
    const service = await moodyService();
    const account = { DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key };
    const home = cli({ ...account, ...(place === "state" ? { DECKHAND_HOME: join(disk, "home") } : {}) });
    onTestFinished(() => home.remove());
    const client = clientOf(service.application);
    const root = join(place === "folder" ? disk : temporaryFolder(), "cards");
    const synced = syncedFolder({ client, root, statePath: join(temporaryFolder(), "unused") });
    const deck = await synced.deck("A");
    for (let index = 0; index < 60; index++)
      await client.cards.create({ content: `${index} ${"x".repeat(60_000)}`, "deck-id": deck });
    const full = await home.run(["sync", root, "--yes"]);
    expect(full.code).not.toBe(0);
    expect(full.stderr).toMatch(/no space is left on the device|database or disk is full/);
    expect(full.stderr).not.toContain("a fault in deckhand");
    expect(await synced.cards()).toHaveLength(60);
    const files = () => synced.files().filter((each) => each.endsWith(".md"));
    // No file is cut.
    for (const path of files()) expect(statSync(join(root, path)).size).toBeGreaterThan(60_000);
    execFileSync("mount", ["-o", "remount,size=64m", disk]);
    await home.ok(["sync", root, "--yes"]);
    expect(files()).toHaveLength(60);
    const again = await home.run(["sync", "status", root]);
    expect([again.code, again.stdout]).toEqual([0, ""]);
    expect(readdirSync(join(root, ".deckhand/tmp"))).toEqual([]);
  },
  120_000,
);

test("a sync of a folder that cannot be written changes nothing on either side", async ({ skip }) => {
  const service = await moodyService();
  const home = cli({ DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key });
  onTestFinished(() => home.remove());
  const disk = join(temporaryFolder(), "disk");
  mkdirSync(disk);
  writeFileSync(join(disk, "one.md"), "one\n");
  try {
    execFileSync("mount", ["--bind", disk, disk], { stdio: "ignore" });
    execFileSync("mount", ["-o", "remount,bind,ro", disk], { stdio: "ignore" });
  } catch {
    return skip("a folder can be made read-only for root by a mount on Linux only");
  }
  onTestFinished(() => void execFileSync("umount", ["-l", disk], { stdio: "ignore" }));
  const client = clientOf(service.application);
  const deck = (await client.decks.create({ name: "A" })).id;
  await client.cards.create({ content: "two", "deck-id": deck });
  const ran = await home.run(["sync", disk, "--yes", "--deck-id", deck]);
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toMatch(/read-only|cannot be written|could not/i);
  expect(existsSync(join(disk, "deckhand.yaml"))).toBe(false);
  expect(readFileSync(join(disk, "one.md"), "utf8")).toBe("one\n");
  const cards = [];
  for await (const { docs } of client.cards.pages()) cards.push(...docs);
  expect(cards.map(({ content }) => content)).toEqual(["two"]);
});
