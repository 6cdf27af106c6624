import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WireRequest } from "../schema/index.ts";
import type { Study } from "../study/index.ts";
import { problemAnswer } from "./answers.ts";
import type { Application } from "./app.ts";
import { Connection } from "./connection.ts";
import { notFound, Problem } from "./errors.ts";
import { createGuard, type Guard } from "./guard.ts";
import { type Answered, requestIdHeader } from "./pipeline.ts";
import { hasBody, sendAnswer, type TransferLimits, watchUpload, writeClientError } from "./transfer.ts";

export interface ServerOptions extends Partial<TransferLimits> {
  /** The address or name to listen on. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The path under which the service answers, `/api` for example; the root if absent. */
  readonly basePath?: string | undefined;
  /** Further names that a request may give as its host; addresses, `localhost` and `host` are always allowed. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Answers the paths of the study page. */
  readonly study?: Pick<Study, "answer"> | undefined;
  /** Whether nothing else is answered. */
  readonly only?: "study" | undefined;
  /** How long the head of a request may take to arrive, in milliseconds; 15 seconds if absent. */
  readonly headTimeout?: number | undefined;
  /** How long requests in flight may take once the server closes, in milliseconds; 10 seconds if absent. */
  readonly grace?: number | undefined;
  /** Receives each request once it was answered, or its connection was lost. */
  readonly onAccess?: ((access: Access) => void) | undefined;
}

/** A line of an access log. The key is in none of it. */
export interface Access {
  /** What the client or a proxy called the request in `X-Request-Id`, else a random one. */
  readonly id: string;
  readonly method: string;
  /** Path and query as they were sent, but for what may be a key. */
  readonly target: string;
  readonly address: string | undefined;
  /** Whose key it was; undefined without a valid one. */
  readonly account: string | undefined;
  /** Undefined where the connection was lost before the answer began. */
  readonly status: number | undefined;
  /** Whether the whole answer was sent. */
  readonly complete: boolean;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

interface RunningServer {
  /** `http://<host>:<port>`, and the base path. */
  readonly url: string;
  /** Accepts no more requests, finishes those in flight and ends all connections. The application stays open. */
  close(): Promise<void>;
}

/**
 * Serves the application on a port.
 *
 * @throws the error of listening (`EADDRINUSE`, …) as Node reports it.
 */
export async function startServer(application: Application, options: ServerOptions): Promise<RunningServer> {
  const { host, basePath = "", allowedHosts = [], headTimeout = 15_000, grace = 10_000 } = options;
  const site: Site = {
    ...options,
    application,
    guard: createGuard([host, ...allowedHosts]),
    basePath,
    limits: { idleTimeout: options.idleTimeout ?? 60_000, stallTimeout: options.stallTimeout ?? 5_000 },
  };
  const server = createServer({
    headersTimeout: headTimeout,
    // Uploads may take as long as they need while they make progress: see transfer.ts.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(headTimeout, 5_000),
    keepAliveTimeout: 20_000,
    // Answered by refuseAmbiguous, like every other refusal.
    requireHostHeader: false,
  });
  server.timeout = site.limits.idleTimeout;
  // A client that has ended its side still waits for its answer. Node's types do not have this option.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = new Map<Duplex, Connection>();
  server.on("connection", (socket: Socket) => {
    connections.set(socket, new Connection(socket));
    socket.once("close", () => connections.delete(socket));
  });
  server.on("clientError", (error, socket) => {
    // Half an answer must not be followed by another one.
    if (connections.get(socket)?.isAnswering === true) socket.destroy();
    else writeClientError(error, socket);
  });
  server.on("request", (incoming, outgoing) => {
    connections.get(incoming.socket)?.add(outgoing, () => serve(site, incoming, outgoing));
  });
  await application.preload();
  await listening(server, options);
  return { url: urlOf(server) + basePath, close: () => close(server, connections, grace) };
}

interface Site extends ServerOptions {
  readonly application: Application;
  readonly guard: Guard;
  readonly basePath: string;
  readonly limits: TransferLimits;
}

export function listening(
  server: Server,
  { host, port }: Pick<ServerOptions, "host" | "port">,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

export function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function close(server: Server, connections: ReadonlyMap<Duplex, Connection>, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), grace);
    server.close(() => {
      clearTimeout(impatient);
      resolve();
    });
    for (const connection of connections.values()) connection.close();
  });
}

