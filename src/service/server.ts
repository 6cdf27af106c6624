import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { WireRequest } from "../schema/index.ts";
import { problemAnswer } from "./answers.ts";
import type { Answered, Application } from "./app.ts";
import { notFound, Problem } from "./errors.ts";
import { type HostNames, refuseForeign } from "./guard.ts";
import { drain, hasBody, watchBody, writeAnswer, writeClientError } from "./socket.ts";

export interface ServerOptions {
  /** The address or name to listen on. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** The path below which it answers, `/api` for example; without it the root. */
  readonly basePath?: string | undefined;
  /** Further names under which it may be called; addresses, `localhost` and `host` always may. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Milliseconds in which the head of a request has to come; 15 seconds if absent. */
  readonly headTimeout?: number | undefined;
  /** Milliseconds without a byte in either direction after which a connection is given up; 60 seconds if absent. */
  readonly idleTimeout?: number | undefined;
  /** Milliseconds that requests in flight are given when the server closes; 10 seconds if absent. */
  readonly grace?: number | undefined;
}

export interface RunningServer {
  /** `http://<host>:<port>`, and the base path. */
  readonly url: string;
  /** Takes no more requests, finishes those in flight, and ends all connections. The application stays open. */
  close(): Promise<void>;
}

/**
 * Puts the application on a port.
 *
 * @throws the error of listening (`EADDRINUSE`, …) as Node gives it.
 */
export async function startServer(application: Application, options: ServerOptions): Promise<RunningServer> {
  const headTimeout = options.headTimeout ?? 15_000;
  const site: Site = {
    names: new Set([options.host, ...(options.allowedHosts ?? [])].map((name) => name.toLowerCase())),
    basePath: options.basePath ?? "",
  };
  const connections = createConnections();
  const server = createServer({
    headersTimeout: headTimeout,
    // Uploads may take as long as they need while they keep coming: watchBody sees to that.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(headTimeout, 5_000),
    keepAliveTimeout: 20_000,
  });
  server.timeout = options.idleTimeout ?? 60_000;
  server.on("connection", connections.opened);
  server.on("clientError", writeClientError);
  server.on("request", (incoming, outgoing) => {
    const begin = () => {
      connections.began(outgoing);
      // What cannot even be told cannot be answered either; it must not end the process.
      serve(application, site, incoming, outgoing).catch(() => outgoing.destroy());
    };
    // One that was sent behind another begins when that is answered. Until then it would not be told that the connection
    // is lost, and would keep its slot for ever.
    if (outgoing.socket === null) outgoing.once("socket", begin);
    else begin();
  });
  await listening(server, options);
  return {
    url: urlOf(server) + site.basePath,
    close: () => close(server, connections, options.grace ?? 10_000),
  };
}

/** Under which names it answers, and below which path. */
interface Site {
  readonly names: HostNames;
  readonly basePath: string;
}

function listening(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function close(server: Server, connections: Connections, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), grace);
    server.close(() => {
      clearTimeout(impatient);
      resolve();
    });
    connections.close();
  });
}

/** What the server knows of its connections: Node counts one that never sent a request among the busy ones. */
interface Connections {
  opened(socket: Socket): void;
  began(outgoing: ServerResponse): void;
  /** Ends those without a request in flight, and each other one when its last request is answered. */
  close(): void;
}

function createConnections(): Connections {
  const requests = new Map<Socket, number>();
  let closing = false;
  return {
    opened(socket) {
      requests.set(socket, 0);
      socket.once("close", () => requests.delete(socket));
    },
    began(outgoing) {
      const socket = outgoing.socket;
      if (socket === null) return;
      requests.set(socket, (requests.get(socket) ?? 0) + 1);
      if (closing) outgoing.shouldKeepAlive = false;
      outgoing.once("close", () => {
        const left = (requests.get(socket) ?? 1) - 1;
        if (requests.has(socket)) requests.set(socket, left);
        if (closing && left === 0) socket.destroySoon();
      });
    },
    close() {
      closing = true;
      for (const [socket, count] of requests) if (count === 0) socket.destroy();
    },
  };
}

async function serve(
  application: Application,
  site: Site,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  if (hasBody(incoming)) watchBody(incoming);
  const { answer, release } = await answered(application, site, incoming);
  if (outgoing.closed) release();
  else outgoing.once("close", release);
  writeAnswer(answer, outgoing);
  drain(incoming, outgoing);
}

function answered(application: Application, site: Site, incoming: IncomingMessage): Promise<Answered> {
  try {
    refuseForeign(methodOf(incoming), headersOf(incoming), site.names);
    return application.answer(requestOf(incoming, site.basePath));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refusal(error);
  }
}

async function refusal(problem: Problem): Promise<Answered> {
  return { answer: await problemAnswer(problem, "json"), release: () => {} };
}

/** @throws Problem 404 for a path that is not below the base path. */
function pathBelow(basePath: string, path: string): string {
  if (path === basePath) return "/";
  if (path.startsWith(`${basePath}/`)) return path.slice(basePath.length);
  throw notFound("there is nothing at this path");
}

/**
 * The request as the application knows it; whichever form its target had.
 *
 * @throws Problem 404 for a path that is not below the base path.
 */
function requestOf(incoming: IncomingMessage, basePath: string): WireRequest {
  const target = (incoming.url ?? "/").replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  return {
    method: methodOf(incoming),
    path: pathBelow(basePath, path === "" ? "/" : path),
    query: mark === -1 ? "" : target.slice(mark + 1),
    headers: headersOf(incoming),
    body: hasBody(incoming) ? incoming : undefined,
  };
}

const methodOf = ({ method }: IncomingMessage) => method ?? "GET";

/** Node has joined what came several times; all but `set-cookie`, which belongs to answers. */
const headersOf = ({ headers }: IncomingMessage) => headers as Record<string, string>;
