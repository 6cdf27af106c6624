import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Cli, cli } from "../support/cli.ts";
import { createPostgres, runOn, type TestPostgres } from "../support/postgres.ts";
import { seededRandom } from "../support/random.ts";
import { addKeys, askOnce, type Replica, startReplica } from "../support/replicas.ts";
import { count, figure, seed } from "../support/soak.ts";

const kills = count("kills", 4, 400);

let server: TestPostgres;
let host: Cli;
beforeAll(async () => {
  server = await createPostgres();
  host = cli();
});
afterAll(async () => {
  host.remove();
  await server.stop();
});

interface Writer {
  readonly key: string;
  readonly account: string;
  deck: string;
  /** Contents by id, as they were acknowledged. */
  readonly acknowledged: Map<string, string>;
  sent: number;
  uncertain: number;
}

test(`${kills} kills of servers and of connections lose no acknowledged write and double none`, async () => {
  const random = seededRandom(seed);
  const url = server.urlOf("postgres");
  const accounts = ["a", "b", "c", "d"];
  const keys = await addKeys(url, accounts);
  const replicas: Replica[] = [await startReplica(host, url), await startReplica(host, url)];
  onTestFinished(() => replicas.forEach((replica) => void replica.process.kill("SIGKILL")));
  const writers = keys.map((key, at): Writer => {
    return { key, account: accounts[at] ?? "", deck: "", acknowledged: new Map(), sent: 0, uncertain: 0 };
  });
  let running = true;
  const working = writers.map((writer) => write(writer, replicas, () => running));
  for (let done = 0; done < kills; done++) {
    const reached = progressOf(writers) + 1 + Math.floor(random() * 8);
    await expect.poll(() => progressOf(writers), { timeout: 120_000, interval: 5 }).toBeGreaterThan(reached);
    if (done % 2 === 0) {
      const at = Math.floor(random() * replicas.length);
      replicas[at]?.process.kill("SIGKILL");
      await replicas[at]?.ended;
      replicas[at] = await startAgain(url);
    } else await killConnection(url, random);
  }
  const reached = progressOf(writers);
  await expect.poll(() => progressOf(writers), { timeout: 120_000 }).toBeGreaterThan(reached + 20);
  running = false;
  await Promise.all(working);
  for (const writer of writers) await examine(writer, url);
  figure("acknowledged", progressOf(writers));
  figure(
    "uncertain",
    writers.reduce((sum, writer) => sum + writer.uncertain, 0),
  );
});

const progressOf = (writers: readonly Writer[]) =>
  writers.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);

/** Creates cards one after the other, each with a content of its own that is sent once. */
async function write(writer: Writer, replicas: readonly Replica[], running: () => boolean): Promise<void> {
  for (let turn = 0; running(); turn++) {
    const base = replicas[turn % replicas.length]?.url ?? "";
    if (writer.deck === "") {
      const { status, body } = await askOnce(base, writer.key, "POST", "/decks", { name: "d" });
      if (status === 200) writer.deck = String(body["id"]);
      continue;
    }
    const content = `card ${writer.sent}`;
    const { status, body } = await askOnce(base, writer.key, "POST", "/cards", {
      content,
      "deck-id": writer.deck,
    });
    // Nothing was done: the same card may be sent again.
    if (status === 429 || status === 503) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      continue;
    }
    writer.sent++;
    if (status === 200) writer.acknowledged.set(String(body["id"]), content);
    else if (status === 0 || status === 500) writer.uncertain++;
    else throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  }
}

/** While the database recovers, a server cannot start. */
async function startAgain(url: string): Promise<Replica> {
  for (;;) {
    try {
      return await startReplica(host, url);
    } catch (error) {
      if (!String(error).includes("cannot use the database")) throw error;
    }
  }
}

/** Kills the process of a connection as the system does that is out of memory: the database ends all and recovers. */
async function killConnection(url: string, random: () => number): Promise<void> {
  for (;;) {
    const found = await runOn(
      url,
      "select pid from pg_stat_activity where application_name = 'deckhand' order by state = 'active' desc limit 4",
    ).catch(() => []);
    const pid = found[Math.floor(random() * found.length)]?.["pid"];
    if (typeof pid === "number") {
      process.kill(pid, "SIGKILL");
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function examine({ account, acknowledged, sent }: Writer, url: string): Promise<void> {
  let rows: Record<string, unknown>[] | undefined;
  while (rows === undefined)
    rows = await runOn(
      url,
      `select id, document::json->>'content' as content from card where account = '${account}'`,
    ).catch(() => undefined);
  const stored = new Map(rows.map((row) => [String(row["id"]), String(row["content"])]));
  for (const [id, content] of acknowledged) expect(stored.get(id)).toBe(content);
  const contents = [...stored.values()];
  expect(contents).toHaveLength(new Set(contents).size);
  expect(contents.length).toBeLessThanOrEqual(sent);
}
