import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { WireAnswer, WireRequest } from "../schema/index.ts";
import type { Application } from "./app.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

export interface RunningServer {
  /** `http://<host>:<port>` */
  readonly url: string;
  /** Takes no more requests, finishes those in flight, and ends the connections. The application stays open. */
  close(): Promise<void>;
}

/** Puts the application on a port. */
export async function startServer(application: Application, options: ServerOptions): Promise<RunningServer> {
  const server = createServer((incoming, outgoing) => {
    void serve(application, incoming, outgoing);
  });
  await listening(server, options);
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve()))),
  };
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

async function serve(
  application: Application,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { answer, release } = await application.answer(requestOf(incoming));
  outgoing.once("close", release);
  write(answer, outgoing);
}

function requestOf(incoming: IncomingMessage): WireRequest {
  const url = incoming.url ?? "/";
  const mark = url.indexOf("?");
  return {
    method: incoming.method ?? "GET",
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? "" : url.slice(mark + 1),
    headers: incoming.headers as Record<string, string>,
    body: incoming,
  };
}

function write(answer: WireAnswer, outgoing: ServerResponse): void {
  const { status, headers, body } = answer;
  if (body instanceof Readable) {
    outgoing.writeHead(status, headers);
    body.on("error", () => outgoing.destroy()).pipe(outgoing);
    outgoing.once("close", () => body.destroy());
    return;
  }
  const bytes = typeof body === "string" ? Buffer.from(body) : (body ?? undefined);
  outgoing.writeHead(status, bytes === undefined ? headers : { ...headers, "content-length": bytes.length });
  outgoing.end(bytes);
}
