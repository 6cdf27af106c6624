import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cli, serve } from "../support/cli.ts";
import { makeCards, withCollection } from "../support/collection.ts";

/** How often the system has given a process memory so far, 4 KiB each: the tenth field of its `stat` (proc_pid_stat(5)). */
function faults(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[7]);
}

const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } })
  .header;

test.skipIf(glibcVersionRuntime === undefined)(
  "serve keeps the memory that a page of cards took for the next one",
  async () => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    onTestFinished(() => home.remove());
    const contents = Array.from({ length: 100 }, (_, at) => `${at} ${"x".repeat(400)}`);
    await withCollection(join(home.home, "data"), (client) => makeCards(client, contents));
    const served = await serve(home);
    onTestFinished(() => void served.process.kill("SIGKILL"));
    const headers = { authorization: `Basic ${btoa(`${served.key}:`)}` };
    const ask = async (times: number) => {
      const before = faults(served.process.pid);
      for (let time = 0; time < times; time++)
        await (await fetch(`${served.url}/cards?limit=100`, { headers })).arrayBuffer();
      return (faults(served.process.pid) - before) / times;
    };
    // It does from when the collector has first come by. Else it asks for some twenty with each page of 60 KB.
    let perPage = await ask(500);
    for (let round = 0; round < 20 && perPage > 1; round++) perPage = await ask(500);
    expect(perPage).toBeLessThan(1);
    expect(await served.stop()).toBe(0);
  },
  60_000,
);
