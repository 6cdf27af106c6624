import { createServer, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setPriority } from "node:os";

/**
 * Attacks a service until it is ended, from a process of its own that steps back where others want the processor; or
 * takes the attack of another one as a bare server would (`decoy`), so that what attacking costs the machine can be told
 * from what it costs the service.
 */
interface Options {
  readonly kind: Hostility | "decoy";
  readonly port: number;
  /** How many connections do it at once. */
  readonly connections: number;
  /** Requests, or bytes of those that drip, that all connections send in a second. */
  readonly perSecond: number;
}

export const hostilities = [
  "idle",
  "slow-heads",
  "slow-bodies",
  "oversized-bodies",
  "oversized-heads",
  "nonsense",
  "wrong-keys",
  "no-key",
  "foreign-host",
] as const;
export type Hostility = (typeof hostilities)[number];

let requests = 0;
const say = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);
const wrongKey = () => `Basic ${btoa(`${Math.random().toString(36).repeat(3).slice(0, 32)}:`)}`;
const megabyte = Buffer.alloc(1024 * 1024, "x");

/** A connection that is opened again whenever the service cuts it. */
function dial(port: number, text: string, opened: () => void): { write(text: string | Buffer): void } {
  let socket: Socket | undefined;
  const open = () => {
    socket = connect(port, "127.0.0.1", opened);
    socket.on("error", () => {});
    socket.on("close", () => setTimeout(open, 100));
    socket.resume();
    socket.write(text);
    requests++;
  };
  open();
  return {
    write(bytes) {
      if (socket?.writable && socket.writableLength < megabyte.length) socket.write(bytes);
    },
  };
}

/** Sends one request after the other on a connection of its own, no more than its part of the pace. */
async function askOnAndOn({ port, connections, perSecond }: Options, send: Sent, first: () => void) {
  const gap = (1000 * connections) / perSecond;
  await pause(Math.random() * gap);
  for (;;) {
    const due = performance.now() + gap;
    await ask(port, send());
    requests++;
    first();
    await pause(Math.max(0, due - performance.now()));
  }
}

type Sent = () => {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly bytes?: Buffer;
};

function ask(port: number, { path = "/decks", headers = {}, bytes }: ReturnType<Sent>): Promise<void> {
  return new Promise((resolve) => {
    const outgoing = request({
      host: "127.0.0.1",
      port,
      path,
      method: bytes === undefined ? "GET" : "POST",
      headers,
      agent: false,
    });
    outgoing.on("response", (answer) =>
      answer
        .on("error", () => {})
        .on("close", resolve)
        .resume(),
    );
    outgoing.on("error", () => resolve());
    outgoing.end(bytes);
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const sent: Partial<Record<Hostility, Sent>> = {
  "wrong-keys": () => ({ headers: { authorization: wrongKey() } }),
  "no-key": () => ({}),
  "foreign-host": () => ({ headers: { host: "evil.example", authorization: wrongKey() } }),
  "oversized-heads": () => ({ path: `/${"a".repeat(15_000)}` }),
  "oversized-bodies": () => ({
    headers: { "content-type": "application/json", "content-length": String(12 * megabyte.length) },
    bytes: Buffer.concat(Array.from({ length: 12 }, () => megabyte)),
  }),
};
const begun: Partial<Record<Hostility, string>> = {
  idle: "",
  "slow-heads": "GET /decks HTTP/1.1\r\nhost: localhost\r\nx-slow: ",
  "slow-bodies": `POST /decks HTTP/1.1\r\nhost: localhost\r\nauthorization: ${wrongKey()}\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{`,
  nonsense: "\u0016\u0003\u0001\u0002\r\n\r\n",
};

async function attack(options: Options): Promise<void> {
  const { port, kind, connections, perSecond } = options;
  let opened = 0;
  const ready = () => {
    if (++opened !== connections) return;
    requests = 0;
    // Not before: on a busy machine, starting would take its time.
    setPriority(19);
    say({ ready: true });
  };
  const send = kind === "decoy" ? undefined : sent[kind];
  if (send !== undefined) {
    for (let at = 0; at < connections; at++) void askOnAndOn(options, send, ready);
    return;
  }
  const text = kind === "decoy" ? "" : (begun[kind] ?? "");
  const lines = Array.from({ length: connections }, () => dial(port, text, ready));
  if (kind === "idle") return;
  let at = 0;
  setInterval(() => {
    for (let left = perSecond / 50; left >= 1; left--) lines[at++ % lines.length]?.write("x");
  }, 20);
}

/** Answers everything at once with next to nothing. */
function decoy(): void {
  const server = createServer({ keepAliveTimeout: 20_000 }, (incoming, outgoing) => {
    const wrong =
      incoming.headers["authorization"] !== undefined && !/evil/.test(incoming.headers.host ?? "");
    incoming.resume();
    setTimeout(() => outgoing.writeHead(401).end(), wrong ? 250 : 0);
  });
  server.listen(0, "127.0.0.1", () => say({ port: (server.address() as AddressInfo).port }));
}

function main(options: Options): void {
  process.once("SIGTERM", () => {
    say({ requests });
    process.exit(0);
  });
  if (options.kind === "decoy") decoy();
  else void attack(options);
}

if (process.argv[2]?.startsWith("{")) main(JSON.parse(process.argv[2]) as Options);
