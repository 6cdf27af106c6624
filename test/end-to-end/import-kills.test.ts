import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import type { Card } from "../../src/schema/index.ts";
import { program } from "../support/cli.ts";
import { httpTo } from "../support/http.ts";
import { losingProxy } from "../support/losing-proxy.ts";
import { seededRandom } from "../support/random.ts";
import { startTestServer, temporaryFolder } from "../support/service.ts";
import { count, figure, isSoak, seed } from "../support/soak.ts";
import { comparable, emptyAccount, exportFile, wholeAccount } from "../transfer/support.ts";

const kills = count("importKills", 5, 60);
const cards = kills * 4;
const random = seededRandom(seed);

/** An account of a service, and the program as it runs for it. */
interface Account {
  readonly client: Client;
  readonly folder: string;
  start(args: readonly string[]): ChildProcess;
  /** Runs the program again and again, killed after a random number of requests, until it comes to its end. */
  killed(args: readonly string[]): Promise<number>;
  run(args: readonly string[]): Promise<void>;
}

async function account(loses: number): Promise<Account> {
  const server = await startTestServer();
  let requests = 0;
  let onRequest = () => {};
  const proxy = await losingProxy(server.url, () => {
    requests++;
    onRequest();
    return random() < loses;
  });
  const client = createClient(await httpTo(server.url, { key: server.key }));
  onTestFinished(() => client.close());
  const folder = temporaryFolder();
  const start = (args: readonly string[]) =>
    spawn(process.execPath, [program, ...args], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        DECKHAND_HOME: join(folder, "home"),
        DECKHAND_BASE_URL: proxy.url,
        DECKHAND_API_KEY: server.key,
        DECKHAND_RETRIES: "8",
        TZ: "UTC",
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
  const run = async (child: ChildProcess) => {
    const [stderr, ended] = await Promise.all([
      text(child.stderr as Readable),
      new Promise<[number | null, NodeJS.Signals | null]>((done) => child.on("close", (...end) => done(end))),
    ]);
    return { stderr, code: ended[0], signal: ended[1] };
  };
  return {
    client,
    folder,
    start,
    async run(args) {
      const { code, stderr } = await run(start(args));
      if (code !== 0 && code !== 9) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
    },
    async killed(args) {
      let most = 30;
      for (let killed = 0; ; killed++) {
        requests = 0;
        const last = killed < kills ? Math.ceil(random() * most) : Number.POSITIVE_INFINITY;
        const child = start(args);
        onRequest = () => {
          if (requests >= last) setTimeout(() => child.kill("SIGKILL"), random() * 8);
        };
        const { code, signal, stderr } = await run(child);
        if (signal === "SIGKILL") {
          most += 10;
          continue;
        }
        // The last kill came after the last line of its record.
        if (code !== 0 && code !== 9 && !stderr.includes("was undone already"))
          throw new Error(`it ended with ${code} after ${killed} kills: ${stderr}`);
        return killed;
      }
    },
  };
}

/** A collection of another account, which is imported, edited there, and imported again. */
async function fill(source: Client): Promise<Card[]> {
  const top = await source.decks.create({ name: "Top" });
  const below = await source.decks.create({ name: "Below", "parent-id": top.id });
  const made: Card[] = [];
  for (let index = 0; index < cards; index++) {
    const content = `question ${index} [[${made.at(-1)?.id ?? "none"}]]\n---\nanswer`;
    const deck = index % 2 === 0 ? top.id : below.id;
    made.push(await source.cards.create({ content, "deck-id": deck, "manual-tags": ["first"] }));
    await addParts(source, made[index]?.id ?? "", index);
  }
  return made;
}

async function addParts(source: Client, id: string, index: number): Promise<void> {
  const file = Buffer.from(`file ${index}`);
  if (index % 3 === 0)
    await source.attachments.add(id, {
      fileName: "file.txt",
      contentType: "text/plain",
      source: async () => ({ stream: Readable.from([file]), size: file.length }),
    });
  for (let day = 1; index % 4 === 0 && day <= 4; day++)
    await source.reviews.create(id, { date: `2026-01-0${day}T03:04:05.000Z`, "remembered?": day !== 2 });
}

/** A third of the cards changes, a third is new, with files, reviews and references to cards that follow. */
async function edit(source: Client, made: readonly Card[]): Promise<void> {
  const deck = made[0]?.["deck-id"] ?? "";
  const fresh: string[] = [];
  for (let index = 0; index < cards / 2; index++) {
    const { id } = await source.cards.create({ content: `new ${index}\n---\nanswer`, "deck-id": deck });
    fresh.push(id);
    await addParts(source, id, index);
    if (index % 5 === 0) await source.cards.update(id, { "trashed?": "2026-02-01T00:00:00.000Z" });
  }
  for (const [index, { id, content }] of made.entries())
    if (index % 3 === 0)
      await source.cards.update(id, {
        content: `${content} changed, see [[${fresh[index % fresh.length]}]]`,
        "manual-tags": ["second"],
      });
}

/** Edits on the service: of cards that changed in the file, too, and of others. */
async function editThere({ client }: Account): Promise<void> {
  for await (const { docs } of client.cards.pages())
    for (const { id, content } of docs) {
      const [, number] = /^question (\d+)/.exec(content ?? "") ?? [];
      if (number !== undefined && Number(number) % 9 < 2)
        await client.cards.update(id, { content: `mine, for ${number}` });
    }
}

/** Shorter in a failure than the whole state. */
async function contents({ client }: Account): Promise<string[]> {
  const all: string[] = [];
  for await (const { docs } of client.cards.pages())
    all.push(...docs.map(({ content }) => (content ?? "").replace(/\[\[\w+\]\]/g, "[[…]]")));
  return all.toSorted();
}

const state = async ({ client }: Account) => comparable(await wholeAccount(client));

// Each kill is a start of the program: too long for every run of the tests.
describe.runIf(isSoak).each(["--update", "--overwrite"])("an import with %s", (how) => {
  test(`that is killed ${kills} times, and its undo, do what runs do that are not killed`, async () => {
    const source = await emptyAccount();
    const made = await fill(source);
    const accounts = [await account(0.03), await account(0)] as const;
    const [killed, whole] = accounts;
    for (const each of accounts) {
      await exportFile(source, join(each.folder, "cards.ndjson"), "ndjson");
      await each.run(["import", "cards.ndjson", "--yes", "--quiet"]);
      await editThere(each);
    }
    const before = await state(killed);
    expect(await state(whole)).toEqual(before);
    await edit(source, made);
    for (const { folder } of accounts) await exportFile(source, join(folder, "cards.ndjson"), "ndjson");

    const args = ["import", "cards.ndjson", "--yes", "--quiet", how];
    await whole.run(args);
    const times = await killed.killed(args);
    expect(times).toBeGreaterThan(0);
    const after = await state(whole);
    expect(await contents(killed)).toEqual(await contents(whole));
    expect(await state(killed)).toEqual(after);
    expect(after).not.toEqual(before);
    // Once more: nothing is left to do.
    await killed.run(args);
    expect(await state(killed)).toEqual(after);

    const undone = await killed.killed(["import", "undo", "cards.ndjson", "--yes", "--quiet"]);
    figure(`kills of import ${how} and of its undo`, [times, undone]);
    expect(await state(killed)).toEqual(before);
  }, 600_000);
});
