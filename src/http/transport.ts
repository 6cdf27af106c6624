import type { IncomingHttpHeaders } from "node:http";
import { setFlagsFromString } from "node:v8";
import type { Dispatcher, Pool } from "undici";
// undici's whole entry takes three times as long to load as the modules that a request needs.
import request from "undici/lib/api/api-request.js";
import Client from "undici/lib/dispatcher/client.js";
import { NotConfiguredError } from "../errors.ts";
import { isLoopback } from "../loopback.ts";
import type { Transport, WireAnswer, WireRequest } from "../schema/index.ts";
import { connectionFailure, lost, proxyFailure } from "./failure.ts";

export interface NetworkOptions {
  /** As `config` has checked it. */
  readonly baseUrl: string;
  /** Where HTTPS_PROXY, ALL_PROXY and NO_PROXY are looked up; no proxy is used if absent. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Milliseconds for making a connection; 10 s if absent. */
  readonly connectTimeout?: number | undefined;
}

/**
 * How long an idle connection is kept, in milliseconds. A service may close one just when a request goes out, and then
 * it is unknown whether the request arrived. Services keep idle connections for some seconds, so this is shorter.
 */
const keepAlive = 1000;

/**
 * A transport with one keep-alive connection to the service, through the proxy that the environment names.
 *
 * @throws NotConfiguredError for a proxy that cannot be used.
 */
export async function createNetworkTransport(options: NetworkOptions): Promise<Transport> {
  limitWasmCompiler();
  const url = new URL(options.baseUrl);
  // By concatenation: new URL("/cards", base) would drop the path of the base URL.
  const basePath = url.pathname.replace(/\/+$/, "");
  const connection = new Connection(options.connectTimeout ?? 10_000);
  const dispatcher = await connection.dispatcher(url, options.env ?? {});

  async function send(wire: WireRequest): Promise<WireAnswer> {
    // Two turns of the event loop, of which the first may be half over, in which undici notices that the connection was
    // closed or idle for too long before it writes a request that must not arrive twice.
    for (let turn = 0; turn < 2 && wire.repeatable === false && !wire.signal?.aborted; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    if (wire.signal?.aborted) throw lost("aborted", false);
    const wasSent = connection.watch();
    const failure = (error: unknown) =>
      wire.signal?.aborted
        ? lost("aborted", wasSent())
        : connectionFailure(error, { origin: url.origin, sent: wasSent() });
    const answered = request.call(dispatcher, {
      origin: url.origin,
      method: wire.method as Dispatcher.HttpMethod,
      path: wire.query === "" ? basePath + wire.path : `${basePath}${wire.path}?${wire.query}`,
      headers: wire.headers,
      body: wire.body ?? null,
      signal: wire.signal,
    });
    return new Promise((resolve, reject) => {
      // undici does not act on a signal while it connects.
      const abort = () => wasSent() || reject(failure(wire.signal?.reason));
      wire.signal?.addEventListener("abort", abort, { once: true });
      answered
        .then((data) => resolve(answerOf(wire.method, data)))
        .catch((error: unknown) => reject(failure(error)))
        .finally(() => wire.signal?.removeEventListener("abort", abort));
    });
  }

  return { send, close: () => dispatcher.destroy() };
}

/** Makes undici's clients and records whether they are connected, which tells whether a request may have gone out. */
class Connection {
  readonly #connectTimeout: number;
  #connected = false;
  #connections = 0;

  constructor(connectTimeout: number) {
    this.#connectTimeout = connectTimeout;
  }

  /** undici's client for the service, or its proxy agent where a proxy may have to be used. */
  async dispatcher(url: URL, env: NodeJS.ProcessEnv): Promise<Dispatcher> {
    const options = {
      pipelining: 1,
      allowH2: false,
      // The attempt has a deadline of its own: a body that drips keeps putting these off.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAlive,
      keepAliveMaxTimeout: keepAlive,
      connect: { timeout: this.#connectTimeout },
    };
    const proxy = proxyOf(url, env);
    if (proxy === undefined) return this.#client(url.origin, options);
    const { EnvHttpProxyAgent, Pool } = await import("undici");
    const tls = { timeout: this.#connectTimeout };
    try {
      return new EnvHttpProxyAgent({
        ...options,
        httpsProxy: proxy.uri,
        noProxy: proxy.exceptions,
        requestTls: tls,
        proxyTls: tls,
        factory: (origin, given) => this.#client(origin, given),
        clientFactory: (origin, given) => namingProxy(new Pool(origin, given), new URL(origin).host),
      });
    } catch {
      // The cause quotes the URL, which may hold a password.
      throw new NotConfiguredError(`${proxy.variable} does not name a proxy that deckhand can use`, {
        hint: `Set it to http://<host>:<port>, with <user>:<password>@ before the host if need be (a % in them is %25), or name ${url.hostname} in NO_PROXY.`,
      });
    }
  }

  #client(origin: string | URL, options: object): Client {
    const client = new Client(origin, options);
    client.on("connect", () => {
      this.#connected = true;
      this.#connections++;
    });
    client.on("disconnect", () => {
      this.#connected = false;
    });
    return client;
  }

  /** Call it before a request is sent: the result says whether a byte of that request may have gone out. */
  watch(): () => boolean {
    const connections = this.#connected ? -1 : this.#connections;
    return () => this.#connections !== connections;
  }
}

interface Proxy {
  readonly variable: string;
  readonly uri: string;
  /** As in NO_PROXY. */
  readonly exceptions: string;
}

/** What the environment says about proxies; undefined where none is used: over plain http and on this machine. */
function proxyOf(url: URL, env: NodeJS.ProcessEnv): Proxy | undefined {
  if (url.protocol !== "https:" || isLoopback(url.hostname)) return undefined;
  const variableOf = (name: string) => (env[name.toLowerCase()] || env[name] || "").trim();
  const variable = variableOf("HTTPS_PROXY") === "" ? "ALL_PROXY" : "HTTPS_PROXY";
  const value = variableOf(variable);
  if (value === "") return undefined;
  const uri = value.includes("://") ? value : `http://${value}`;
  return { variable, uri, exceptions: variableOf("NO_PROXY") };
}

function answerOf(method: string, { statusCode, headers, body }: Dispatcher.ResponseData): WireAnswer {
  const empty = method === "HEAD" || statusCode === 204 || statusCode === 304;
  return { status: statusCode, headers: singleValues(headers), body: empty ? null : body };
}

const singleValues = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value = ""]) => [name, [value].flat().join(", ")]));

/** The connections to a proxy, with its errors as ours. After some of its own, undici would connect again for ever. */
function namingProxy(pool: Pool, host: string): Pool {
  const connect = pool.connect.bind(pool);
  return Object.assign(pool, {
    connect: async (options: Dispatcher.ConnectOptions) => {
      const data = await connect(options).catch((error: NodeJS.ErrnoException) => {
        throw proxyFailure(host, error.code ?? error.message, error);
      });
      if (data.statusCode === 200) return data;
      data.socket.destroy();
      throw proxyFailure(host, data.statusCode);
    },
  });
}

/**
 * undici's HTTP parser is WebAssembly, which V8 compiles a second time, optimised, in the background. Node 20 waits for
 * that compiler before it exits, which takes half as long as a whole command. Later versions of Node do not wait, and
 * are slower with the flag.
 */
function limitWasmCompiler(): void {
  if (process.versions.node.startsWith("20.")) setFlagsFromString("--wasm-tiering-budget=1000000000");
}
