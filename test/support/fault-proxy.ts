import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** What the network and the machines on the way can do to a request or its answer. */
export const faults = [
  // The service does not hear of the request.
  "limited",
  "limited-with-pause",
  "error-page",
  "reset-before",
  // It does, and the answer does not get through.
  "error-page-after",
  "reset-after",
  "reset-inside",
  "truncated",
  "cut-without-length",
  "corrupt",
  "too-long",
  "huge-headers",
  "bad-gzip",
  "stall",
  // It does, and the answer gets through, one way or another.
  "delay",
  "drip",
  "gzip",
  "no-keep-alive",
] as const;
export type Fault = (typeof faults)[number];

export interface FaultProxyOptions {
  readonly target: string;
  random(): number;
  /** The share of requests that meet each fault, from 0 to 1. Those that are absent never happen. */
  readonly shares: Readonly<Partial<Record<Fault, number>>>;
  /** Milliseconds that the slow faults take at most; 20 if absent. */
  readonly slowness?: number;
}

export interface FaultProxy {
  readonly url: string;
  /** How often each fault happened so far. */
  readonly counts: Readonly<Partial<Record<Fault, number>>>;
  /** Every request that came, and what was done to it. */
  readonly log: readonly Passed[];
  /** The most requests that were on their way to the service at the same time. */
  readonly mostAtOnce: number;
  /** From now on nothing goes wrong. */
  calm(): void;
  close(): Promise<void>;
}

export interface Passed {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
  readonly fault: Fault | undefined;
  /** The status that the service answered with; undefined if it was not asked. */
  readonly status: number | undefined;
}

interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Buffer;
}

const page = (status: number) => `<html><head><title>${status}</title></head><body>Bad luck</body></html>`;

/** An HTTP proxy in front of a service that does to some requests what networks do, at random and as the seed says. */
export async function faultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { random, slowness = 20 } = options;
  let shares = Object.entries(options.shares) as [Fault, number][];
  const counts: Partial<Record<Fault, number>> = {};
  const log: Passed[] = [];
  const sockets = new Set<Socket>();
  let active = 0;
  let mostAtOnce = 0;

  const draw = (): Fault | undefined => {
    let left = random();
    for (const [fault, share] of shares) {
      left -= share;
      if (left < 0) return fault;
    }
    return undefined;
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, random() * slowness));

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const fault = draw();
    const { method = "GET", url = "/", socket } = incoming;
    if (fault !== undefined) counts[fault] = (counts[fault] ?? 0) + 1;
    const body = await collect(incoming);
    const note = (status?: number) => void log.push({ method, url, body, fault, status });
    if (fault === "limited" || fault === "limited-with-pause") {
      note();
      const headers = fault === "limited" ? {} : { "retry-after": "0" };
      outgoing.writeHead(429, { "content-type": "application/json", ...headers });
      return void outgoing.end('{"errors":["too many requests"]}');
    }
    if (fault === "error-page") {
      note();
      const status = 502 + Math.floor(random() * 3);
      outgoing.writeHead(status, { "content-type": "text/html" });
      return void outgoing.end(page(status));
    }
    if (fault === "reset-before") {
      note();
      return void socket.resetAndDestroy();
    }
    mostAtOnce = Math.max(mostAtOnce, ++active);
    if (fault === "delay") await pause();
    const answer = await ask(options.target, incoming, body).finally(() => {
      active--;
    });
    note(answer.status);
    await deliver(answer, fault, outgoing, { socket, random, pause });
  }

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    log,
    get mostAtOnce() {
      return mostAtOnce;
    },
    calm() {
      shares = [];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The same share for every fault but those left out. */
export function everyFault(share: number, but: readonly Fault[] = []): Partial<Record<Fault, number>> {
  return Object.fromEntries(faults.filter((fault) => !but.includes(fault)).map((fault) => [fault, share]));
}

async function collect(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function ask(target: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { host: _, connection: _c, ...headers } = incoming.headers;
    const outgoing = request(
      `${target}${incoming.url ?? "/"}`,
      { method: incoming.method, headers, agent: false },
      (answer) => {
        collect(answer).then(
          (whole) =>
            resolve({ status: answer.statusCode ?? 0, type: answer.headers["content-type"], body: whole }),
          reject,
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

interface Line {
  readonly socket: Socket;
  random(): number;
  pause(): Promise<unknown>;
}

async function deliver(
  { status, type, body }: Answer,
  fault: Fault | undefined,
  outgoing: ServerResponse,
  { socket, random, pause }: Line,
): Promise<void> {
  const part = body.subarray(0, Math.floor(random() * body.length));
  const typed = type === undefined ? {} : { "content-type": type };
  /** Writes the head by hand: Node would put right what is to be wrong. */
  const say = (lines: string[], bytes: Buffer) => {
    const head = [`HTTP/1.1 ${status} X`, ...(type === undefined ? [] : [`content-type: ${type}`]), ...lines];
    socket.write(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes]));
  };
  switch (fault) {
    case "error-page-after":
      outgoing.writeHead(502, { "content-type": "text/html" });
      return void outgoing.end(page(502));
    case "reset-after":
      return void socket.resetAndDestroy();
    case "reset-inside":
      say([`content-length: ${body.length}`], part);
      return void setImmediate(() => socket.resetAndDestroy());
    case "truncated":
      say([`content-length: ${body.length + 1}`], part);
      return void socket.end();
    case "cut-without-length":
      say(["connection: close"], part);
      return void socket.end();
    case "corrupt": {
      // A byte that no UTF-8 has: a change that leaves valid text is for TLS to find, not for a client.
      const wrong = Buffer.from(body);
      if (wrong.length > 0) wrong[Math.floor(random() * wrong.length)] = 0xff;
      outgoing.writeHead(status, typed);
      return void outgoing.end(wrong);
    }
    case "too-long":
      say([`content-length: ${Math.max(1, part.length)}`], body);
      return void socket.end();
    case "huge-headers":
      say([`x-padding: ${"x".repeat(40_000)}`, `content-length: ${body.length}`], body);
      return void socket.end();
    case "bad-gzip":
      outgoing.writeHead(status, { ...typed, "content-encoding": "gzip" });
      return void outgoing.end(gzipSync(body).subarray(0, 12));
    case "stall":
      return say([`content-length: ${body.length + 1}`], part);
    case "drip":
      outgoing.writeHead(status, typed);
      for (let at = 0; at < body.length; at += Math.ceil(body.length / 8)) {
        outgoing.write(body.subarray(at, at + Math.ceil(body.length / 8)));
        await pause();
      }
      return void outgoing.end();
    case "gzip":
      if (body.length === 0) break;
      outgoing.writeHead(status, { ...typed, "content-encoding": "gzip" });
      return void outgoing.end(gzipSync(body));
    case "no-keep-alive":
      // The head says that the connection stays, and then it does not.
      say([`content-length: ${body.length}`], body);
      return void setTimeout(() => socket.end(), random() * 3);
    default:
  }
  outgoing.writeHead(status, typed);
  outgoing.end(body);
}
