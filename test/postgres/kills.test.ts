import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Cli, cli } from "../support/cli.ts";
import { createPostgres, runOn, type TestPostgres } from "../support/postgres.ts";
import { seededRandom } from "../support/random.ts";
import { addKeys, type Replica, startReplica } from "../support/replicas.ts";
import { count, figure, seed } from "../support/soak.ts";
import { examine, progressOf, startWriter, write } from "../support/writers.ts";

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

test(`${kills} kills of servers and of connections lose no acknowledged write and double none`, async () => {
  const random = seededRandom(seed);
  const url = server.urlOf("postgres");
  const accounts = ["a", "b", "c", "d"];
  const keys = await addKeys(url, accounts);
  const replicas: Replica[] = [await startReplica(host, url), await startReplica(host, url)];
  onTestFinished(() => replicas.forEach((replica) => void replica.process.kill("SIGKILL")));
  const writers = keys.map((key, at) => startWriter(accounts[at] ?? "", key));
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
