import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** One connection on which something goes wrong. */
interface Line {
  readonly socket: Socket;
  readonly outgoing: ServerResponse;
  random(): number;
  /** Up to `slowness` milliseconds. */
  pause(): Promise<unknown>;
}

interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Buffer;
}

const page = (status: number) => `<html><head><title>${status}</title></head><body>Bad luck</body></html>`;

function sendPage({ outgoing }: Line, status: number, headers: Record<string, string> = {}): void {
  outgoing.writeHead(status, { "content-type": "text/html", ...headers });
  outgoing.end(page(status));
}

function sendLimit({ outgoing }: Line, headers: Record<string, string>): void {
  outgoing.writeHead(429, { "content-type": "application/json", ...headers });
  outgoing.end('{"errors":["too many requests"]}');
}

/** Writes the head by hand: Node would correct what is to be wrong. */
function say({ socket }: Line, { status, type }: Answer, lines: readonly string[], bytes: Uint8Array): void {
  const head = [`HTTP/1.1 ${status} X`, ...(type === undefined ? [] : [`content-type: ${type}`]), ...lines];
  socket.write(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes]));
}

const typed = ({ type }: Answer) => (type === undefined ? {} : { "content-type": type });
const part = ({ body }: Answer, { random }: Line) => body.subarray(0, Math.floor(random() * body.length));

function sendText({ outgoing }: Line, { status }: Answer, type: string, text: string): void {
  outgoing.writeHead(status, { "content-type": type });
  outgoing.end(text);
}

/** The service does not hear of the request. */
const before = {
  limited: (line) => sendLimit(line, {}),
  "limited-with-pause": (line) => sendLimit(line, { "retry-after": "0" }),
  "error-page": (line) => sendPage(line, 502 + Math.floor(line.random() * 3)),
  "reset-before": ({ socket }) => socket.resetAndDestroy(),
  "close-before": ({ socket }) => socket.end(),
  "silence-before": () => {},
  "redirect-before": (line) => sendPage(line, 302, { location: "https://login.example/" }),
  "timeout-page-before": (line) => sendPage(line, 408),
  "captive-portal": (line) => sendPage(line, 200),
  "not-http-before": ({ socket }) => socket.end("220 mail.example ESMTP\r\n"),
} satisfies Record<string, (line: Line) => unknown>;

/** The service carries the request out, and its answer does not get through. */
const lost = {
  "error-page-after": (_, line) => sendPage(line, 502),
  "busy-page-after": (_, line) => sendPage(line, 503, { "retry-after": "0" }),
  "gateway-timeout-after": (_, line) => sendPage(line, 504),
  "redirect-after": (_, line) => sendPage(line, 302, { location: "/elsewhere" }),
  "see-other-after": (_, line) => sendPage(line, 303, { location: "/cards" }),
  "not-modified-after": (_, { outgoing }) => outgoing.writeHead(304).end(),
  "timeout-page-after": (_, line) => sendPage(line, 408),
  "client-gone-after": (_, line) => sendPage(line, 499),
  "reset-after": (_, { socket }) => socket.resetAndDestroy(),
  "close-after": (_, { socket }) => socket.end(),
  "silence-after": () => {},
  "half-head": (_, { socket }) => socket.end("HTTP/1.1 200 OK\r\ncontent-le"),
  "not-http-after": (_, { socket }) => socket.end("\u0000\u0001 not HTTP at all\r\n\r\n"),
  "reset-inside": (answer, line) => {
    say(line, answer, [`content-length: ${answer.body.length}`], part(answer, line));
    setImmediate(() => line.socket.resetAndDestroy());
  },
  truncated: (answer, line) => {
    say(line, answer, [`content-length: ${answer.body.length + 1}`], part(answer, line));
    line.socket.end();
  },
  "cut-without-length": (answer, line) => {
    say(line, answer, ["connection: close"], part(answer, line));
    line.socket.end();
  },
  "cut-chunks": (answer, line) => {
    const bytes = part(answer, line);
    const chunk = Buffer.concat([Buffer.from(`${(bytes.length + 9).toString(16)}\r\n`), bytes]);
    say(line, answer, ["transfer-encoding: chunked"], chunk);
    line.socket.end();
  },
  "bad-chunks": (answer, line) => {
    say(line, answer, ["transfer-encoding: chunked"], Buffer.from("zz\r\nnothing\r\n"));
    line.socket.end();
  },
  corrupt: (answer, { random, outgoing }) => {
    // A byte that UTF-8 never has: a change that leaves valid text is for TLS to find, not for a client.
    const wrong = Buffer.from(answer.body);
    if (wrong.length > 0) wrong[Math.floor(random() * wrong.length)] = 0xff;
    outgoing.writeHead(answer.status, typed(answer));
    outgoing.end(wrong);
  },
  "too-long": (answer, line) => {
    say(line, answer, [`content-length: ${Math.max(1, part(answer, line).length)}`], answer.body);
    line.socket.end();
  },
  "two-lengths": (answer, line) => {
    say(line, answer, ["content-length: 3", `content-length: ${answer.body.length}`], answer.body);
    line.socket.end();
  },
  "huge-headers": (answer, line) => {
    say(
      line,
      answer,
      [`x-padding: ${"x".repeat(40_000)}`, `content-length: ${answer.body.length}`],
      answer.body,
    );
    line.socket.end();
  },
  "unknown-coding": (answer, { outgoing }) => {
    outgoing.writeHead(answer.status, { ...typed(answer), "content-encoding": "gzip" });
    outgoing.end(answer.body);
  },
  "empty-body": (answer, { outgoing }) => outgoing.writeHead(answer.status, typed(answer)).end(),
  "no-content": (_, { outgoing }) => outgoing.writeHead(204).end(),
  "web-page": (answer, line) => sendPage(line, answer.status),
  "plain-text": (answer, line) => sendText(line, answer, "text/plain", "OK"),
  "json-null": (answer, line) => sendText(line, answer, "application/json", "null"),
  "json-list": (answer, line) => sendText(line, answer, "application/json", "[]"),
  "other-json": (answer, line) => sendText(line, answer, "application/json", '{"ok":true}'),
  stall: (answer, line) =>
    say(line, answer, [`content-length: ${answer.body.length + 1}`], part(answer, line)),
} satisfies Record<string, (answer: Answer, line: Line) => unknown>;

