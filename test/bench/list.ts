import transit from "transit-js";
import { Client as Connection } from "undici";
import { loadCodec } from "../../src/codecs/index.ts";
import { type CodecName, cardPage } from "../../src/schema/index.ts";
import { everydayCards, plain } from "./everyday.ts";
import { authorization, withHosted } from "./hosted.ts";
import { bareServer, benchmark, cpuTime, judge, median, peakMemory, run, start, tell } from "./support.ts";

/**
 * 10,000 cards listed through the client, against a bare loop of undici requests that decodes the same pages: time and
 * peak memory, in both codecs, each run in a process of its own, taking turns; then the peak for twenty times as many
 * cards, by which V8's heap has grown as far as it does.
 *
 *     node scripts/run.mjs test/bench/list.ts
 *
 * `CARDS` sets how many, `ROUNDS` how often (15). A run decodes 2,000 cards before it is measured, unless `COLD=1`.
 */

const cards = Number(process.env["CARDS"] ?? 10_000);
const rounds = Number(process.env["ROUNDS"] ?? 15);
const most = { time: 1.5, memory: 1.15 };
const pageSize = 100;
const many = 20;
const warmUp = process.env["COLD"] === "1" ? 0 : 2000;

interface Task {
  readonly url: string;
  readonly codec: CodecName;
  readonly cards: number;
}

interface Taken {
  readonly ms: number;
  readonly cpu: number;
  readonly peak: number;
}

async function main(): Promise<boolean> {
  let held = true;
  for (const codec of ["json", "transit"] as const) {
    const server = await start<string>("server", { codec, cards: cards * many });
    const task: Task = { url: server.told, codec, cards };
    const taken: Record<"bare" | "client", Taken[]> = { bare: [], client: [] };
    for (let round = 0; round < rounds; round += 1)
      for (const subject of ["bare", "client"] as const) taken[subject].push(await run<Taken>(subject, task));
    const [bare, client] = [medians(taken.bare), medians(taken.client)];
    const lots: Task = { ...task, cards: cards * many };
    const [bareMany, clientMany] = [await run<Taken>("bare", lots), await run<Taken>("client", lots)];
    server.process.kill();
    console.log(`${cards} cards, ${codec}`);
    tell("bare loop", bare.ms, `ms, ${bare.cpu.toFixed(0)} ms of CPU, peak ${bare.peak.toFixed(0)} MiB`);
    tell("client", client.ms, `ms, ${client.cpu.toFixed(0)} ms of CPU, peak ${client.peak.toFixed(0)} MiB`);
    held = judge("time", client.ms / bare.ms, most.time) && held;
    held = judge("peak memory", client.peak / bare.peak, most.memory) && held;
    tell(`bare loop, ${lots.cards} cards`, bareMany.peak, "MiB at most");
    tell(`client, ${lots.cards} cards`, clientMany.peak, "MiB at most");
    held = judge(`peak memory, ${lots.cards} cards`, clientMany.peak / bareMany.peak, most.memory) && held;
  }
  return held;
}

function medians(taken: readonly Taken[]): Taken {
  const of = (key: keyof Taken) => median(taken.map((one) => one[key]));
  return { ms: of("ms"), cpu: of("cpu"), peak: of("peak") };
}

async function measured(list: (count: number) => Promise<number>, count: number): Promise<Taken> {
  if (warmUp > 0) await list(warmUp);
  const [begun, cpu] = [performance.now(), cpuTime()];
  const seen = await list(count);
  const taken = { ms: performance.now() - begun, cpu: cpuTime() - cpu, peak: peakMemory() };
  if (seen !== count) throw new Error(`${seen} cards instead of ${count}`);
  return taken;
}

/** What one would write for one's own use: the pages one after the other, over one connection. */
async function bare({ url, codec, cards }: Task): Promise<Taken> {
  const connection = new Connection(url);
  const decode = codec === "json" ? JSON.parse : readTransit;
  const headers = { authorization: authorization("key"), accept: acceptOf(codec) };
  const taken = await measured(async (count) => {
    let seen = 0;
    let bookmark = "";
    while (seen < count) {
      const limit = Math.min(pageSize, count - seen);
      const path = `/cards?limit=${limit}${bookmark === "" ? "" : `&bookmark=${bookmark}`}`;
      const { body } = await connection.request({ method: "GET", path, headers });
      const page: BarePage = decode(await body.text());
      seen += page.docs.length;
      bookmark = page.bookmark;
    }
    return seen;
  }, cards);
  await connection.close();
  return taken;
}

/** transit-js, told of the tag of the service's instants, which it does not know; then as the data that JSON would be. */
const readTransit = (text: string) =>
  plain(transit.reader("json", { handlers: { dt: (ms: number) => new Date(ms) } }).read(text)) as BarePage;

interface BarePage {
  readonly docs: readonly unknown[];
  readonly bookmark: string;
}

function client({ url, codec, cards }: Task): Promise<Taken> {
  return withHosted({ url, key: "key", codec }, (hosted) =>
    measured(async (count) => {
      let seen = 0;
      for await (const page of hosted.cards.pages({ limit: count })) seen += page.docs.length;
      return seen;
    }, cards),
  );
}

/** Serves pages that are made beforehand, and nothing else. */
async function server({ codec, cards }: { codec: CodecName; cards: number }): Promise<string> {
  const { encode } = await loadCodec(codec);
  const type = acceptOf(codec);
  const pages = Array.from({ length: cards / pageSize }, (_, index) =>
    Buffer.from(
      encode(cardPage, { docs: everydayCards(pageSize, index * pageSize), bookmark: String(index + 1) }),
    ),
  );
  return bareServer((request, response) => {
    const page = pages[Number(new URL(request.url ?? "", "http://x").searchParams.get("bookmark") ?? 0)];
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": type,
      "content-length": page?.length ?? 0,
    });
    response.end(page);
  });
}

const acceptOf = (codec: CodecName) => (codec === "json" ? "application/json" : "application/transit+json");

/** Cards of everyday size: two sides, two fields, and up to twelve reviews. */
await benchmark(main, { bare, client, server });
