import { Client as Connection } from "undici";
import type { CodecName } from "../../src/schema/index.ts";
import { cli, serve } from "../support/cli.ts";
import { authorization, withHosted } from "./hosted.ts";
import { benchmark, cpuTime, judge, median, run, tell } from "./support.ts";

/**
 * 1,000 cards made through the client, one after the other, against a bare loop of undici requests with the same bodies,
 * on `deckhand serve`. Needs a build. Both take turns, each run on a deck of its own.
 *
 *     node scripts/run.mjs test/bench/creates.ts
 *
 * `CARDS` sets how many, `ROUNDS` how often (15).
 */

const cards = Number(process.env["CARDS"] ?? 1000);
const rounds = Number(process.env["ROUNDS"] ?? 15);
const most = 1.5;

interface Task {
  readonly url: string;
  readonly key: string;
  readonly cards: number;
  readonly deck: string;
}
interface Taken {
  readonly ms: number;
  readonly cpu: number;
}

async function main(): Promise<boolean> {
  const home = cli({ DECKHAND_PROFILE: "local" });
  const decks = new Map<string, string>();
  for (let round = 0; round < rounds; round += 1)
    for (const name of [`bare${round}`, `client${round}`])
      decks.set(name, (await home.ok(["decks", "create", name, "-o", "id"])).trim());
  const { url, key, stop } = await serve(home);
  const taken: Record<"bare" | "client", Taken[]> = { bare: [], client: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const subject of ["bare", "client"] as const)
      taken[subject].push(
        await run<Taken>(subject, { url, key, cards, deck: decks.get(`${subject}${round}`) }),
      );
  await stop();
  home.remove();
  const of = (subject: "bare" | "client", key: keyof Taken) => median(taken[subject].map((one) => one[key]));
  console.log(`${cards} creates, json`);
  tell("bare loop", of("bare", "ms"), `ms, ${of("bare", "cpu").toFixed(0)} ms of CPU`);
  tell("client", of("client", "ms"), `ms, ${of("client", "cpu").toFixed(0)} ms of CPU`);
  return judge("time", of("client", "ms") / of("bare", "ms"), most);
}

async function measured(make: (index: number) => Promise<unknown>, count: number): Promise<Taken> {
  for (let index = 0; index < 50; index += 1) await make(index);
  const [begun, cpu] = [performance.now(), cpuTime()];
  for (let index = 0; index < count; index += 1) await make(index);
  return { ms: performance.now() - begun, cpu: cpuTime() - cpu };
}

const bodyOf = (deck: string, index: number) => ({
  content: `# What is the capital of country ${index}?\n---\n${"It is a large city by a river. ".repeat(7)}`,
  "deck-id": deck,
  "manual-tags": ["geography", "europe"],
});

async function bare({ url, key, cards, deck }: Task): Promise<Taken> {
  const connection = new Connection(url);
  const headers = {
    authorization: authorization(key),
    accept: "application/json",
    "content-type": "application/json",
  };
  const taken = await measured(async (index) => {
    const request = {
      method: "POST",
      path: "/cards",
      headers,
      body: JSON.stringify(bodyOf(deck, index)),
    } as const;
    const { statusCode, body } = await connection.request(request);
    const card = JSON.parse(await body.text());
    if (statusCode >= 300) throw new Error(`${statusCode} ${JSON.stringify(card)}`);
    return card;
  }, cards);
  await connection.close();
  return taken;
}

function client({ url, key, cards, deck }: Task): Promise<Taken> {
  const codec: CodecName = "json";
  return withHosted({ url, key, codec }, (hosted) =>
    measured((index) => hosted.cards.create(bodyOf(deck, index)), cards),
  );
}

await benchmark(main, { bare, client });