/** The service carries the request out, and its answer gets through, one way or another. */
const harmless = {
  delay: async (answer, { outgoing, pause }) => {
    await pause();
    outgoing.writeHead(answer.status, typed(answer)).end(answer.body);
  },
  drip: async (answer, { outgoing, pause }) => {
    outgoing.writeHead(answer.status, typed(answer));
    const size = Math.ceil(answer.body.length / 8);
    for (let at = 0; at < answer.body.length; at += size) {
      outgoing.write(answer.body.subarray(at, at + size));
      await pause();
    }
    outgoing.end();
  },
  "no-keep-alive": (answer, line) => {
    // The head says that the connection stays, and then it does not.
    say(line, answer, [`content-length: ${answer.body.length}`], answer.body);
    setTimeout(() => line.socket.end(), line.random() * 3);
  },
  "hints-first": (answer, line) => {
    line.socket.write("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n");
    say(line, answer, [`content-length: ${answer.body.length}`], answer.body);
    line.socket.end();
  },
  "http-1.0": ({ status, type, body }, { socket }) => {
    socket.end(Buffer.concat([Buffer.from(`HTTP/1.0 ${status} X\r\ncontent-type: ${type}\r\n\r\n`), body]));
  },
} satisfies Record<string, (answer: Answer, line: Line) => unknown>;

export type Fault = keyof typeof before | keyof typeof lost | keyof typeof harmless;

/** What the network and the machines on the way can do to a request or its answer. */
export const faults = [before, lost, harmless].flatMap((group) => Object.keys(group) as Fault[]);

/** Those that happen together in tests of a whole run. */
const usual: readonly Fault[] = [
  ...(["limited", "limited-with-pause", "error-page", "reset-before", "error-page-after"] as const),
  ...(["reset-after", "reset-inside", "truncated", "cut-without-length", "corrupt", "too-long"] as const),
  ...(["huge-headers", "stall", "delay", "drip", "no-keep-alive"] as const),
];

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
    const line: Line = { socket, outgoing, random, pause };
    const unasked = fault === undefined ? undefined : (before as Effects<[Line]>)[fault];
    if (unasked !== undefined) {
      log.push({ method, url, body, fault, status: undefined });
      return void unasked(line);
    }
    mostAtOnce = Math.max(mostAtOnce, ++active);
    const answer = await ask(options.target, incoming, body).finally(() => {
      active--;
    });
    log.push({ method, url, body, fault, status: answer.status });
    const deliver =
      fault === undefined ? undefined : ({ ...lost, ...harmless } as Effects<[Answer, Line]>)[fault];
    if (deliver !== undefined) return void (await deliver(answer, line));
    outgoing.writeHead(answer.status, typed(answer));
    outgoing.end(answer.body);
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

type Effects<Given extends unknown[]> = Readonly<Record<string, ((...given: Given) => unknown) | undefined>>;

/** The same share for each of the usual faults but those left out. */
export function everyFault(share: number, but: readonly Fault[] = []): Partial<Record<Fault, number>> {
  return Object.fromEntries(usual.filter((fault) => !but.includes(fault)).map((fault) => [fault, share]));
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
