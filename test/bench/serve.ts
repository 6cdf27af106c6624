import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { Client as Connection } from "undici";
import { cli, serve } from "../support/cli.ts";
import { makeCards, withCollection } from "../support/collection.ts";
import { authorization } from "./hosted.ts";
import { bareServer, benchmark, judge, median, run, start } from "./support.ts";

/**
 * Requests a second of `deckhand serve`, against a bare node:http server that sends the same heads and bytes: each is
 * asked over one connection, one request after the other, as the service allows it an account, by a client that does no
 * more than count bytes: what a client takes itself would count for both, and hide the difference. Both take turns. Needs
 * a build.
 *
 *     node scripts/run.mjs test/bench/serve.ts
 *
 * `REQUESTS` sets how many in a round (2000), `ROUNDS` how many (15).
 */

const requests = Number(process.env["REQUESTS"] ?? 2000);
const rounds = Number(process.env["ROUNDS"] ?? 15);
const least = 0.25;

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
  const { host, hostname, port } = new URL(url);
  const headers = Object.entries({ host, ...headersOf(key) }).map((header) => `${header.join(": ")}\r\n`);
  const request = `GET ${path} HTTP/1.1\r\n${headers.join("")}\r\n`;
  const socket = connect(Number(port), hostname).setNoDelay();
  await once(socket, "connect");
  let [length, received] = [0, 0];
  let answered = () => {};
  socket.on("data", (chunk) => {
    if (received === 0) length = answerLength(chunk);
    received += chunk.length;
    if (received === length) answered();
  });
  const one = () =>
    new Promise<void>((resolve) => {
      received = 0;
      answered = resolve;
      socket.write(request);
    });
  for (let index = 0; index < requests / 5; index += 1) await one();
  const begun = performance.now();
  for (let index = 0; index < requests; index += 1) await one();
  const seconds = (performance.now() - begun) / 1000;
  socket.destroy();
  return requests / seconds;
}

/** How many bytes an answer has, told by its head. */
function answerLength(beginning: Buffer): number {
  const end = beginning.indexOf("\r\n\r\n") + 4;
  const head = beginning.toString("latin1", 0, end);
  const [, length] = /^HTTP\/1\.1 200 .*\r\ncontent-length: (\d+)\r\n/is.exec(head) ?? [];
  if (length === undefined) throw new Error(`no answer that was asked for: ${head}`);
  return end + Number(length);
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
