import { readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { openApplication } from "../../src/service/app.ts";
import { readBackup } from "../../src/service/backup/read.ts";
import { restoreBackup } from "../../src/service/backup/restore.ts";
import { type Cli, cli, serve } from "../support/cli.ts";
import { makeCards, withCollection } from "../support/collection.ts";
import { temporaryFolder } from "../support/folder.ts";
import { httpTo } from "../support/http.ts";
import { seededRandom } from "../support/random.ts";
import { count, figure, seed } from "../support/soak.ts";

function place(): Cli {
  const home = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => home.remove());
  return home;
}

const upload = (content: string) => ({
  fileName: "a.txt",
  source: async () => ({ stream: Readable.from([Buffer.from(content)]), size: content.length }),
});

/** How many cards there are at a time. */
const window = 15;

/**
 * Creates card n, gives it an attachment, and deletes card n - 15 with its own, for n from 1 on: so the state after each
 * change is known.
 */
async function writeUntil(client: Client, deck: string, stopped: () => boolean): Promise<number> {
  const ids: string[] = [];
  let number = 0;
  while (!stopped()) {
    number++;
    const { id } = await client.cards.create({ content: `card ${number}`, "deck-id": deck });
    ids.push(id);
    await client.attachments.add(id, upload(`file ${number}`));
    const old = ids[number - 1 - window];
    if (old !== undefined) await client.cards.delete(old);
  }
  return number;
}

/** Whether a collection is in a state that `writeUntil` went through. @returns the number of the last card */
async function stateOf(data: string): Promise<number> {
  return withCollection(data, async (client) => {
    const files = new Map<number, string | undefined>();
    for (let bookmark: string | undefined; ; ) {
      const page = await client.cards.list(bookmark === undefined ? {} : { bookmark });
      if (page.docs.length === 0) break;
      bookmark = page.bookmark ?? undefined;
      for (const { id, content = "" } of page.docs) {
        const [listed] = await client.attachments.list(id);
        const file = listed && (await client.attachments.fetch(id, "a.txt", ({ body }) => text(body)));
        files.set(Number(content?.replace("card ", "")), file);
      }
    }
    const last = Math.max(0, ...files.keys());
    const oldest = Math.min(...files.keys());
    // The last card may have no attachment yet; before it has one, the oldest is not deleted.
    for (const [number, file] of files)
      if (number < last || file !== undefined) expect(file).toBe(`file ${number}`);
    const before = files.get(last) === undefined ? [last - window] : [last - window, last - window + 1];
    if (last > 0) expect(before.map((first) => Math.max(1, first))).toContain(oldest);
    if (last > 0) expect(files.size).toBe(last - oldest + 1);
    return last;
  });
}

it("a backup under write load is a state that existed, and killed at any moment it is the old one or the new one", async () => {
  const backups = count("backups", 6, 200);
  const home = place();
  const random = seededRandom(seed);
  const service = await serve(home);
  onTestFinished(() => void service.process.kill("SIGKILL"));
  const client = createClient(await httpTo(service.url, { key: service.key }));
  const deck = (await client.decks.create({ name: "Geography" })).id;
  let stopped = false;
  let failed: unknown;
  const writing = writeUntil(client, deck, () => stopped).catch((error: unknown) => {
    failed = error;
    return 0;
  });
  const target = join(home.home, "cards.tar");
  const began = performance.now();
  await home.ok(["backup", target]);
  const duration = performance.now() - began;
  const states: number[] = [];
  let [killed, finished] = [0, 0];
  for (let number = 1; number <= backups; number++) {
    const child = home.start(["backup", target]);
    let stderr = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr += chunk;
    });
    if (killed * 3 < number) setTimeout(() => child.kill("SIGKILL"), random() * duration).unref();
    const ended = await new Promise<number | null>((done) => child.once("close", done));
    if (ended === null) killed++;
    else {
      expect(ended, stderr).toBe(0);
      finished++;
    }
    await readBackup(target);
    const data = join(temporaryFolder(), "data");
    const options = { takes: () => false, present: () => [], log: "", aside: undefined };
    await restoreBackup({ file: target, folder: join(data, "service"), ...options });
    const state = await stateOf(data);
    // A killed one leaves the one before; a finished one is newer.
    expect(state).toBeGreaterThanOrEqual(states.at(-1) ?? 0);
    states.push(state);
    rmSync(dirname(data), { recursive: true, force: true });
  }
  stopped = true;
  const cards = await writing;
  expect(failed).toBeUndefined();
  expect(states.at(-1)).toBeGreaterThan(states[0] ?? 0);
  // What was deleted while a backup was written goes with the next start of a server.
  await service.stop();
  const next = await openApplication({ folder: join(home.home, "data"), now: Date.now });
  await next.preload();
  await next.close();
  const stored = readdirSync(join(home.home, "data/service/attachments"), { recursive: true });
  expect(stored.filter((name) => name.length > 60).length).toBeLessThanOrEqual(window + 1);
  await home.ok(["backup", target]);
  expect(readdirSync(home.home).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  figure("backups under write load", { backups, killed, finished, verified: states.length, cards });
}, 3_600_000);

it("a backup takes constant memory, however large the attachments are", async () => {
  const home = place();
  const size = count("backup_mebibytes", 64, 10 * 1024) * 1024 * 1024;
  const data = join(home.home, "data");
  await withCollection(data, async (client) => {
    const [card = ""] = await makeCards(client, ["a"]);
    for (let number = 0; number < 10; number++)
      await client.attachments.add(card, { ...upload(`file ${number}`), fileName: `${number}.bin` });
  });
  const attachments = join(data, "service", "attachments");
  const stored = readdirSync(attachments, { recursive: true }).map(String);
  const target = join(home.home, "cards.tar");
  const small = await peak(home, ["backup", target]);
  // Sparse files in place of the contents: that they have another hash is reported, and they are read all the same.
  for (const name of stored.filter((each) => each.length > 60))
    truncateSync(join(attachments, name), Math.floor(size / 10));
  const large = await peak(home, ["backup", target], 9);
  await readBackup(target);
  figure("peak memory of a backup, KiB", { bytes: size, small, large });
  expect(large - small).toBeLessThan(48 * 1024);
}, 3_600_000);

/** The peak memory of the program while it runs, in KiB. */
async function peak(home: Cli, args: readonly string[], code = 0): Promise<number> {
  const report = join(home.home, "peak.cjs");
  const line = 'process.on("exit", () => process.stderr.write("peak " + process.resourceUsage().maxRSS));';
  writeFileSync(report, line);
  const ran = await home.run(args, { env: { NODE_OPTIONS: `--require ${report}` } });
  expect(ran.code, ran.stderr).toBe(code);
  return Number(/peak (\d+)/.exec(ran.stderr)?.[1]);
}
