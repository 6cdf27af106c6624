import { join } from "node:path";
import { Client as Connection } from "undici";
import { cli, serve } from "../support/cli.ts";
import { makeCards, withCollection } from "../support/collection.ts";
import { authorization } from "./hosted.ts";
import { bareServer, benchmark, judge, median, run, start } from "./support.ts";

/**
 * Requests a second of `deckhand serve`, against a bare node:http server that sends the same heads and bytes: each is
 * asked by one client over one connection, one request after the other, as the service allows it an account. Both take
 * turns. Needs a build.
 *
 *     node scripts/run.mjs test/bench/serve.ts
 *
 * `REQUESTS` sets how many in a round (2000), `ROUNDS` how many (7).
 */

const requests = Number(process.env["REQUESTS"] ?? 2000);
const rounds = Number(process.env["ROUNDS"] ?? 7);
const least = 0.5;

interface Asked {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function main(): Promise<boolean> {
  const home = cli({ DECKHAND_PROFILE: "local" });
  await home.ok(["decks", "create", "Begin"]);
  const ids = await withCollection(join(home.home, "data"), (client) =>
    makeCards(
      client,
      Array.from(
        { length: 200 },
        (_, i) => `Capital ${i}?\n---\n${"It is a large city by a river. ".repeat(7)}`,
      ),
    ),
  );
  const served = await serve(home);
  const { url, key } = served;
  let held = true;
  for (const path of ["/decks", `/cards?limit=1`, "/cards?limit=100"]) {
    const answer = await run<Asked>("ask", { url, key, path });
    const bare = await start<string>("bare", answer);
    const rates: Record<"bare" | "serve", number[]> = { bare: [], serve: [] };
    for (let round = 0; round < rounds; round += 1) {
      rates.bare.push(await run<number>("load", { url: bare.told, key, path, requests }));
      rates.serve.push(await run<number>("load", { url, key, path, requests }));
    }
    bare.process.kill();
    const [floor, reached] = [median(rates.bare), median(rates.serve)];
    console.log(`GET ${path}, ${answer.body.length} bytes`);
    console.log(`  bare server ${floor.toFixed(0)}, deckhand serve ${reached.toFixed(0)} requests a second`);
    held = judge("bare server to deckhand serve", floor / reached, 1 / least) && held;
  }
  await served.stop();
  home.remove();
  return held && ids.length === 200;
}

interface Load {
  readonly url: string;
  readonly key: string;
  readonly path: string;
  readonly requests: number;
}

async function ask({ url, key, path }: Load): Promise<Asked> {
  const connection = new Connection(url);
  const { statusCode, headers, body } = await connection.request({
    method: "GET",
    path,
    headers: headersOf(key),
  });
  const answer = { status: statusCode, headers: headers as Record<string, string>, body: await body.text() };
  await connection.close();
  return answer;
}

/** Requests a second. */
async function load({ url, key, path, requests }: Load): Promise<number> {
  const connection = new Connection(url);
  const one = async () => {
    const { statusCode, body } = await connection.request({ method: "GET", path, headers: headersOf(key) });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}`);
  };
  for (let index = 0; index < requests / 5; index += 1) await one();
  const begun = performance.now();
  for (let index = 0; index < requests; index += 1) await one();
  const seconds = (performance.now() - begun) / 1000;
  await connection.close();
  return requests / seconds;
}

const headersOf = (key: string) => ({ authorization: authorization(key), accept: "application/json" });

function bare({ status, headers, body }: Asked): Promise<string> {
  const bytes = Buffer.from(body);
  const { date: _date, connection: _connection, "keep-alive": _keepAlive, ...own } = headers;
  return bareServer((_request, response) => {
    response.writeHead(status, own);
    response.end(bytes);
  });
}

await benchmark(main, { ask, load, bare });
