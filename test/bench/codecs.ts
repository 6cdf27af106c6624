import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import transit from "transit-js";
import { jsonCodec } from "../../src/codecs/json.ts";
import { transitCodec } from "../../src/codecs/transit.ts";
import { cardPage, check } from "../../src/schema/index.ts";
import { everydayCards, plain } from "./everyday.ts";

/**
 * What the codecs cost on a page of 100 cards, as a ratio of the floor, which is JSON.parse or JSON.stringify of the
 * same text: medians of CPU time over rounds that take turns. Then the first page of a process, in processes of their own, where
 * nothing is compiled yet: that is what a command pays.
 *
 *     node scripts/run.mjs test/bench/codecs.ts
 *
 * `ROUNDS` sets how often (200).
 */

const rounds = Number(process.env["ROUNDS"] ?? 200);

/** The first is the floor. */
type Subjects = Readonly<Record<string, (text: string) => unknown>>;

const readers: Readonly<Record<"json" | "transit", Subjects>> = {
  json: {
    "JSON.parse": (text) => JSON.parse(text),
    decode: (text) => jsonCodec.decode(cardPage, text),
    "decode and check": (text) => check(cardPage, jsonCodec.decode(cardPage, text), "received"),
  },
  transit: {
    "JSON.parse": (text) => JSON.parse(text),
    decode: (text) => transitCodec.decode(cardPage, text),
    "transit-js": stock,
    "transit-js, as plain data": (text) => plain(stock(text)),
  },
};

function main(): void {
  const page = { docs: everydayCards(100), bookmark: "g1AAAAbookmark" };
  const verbose = transitCodec.encode(cardPage, page);
  const documents = [
    { what: "JSON", codec: "json", text: jsonCodec.encode(cardPage, page) },
    { what: "verbose transit", codec: "transit", text: verbose },
    { what: "compact transit", codec: "transit", text: compactOf(verbose) },
  ] as const;
  for (const { what, codec, text } of documents)
    report(`reading ${what}, ${Math.round(text.length / 1024)} KB`, warm(readers[codec], text));
  const writers: Subjects = {
    "JSON.stringify": () => JSON.stringify(page),
    "JSON, encode": () => jsonCodec.encode(cardPage, page),
    "transit, encode": () => transitCodec.encode(cardPage, page),
  };
  report("writing", warm(writers, ""));
  for (const { what, codec, text } of documents)
    report(`the first page of a process, ${what}`, cold(codec, text));
}

function compactOf(verbose: string): string {
  const dt = (ms: unknown) => transit.tagged("dt", ms);
  return transit.writer("json").write(transit.reader("json", { handlers: { dt } }).read(verbose));
}

/** transit-js as it comes, but for the tag of the service's instants, which it does not know. */
function stock(text: string): unknown {
  return transit.reader("json", { handlers: { dt: (ms: number) => new Date(ms) } }).read(text);
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;

/** CPU time, in ms: on a machine that does other things, too, the clock on the wall would measure those. */
function took(act: () => unknown): number {
  const start = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function report(group: string, times: ReadonlyMap<string, readonly number[]>): void {
  console.log(group);
  const [floor = []] = times.values();
  for (const [name, taken] of times)
    console.log(
      `  ${name.padEnd(28)} ${median(taken).toFixed(3).padStart(8)} ms  ${(median(taken) / median(floor)).toFixed(2)}`,
    );
}

function warm(subjects: Subjects, text: string): ReadonlyMap<string, readonly number[]> {
  const entries = Object.entries(subjects);
  const times = new Map(entries.map(([name]) => [name, [] as number[]]));
  for (let round = -40; round < rounds; round += 1)
    for (const [name, act] of entries) {
      const time = took(() => act(text));
      if (round >= 0) times.get(name)?.push(time);
    }
  return times;
}

/** Each in processes that have read nothing else; the text comes on stdin. */
function cold(codec: keyof typeof readers, text: string): ReadonlyMap<string, readonly number[]> {
  const times = new Map(Object.keys(readers[codec]).map((name) => [name, [] as number[]]));
  for (let round = 0; round < 11; round += 1)
    for (const [name, taken] of times) {
      const args = [process.argv[1] ?? "", codec, name];
      taken.push(Number(spawnSync(process.execPath, args, { encoding: "utf8", input: text }).stdout));
    }
  return times;
}

function first(codec: keyof typeof readers, name: string): void {
  const text = readFileSync(0, "utf8");
  console.log(took(() => readers[codec][name]?.(text)));
}

const [, , codec, name] = process.argv;
if (codec === undefined || name === undefined) main();
else first(codec === "json" ? "json" : "transit", name);