async function serve(site: Site, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { onAccess } = site;
  let account: string | undefined;
  if (onAccess !== undefined) {
    nameRequest(incoming, outgoing);
    const access = accessOf(incoming, outgoing);
    outgoing.once("close", () => onAccess(access(account)));
  }
  try {
    watchUpload(incoming, site.limits);
    const answer = await answered(site, incoming);
    account = answer.account;
    await sendAnswer(answer, incoming, outgoing);
  } catch {
    // Not even the failure could be reported. It must not end the process.
    outgoing.destroy();
  }
}

/** Gives a request the name that its lines in the logs have. The answer has it, too. */
function nameRequest({ headers }: IncomingMessage, outgoing: ServerResponse): void {
  const given = headers[requestIdHeader];
  const id = typeof given === "string" && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
  headers[requestIdHeader] = id;
  outgoing.setHeader(requestIdHeader, id);
}

/** @returns what is known at the end of the request, given its account */
function accessOf(incoming: IncomingMessage, outgoing: ServerResponse) {
  const began = performance.now();
  const address = incoming.socket.remoteAddress;
  return (account: string | undefined): Access => ({
    id: headersOf(incoming)[requestIdHeader] ?? "",
    method: methodOf(incoming),
    target: withoutKeys(targetOf(incoming)),
    address,
    account,
    status: outgoing.headersSent ? outgoing.statusCode : undefined,
    complete: outgoing.writableFinished,
    ms: performance.now() - began,
  });
}

async function answered(site: Site, incoming: IncomingMessage): Promise<Answered> {
  try {
    refuseAmbiguous(incoming);
    site.guard(methodOf(incoming), headersOf(incoming));
    const request = requestOf(incoming, site.basePath);
    const page = await site.study?.answer(request);
    if (page !== undefined) return { ...page, release: () => {} };
    if (site.only === "study") throw notFound("there is nothing at this path");
    return await site.application.answer(request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { answer: await problemAnswer(error, "json"), release: () => {} };
  }
}

/**
 * Refuses a head that a proxy in front of this server may have read in another way: two names of the host or two keys,
 * of which Node keeps the first, and codings of the body other than chunks (RFC 9112, 3.2 and 6.1). Lengths that
 * contradict each other are refused by Node's parser.
 *
 * @throws Problem 400 or 501; the connection ends with it
 */
function refuseAmbiguous({ headersDistinct, httpVersion }: IncomingMessage): void {
  const count = (name: string) => headersDistinct[name]?.length ?? 0;
  const refuse = (status: number, message: string) => new Problem(status, [message], { connection: "close" });
  if (count("host") > 1 || (count("host") === 0 && httpVersion === "1.1"))
    throw refuse(400, "a request needs exactly one Host header");
  if (count("authorization") > 1) throw refuse(400, "a request may have one Authorization header");
  if (count("transfer-encoding") === 0) return;
  if (httpVersion !== "1.1") throw refuse(400, "HTTP/1.0 has no Transfer-Encoding");
  if (headersDistinct["transfer-encoding"]?.join().trim().toLowerCase() !== "chunked")
    throw refuse(501, "the only Transfer-Encoding that is supported is chunked");
}

/**
 * The request as the application knows it; its target may be a path or, from a proxy, a whole URL.
 *
 * @throws Problem 404 for a path outside the base path.
 */
function requestOf(incoming: IncomingMessage, basePath: string): WireRequest {
  const target = targetOf(incoming);
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  return {
    method: methodOf(incoming),
    path: pathUnder(basePath, path === "" ? "/" : path),
    query: mark === -1 ? "" : target.slice(mark + 1),
    headers: headersOf(incoming),
    body: hasBody(incoming) ? incoming : undefined,
  };
}

/** Path and query, without the scheme, the host and what else a whole URL has. */
const targetOf = ({ url = "/" }: IncomingMessage) => url.replace(/^https?:\/\/[^/?]*/i, "");

/** A client may put its key into the URL by mistake. Keys, also in base64, are runs of letters and digits, or of their escapes. */
const withoutKeys = (target: string) =>
  target.replace(/(?:[0-9A-Za-z]|%(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])){32,}/g, "[masked]");

/** @throws Problem 404 for a path outside the base path. */
function pathUnder(basePath: string, path: string): string {
  if (path === basePath) return "/";
  if (path.startsWith(`${basePath}/`)) return path.slice(basePath.length);
  throw notFound("there is nothing at this path");
}

const methodOf = ({ method }: IncomingMessage) => method ?? "GET";

/** Node joins repeated headers into one string, all but `set-cookie`, which requests do not have. */
const headersOf = ({ headers }: IncomingMessage) => headers as Record<string, string>;
