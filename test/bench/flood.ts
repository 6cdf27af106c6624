import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { cli, serve } from "../support/cli.ts";
import { authorization } from "./hosted.ts";
import { bareServer, benchmark, judge, median, type Part, run, start, tell } from "./support.ts";

/**
 * What others wait for `GET /decks` while one connection pipelines 400,000 requests without a key and reads no answer,
 * against a bare node:http server that sends the same bytes under the same attack. Both take turns. Needs a build.
 *
 *     node scripts/run.mjs test/bench/flood.ts
 *
 * `REQUESTS` sets how many in a round (200), `ROUNDS` how many (5).
 */

const requests = Number(process.env["REQUESTS"] ?? 200);
const rounds = Number(process.env["ROUNDS"] ?? 5);
const pipelined = 400_000;
const unmeasured = 20;

interface Target {
  readonly pid: number;
  readonly url: string;
  readonly key: string;
}

/** Whether the client keeps its connection, and whether the attacker connects again when it is cut off. */
interface Kind {
  readonly kept: boolean;
  readonly again: boolean;
}

async function main(): Promise<boolean> {
  const home = cli({ DECKHAND_PROFILE: "local" });
  await home.ok(["decks", "create", "Begin"]);
  const served = await serve(home);
  const { url, key } = served;
  const bare = await start<string>("bare", { own: await answerOf(url, key), refused: await answerOf(url) });
  const targets = {
    bare: { url: bare.told, key, pid: bare.process.pid ?? 0 },
    serve: { url, key, pid: served.process.pid ?? 0 },
  };
  let held = true;
  for (const kept of [false, true])
    for (const again of [false, true]) {
      const quiet = measured();
      const attacked = measured();
      for (let round = 0; round < rounds; round += 1)
        for (const name of ["bare", "serve"] as const) {
          await ask(targets[name], kept, quiet[name]);
          await underAttack(targets[name], { kept, again }, attacked[name]);
        }
      console.log(
        `GET /decks on ${kept ? "one connection" : "new connections"}, ${again ? "again and again" : "once"}`,
      );
      for (const [when, of] of Object.entries({ quiet, attacked }))
        for (const what of ["waited", "worked"] as const) {
          const [floor, reached] = [median(of.bare[what]), median(of.serve[what])];
          const [title, unit] = [`${when}: ${titles[what]}`, "µs"];
          tell(`${title}, bare server`, 1000 * floor, unit);
          tell(`${title}, deckhand serve`, 1000 * reached, unit);
          if (when === "attacked") held = judge(`${title}, ratio`, reached / floor, 2) && held;
          else tell(`${title}, ratio`, reached / floor, "");
        }
    }
  const [, peak] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${served.process.pid}/status`, "utf8")) ?? [];
  held = judge("peak memory", Number(peak) / 1024, 286, " MiB") && held;
  bare.process.kill();
  await served.stop();
  home.remove();
  return held;
}

/** In milliseconds. */
interface Measured {
  /** What the client waited for each answer. */
  readonly waited: number[];
  /** What the main thread of the server worked for a request, on average of each round: other programs do not lengthen it. */
  readonly worked: number[];
}

const titles = { waited: "median wait", worked: "processor time" };
const measured = () => ({
  bare: { waited: [], worked: [] } satisfies Measured as Measured,
  serve: { waited: [], worked: [] } satisfies Measured as Measured,
});

async function underAttack(target: Target, { kept, again }: Kind, into: Measured): Promise<void> {
  const attacker: Part<string> = await start("attack", { ...target, again });
  try {
    await ask(target, kept, into);
  } finally {
    attacker.process.kill();
    await once(attacker.process, "exit");
  }
}

async function ask(target: Target, kept: boolean, into: Measured): Promise<void> {
  const before = worked(target);
  const times = await run<number[]>("ask", { ...target, kept });
  into.worked.push((worked(target) - before) / times.length);
  into.waited.push(...times.slice(unmeasured));
}

const worked = ({ pid }: Target) =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function answerOf(url: string, key?: string, agent: Agent | false = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = key === undefined ? {} : { authorization: authorization(key) };
    request(`${url}/decks`, { headers, agent }, async (answer) => {
      let body = "";
      for await (const chunk of answer.setEncoding("utf8")) body += chunk;
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
    })
      .on("error", reject)
      .end();
  });
}

/** How long each request took, in milliseconds. */
async function askAll({ url, key, kept }: Target & Kind): Promise<number[]> {
  const agent = kept ? new Agent({ keepAlive: true, maxSockets: 1 }) : false;
  const times: number[] = [];
  for (let at = 0; at < requests + unmeasured; at += 1) {
    const began = performance.now();
    const { status } = await answerOf(url, key, agent);
    if (status !== 200) throw new Error(`answered with ${status}`);
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  if (agent !== false) agent.destroy();
  return times;
}

async function attack({ url, again }: Target & Kind): Promise<string> {
  const { port, host } = new URL(url);
  const head = Buffer.from(`GET /decks HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(1000));
  const dial = (): Socket => {
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    let left = pipelined / 1000;
    const more = () => {
      while (left > 0) {
        left -= 1;
        if (!socket.write(head)) return;
      }
    };
    socket.on("drain", more).pause();
    if (again) socket.on("close", dial);
    more();
    return socket;
  };
  await once(dial(), "connect");
  // Stays until it is killed, also once it is cut off.
  setInterval(() => {}, 60_000);
  return "begun";
}

function bare({ own, refused }: { readonly own: Answer; readonly refused: Answer }): Promise<string> {
  const [first, second] = [own, refused].map(({ status, headers, body }) => {
    const { date: _date, connection: _connection, "keep-alive": _keepAlive, ...rest } = headers;
    return { status, headers: rest as Record<string, string>, bytes: Buffer.from(body) };
  });
  return bareServer((incoming, response) => {
    const answer = incoming.headers.authorization === undefined ? second : first;
    if (answer === undefined) return;
    response.writeHead(answer.status, answer.headers);
    response.end(answer.bytes);
  });
}

await benchmark(main, { ask: askAll, attack, bare });
