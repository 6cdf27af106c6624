import { expect, onTestFinished, test } from "vitest";
import { hasHaproxy, startDatabaseBalancer } from "../support/balancer.ts";
import { cli } from "../support/cli.ts";
import { createPostgres, hasBasebackup, runOn } from "../support/postgres.ts";
import { addKeys, startReplica } from "../support/replicas.ts";
import { figure } from "../support/soak.ts";
import { examine, progressOf, startWriter, write } from "../support/writers.ts";

const canRun = hasHaproxy && hasBasebackup;
if (!canRun) process.stdout.write("failover is not tried: it needs haproxy and pg_basebackup\n");

test.runIf(canRun)(
  "after a failover to a standby two servers go on: nothing that was acknowledged is lost, and nothing doubled",
  async () => {
    // A commit is acknowledged when the standby has it.
    const primary = await createPostgres(["synchronous_standby_names=*"]);
    onTestFinished(() => primary.stop());
    const standby = await primary.createStandby();
    onTestFinished(() => standby.stop());
    const balancer = await startDatabaseBalancer(primary.port, standby.port);
    onTestFinished(() => balancer.stop());
    const host = cli();
    onTestFinished(() => host.remove());
    const url = `postgres://postgres@127.0.0.1:${balancer.port}/postgres`;
    const accounts = ["a", "b", "c", "d"];
    const [reader = "", ...keys] = await addKeys(url, ["reader", ...accounts]);
    const replicas = [await startReplica(host, url), await startReplica(host, url)];
    onTestFinished(() => replicas.forEach((replica) => void replica.process.kill("SIGKILL")));
    const writers = keys.map((key, at) => startWriter(accounts[at] ?? "", key));
    let running = true;
    onTestFinished(() => {
      running = false;
    });
    const working = writers.map((writer) => write(writer, replicas, () => running));
    const progress = async (more: number) => {
      const reached = progressOf(writers);
      await expect.poll(() => progressOf(writers), { timeout: 60_000 }).toBeGreaterThan(reached + more);
    };
    await progress(50);

    await primary.kill();
    const began = performance.now();
    const ready = () => Promise.all(replicas.map(async (each) => (await fetch(`${each.url}/readyz`)).status));
    // The standby answers, and refuses to write.
    for (const writer of writers)
      await expect.poll(() => writer.unavailable, { timeout: 60_000 }).toBeGreaterThan(1);
    await expect
      .poll(() => runOn(url, "show transaction_read_only"), { timeout: 60_000 })
      .toEqual([{ transaction_read_only: "on" }]);
    expect(await ready()).toEqual([503, 503]);
    const env = { DECKHAND_BASE_URL: replicas[0]?.url, DECKHAND_API_KEY: reader, DECKHAND_RETRIES: "30" };
    const listed = host.run(["decks", "list"], { env });

    await runOn(standby.urlOf("postgres"), "select pg_promote()");
    await progress(50);
    figure("from the kill to further writes, ms", Math.round(performance.now() - began));
    expect(await ready()).toEqual([200, 200]);
    expect(await listed).toMatchObject({ code: 0 });
    running = false;
    await Promise.all(working);
    for (const writer of writers) await examine(writer, standby.urlOf("postgres"));
    figure("acknowledged", progressOf(writers));
    figure("uncertain", writers.map(({ uncertain }) => uncertain).join());
    figure("refused with 503", writers.map(({ unavailable }) => unavailable).join());
  },
);
