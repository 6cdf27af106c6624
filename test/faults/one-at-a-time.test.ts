import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { cli } from "../support/cli.ts";
import { faultProxy } from "../support/fault-proxy.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededRandom } from "../support/random.ts";
import { bundledScript, type Script, type ScriptRun } from "../support/script.ts";
import { startTestServer } from "../support/service.ts";
import { count, figure, seed } from "../support/soak.ts";

let sender: Script;
beforeAll(async () => {
  sender = await bundledScript("test/support/sender.ts");
});
afterAll(() => sender.remove());

/** The real service with a proxy before it that only takes its time, and tells how requests were answered. */
async function watchedService(
  options: Parameters<typeof startTestServer>[0] = {},
  shares: { readonly delay?: number } = { delay: 1 },
) {
  const server = await startTestServer(options);
  const proxy = await faultProxy({ target: server.url, random: seededRandom(seed), shares });
  onTestFinished(() => proxy.close());
  const folder = temporaryFolder();
  const limited = () => proxy.log.filter(({ status }) => status === 429).length;
  const send = (name: string, requests: number, key = server.key): ScriptRun => {
    const run = sender.start({ baseUrl: proxy.url, key, folder, count: requests, name, lists: true });
    onTestFinished(() => void run.process.kill("SIGKILL"));
    return run;
  };
  return { server, proxy, limited, send };
}

const longest = (run: ScriptRun): number =>
  Math.max(...run.lines.map((line) => Number((JSON.parse(line) as { ms?: number }).ms ?? 0)));
const answeredAt = (run: ScriptRun): number[] =>
  run.lines.flatMap((line) => (JSON.parse(line) as { at?: number }).at ?? []);
const done = (run: ScriptRun): number => run.lines.filter((line) => line.includes('"done"')).length;

it("lets many processes of one account have their turns, and the service sees one request at a time", async () => {
  const [processes, requests] = [count("processes", 4, 10), count("requests", 12, 50)];
  const { limited, send, proxy } = await watchedService();
  const began = Date.now();
  const runs = Array.from({ length: processes }, (_, number) => send(`p${number}`, requests));
  for (const run of runs) expect(await run.ended).toMatchObject({ code: 0, stderr: "" });
  expect(runs.map(done)).toEqual(runs.map(() => requests));
  expect(proxy.log).toHaveLength(processes * requests);
  // The service answers 429 to any request that comes while another is active.
  expect(limited()).toBe(0);
  expect(proxy.mostAtOnce).toBe(1);
  const waits = runs.map(longest);
  const took = Date.now() - began;
  // Each has a tenth of a second, then another one, whichever looks first: none waits until the others have ended.
  expect(Math.max(...waits)).toBeLessThan(Math.max(took * 0.75, 300 * processes));
  figure("one at a time", { processes, requests, ms: took, longestWait: Math.max(...waits) });
}, 300_000);

it("so does the program itself, started many times at once", async () => {
  const starts = count("starts", 4, 30);
  const { server, proxy, limited } = await watchedService();
  const home = cli({ DECKHAND_BASE_URL: proxy.url, DECKHAND_API_KEY: server.key });
  onTestFinished(() => home.remove());
  const runs = Array.from({ length: starts }, (_, i) => home.run(["decks", "create", `deck ${i}`]));
  for (const run of runs) expect(await run).toMatchObject({ code: 0, stderr: "" });
  expect(limited()).toBe(0);
  expect(proxy.mostAtOnce).toBe(1);
  expect((await home.ok(["decks", "list"])).trim().split("\n")).toHaveLength(starts);
}, 300_000);

// How long it takes depends on the machine: test/http/pace.test.ts bounds it on a clock of its own.
it("finds the pace that a service allows, and a second process starts with it", async () => {
  const requests = count("paced", 20, 200);
  const perSecond = 5;
  const burst = { requests: perSecond, seconds: 1 };
  const { limited, send } = await watchedService({ burst }, {});
  const known = (Math.ceil(requests / perSecond) - 1) * 1000;
  const first = send("first", requests);
  await first.ended;
  const times = answeredAt(first);
  const took = (times.at(-1) ?? 0) - (times[0] ?? 0);
  expect(done(first)).toBe(requests);
  // The service has no limit any more: only from the first process can the second know of one.
  burst.requests = 1000;
  const second = send("second", 10);
  expect(await second.ended).toMatchObject({ code: 0, stderr: "" });
  const [begun = 0, ...later] = answeredAt(second);
  expect((later.at(-1) ?? 0) - begun).toBeGreaterThan((later.length / perSecond) * 1000 * 0.6);
  figure("pacing", {
    requests,
    took,
    known,
    ratio: took / known,
    limited: limited(),
  });
}, 300_000);
