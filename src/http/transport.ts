import { setFlagsFromString } from "node:v8";
import type { buildConnector as undici } from "undici";
// Only the modules that one connection needs: undici's entry loads fetch, WebSocket, caches and proxies as well, and
// starting takes a fifth longer (dependencies.md, What start-up costs).
import buildConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import type { Cutoff, Transport, WireAnswer, WireRequest } from "../schema/index.ts";
import { parseBaseUrl } from "./base-url.ts";
import { Receiver } from "./receive.ts";
import { transportError } from "./transport-error.ts";

export interface NetworkOptions {
  readonly baseUrl: string;
  /** Milliseconds for making a connection; 10 s if not given. */
  readonly connectTimeout?: number | undefined;
  /** Milliseconds after which an idle connection is not used for what must not arrive twice; 1 s if not given. */
  readonly idleLimit?: number | undefined;
  /** Makes the connections, where they go through a proxy. */
  readonly connect?: Connect | undefined;
}

/** Begins to make a connection, as undici wants it. What it gives back calls that off. */
export type Connect = (options: undici.Options, callback: undici.Callback) => { destroy(): unknown };

/**
 * A service may close an idle connection at any moment; if it does just when a request goes out, no one knows whether
 * it arrived (wire.md, Answers). What must not arrive twice goes out on a new connection when the old one was idle for
 * this long, or when the service has closed one sooner than that. Services keep idle connections for some seconds.
 */
const defaultIdleLimit = 1000;
export const defaultConnectTimeout = 10_000;

/** After so many answers a connection is taken to be one that stays open. */
const wary = 20;

/** One keep-alive connection to the service. Only this file and proxy.ts load undici. */
export function createNetworkTransport(options: NetworkOptions): Transport {
  const { baseUrl, connectTimeout = defaultConnectTimeout, idleLimit = defaultIdleLimit } = options;
  calmWasmCompiler();
  const url = parseBaseUrl(baseUrl);
  // By concatenation: new URL("/cards", base) would drop the path of the base URL.
  const basePath = url.pathname.replace(/\/+$/, "");
  let closesSoon = false;
  const connect = options.connect ?? buildConnector({ timeout: connectTimeout, allowH2: false });
  const open = () =>
    openConnection(url, connect, (idle) => {
      if (idle < idleLimit) closesSoon = true;
    });
  let connection = open();

  async function avoidClosing(cutoff: Cutoff | undefined): Promise<void> {
    // If the service has just closed the connection behind its answer, word of it is about to arrive. One that does so
    // without a word in the answer does it soon; word that is there already undici sees to itself before it writes.
    if (connection.idleFor() !== undefined && !closesSoon && connection.trips() <= wary)
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 1);
        cutoff?.listen(resolve);
      });
    const idle = connection.idleFor();
    if (idle === undefined || (idle < idleLimit && !closesSoon)) return;
    void connection.close();
    connection = open();
  }

  async function send(wire: WireRequest): Promise<WireAnswer> {
    if (wire.repeatable === false) await avoidClosing(wire.cutoff);
    if (wire.cutoff?.happened) throw transportError(wire.cutoff.reason, { origin: url.origin, sent: false });
    const { client, begin } = connection;
    return new Promise((resolve, reject) => {
      const receiver = new Receiver(wire, {
        answered: resolve,
        failed: (error, sent) => reject(transportError(error, { origin: url.origin, sent })),
        ended: begin(),
      });
      client.dispatch(optionsOf(basePath, wire), receiver);
    });
  }

  return { send, close: () => connection.close() };
}

const optionsOf = (basePath: string, { method, path, query, headers, body }: WireRequest) => ({
  method: method as "GET",
  path: query === "" ? basePath + path : `${basePath}${path}?${query}`,
  headers,
  body: body ?? null,
});

interface Connection {
  readonly client: Client;
  /** How many requests it has carried. */
  trips(): number;
  /** Milliseconds since the last request ended; undefined if there is no connection or a request is under way. */
  idleFor(): number | undefined;
  /** Counts a request as under way until what it gives back is called, with whether the connection goes on after it. */
  begin(): (goesOn: boolean) => void;
  close(): Promise<void>;
}

/** @param onClosed is told when the service closes the connection, and how long it was idle then. */
function openConnection(url: URL, connect: Connect, onClosed: (idle: number) => void): Connection {
  let making: ReturnType<Connect> | undefined;
  const client = new Client(url.origin, {
    pipelining: 1,
    allowH2: false,
    // Both are left to the deadline of the attempt, which a drip of bytes cannot put off.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      making = connect(options, callback);
    },
  });
  let running = 0;
  let trips = 0;
  /** When the last request ended, if the connection went on after it and is still there. */
  let idleSince: number | undefined;
  client.on("connect", () => {
    making = undefined;
    trips = 0;
  });
  client.on("disconnect", (_url, _targets, error: NodeJS.ErrnoException) => {
    // That code is for connections that this side closes.
    if (running === 0 && idleSince !== undefined && error.code !== "UND_ERR_INFO")
      onClosed(performance.now() - idleSince);
    idleSince = undefined;
  });
  return {
    client,
    trips: () => trips,
    idleFor: () => (idleSince === undefined || running > 0 ? undefined : performance.now() - idleSince),
    begin() {
      running++;
      trips++;
      return (goesOn) => {
        running--;
        idleSince = goesOn ? performance.now() : undefined;
      };
    },
    close() {
      const closing = client.destroy();
      // undici waits for it, and as long as that takes the process would not end.
      making?.destroy();
      return closing;
    },
  };
}

/**
 * undici's HTTP parser is WebAssembly, which V8 compiles a second time, optimised, in the background once it is used;
 * Node 20 waits for that compiler before it exits, half as long again as a whole command takes. The parser is quick
 * enough without. Later lines of Node do not wait, and get slower by the flag.
 */
function calmWasmCompiler(): void {
  if (process.versions.node.startsWith("20.")) setFlagsFromString("--wasm-tiering-budget=1000000000");
}
