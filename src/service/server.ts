import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WireRequest } from "../schema/index.ts";
import { problemAnswer } from "./answers.ts";
import type { Answered, Application } from "./app.ts";
import { notFound, Problem } from "./errors.ts";
import { createGuard, type Guard } from "./guard.ts";
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
    guard: createGuard([options.host, ...(options.allowedHosts ?? [])]),
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
  // A client that says that it sends no more still waits for its answer. Node's types do not have it.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("connection", connections.opened);
  server.on("clientError", (error, socket) => {
    if (!connections.spoilt(socket)) writeClientError(error, socket);
  });
  server.on("request", (incoming, outgoing) => {
    const begin = () => {
      if (!connections.began(outgoing)) return;
      // What cannot even be told cannot be answered either; it must not end the process.
      serve(application, site, incoming, outgoing).catch(() => outgoing.destroy());
    };
    // One that was sent behind another begins when that is answered. Until then it would not be told that the connection
    // is lost, and would keep its slot for ever.
    if (outgoing.socket === null) {
      connections.queued(incoming.socket);
      outgoing.once("socket", begin);
    } else begin();
  });
  await listening(server, options);
  return {
    url: urlOf(server) + site.basePath,
    close: () => close(server, connections, options.grace ?? 10_000),
  };
}

/** Who may ask it, and below which path it answers. */
interface Site {
  readonly guard: Guard;
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
  /** Told of a request that came whole or in part behind one that is not answered yet. */
  queued(socket: Socket): void;
  /** @returns false where the connection has ended, or does with the answer before: then there is to be none. */
  began(outgoing: ServerResponse): boolean;
  /**
   * Told that what came is no HTTP. Behind a request that came whole it takes nothing from its answer, but the connection
   * ends with that.
   *
   * @returns whether there is such an answer
   */
  spoilt(socket: Duplex): boolean;
  /** Ends those without a request in flight, and each other one when its last request is answered. */
  close(): void;
}

interface Connection {
  /** The answer in flight: of several requests, each begins when the one before is answered. */
  answer: ServerResponse | undefined;
  /** How many requests wait behind that. */
  behind: number;
  /** Whether it ends when the last of them is answered. */
  ending: boolean;
  /** Whether it ends with the answer in flight: what came behind is no HTTP. */
  spoilt: boolean;
}

function createConnections(): Connections {
  const connections = new Map<Duplex, Connection>();
  const tell = (connection: Connection) => {
    const last = connection.spoilt || (connection.ending && connection.behind === 0);
    if (last && connection.answer !== undefined) connection.answer.shouldKeepAlive = false;
  };
  return {
    opened(socket) {
      connections.set(socket, { answer: undefined, behind: 0, ending: false, spoilt: false });
      socket.once("close", () => connections.delete(socket));
    },
    queued(socket) {
      const connection = connections.get(socket);
      if (connection !== undefined) connection.behind++;
    },
    began(outgoing) {
      const { socket } = outgoing;
      const connection = socket === null ? undefined : connections.get(socket);
      if (socket === null || connection === undefined || connection.spoilt) return false;
      // Only one that waited finds the answer before it still there.
      if (connection.behind > 0) connection.behind--;
      connection.answer = outgoing;
      tell(connection);
      outgoing.once("close", () => {
        // The next one may have begun.
        if (connection.answer === outgoing) connection.answer = undefined;
        if ((connection.ending || connection.spoilt) && connection.answer === undefined) socket.destroySoon();
      });
      return true;
    },
    spoilt(socket) {
      const connection = connections.get(socket);
      if (connection?.answer?.req.complete !== true) return false;
      connection.spoilt = true;
      tell(connection);
      return true;
    },
    close() {
      for (const [socket, connection] of connections) {
        connection.ending = true;
        tell(connection);
        if (connection.answer === undefined) socket.destroy();
      }
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
    site.guard(methodOf(incoming), headersOf(incoming));
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
