import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";

export interface FakeService {
  readonly url: string;
  /** Every request as it arrived, body included. */
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** Which connection carried it, from 0. */
  readonly connection: number;
}

export type Handler = (
  request: ReceivedRequest,
  response: ServerResponse,
  /** Which request it is, from 0. */
  index: number,
) => void | Promise<void>;

/** A real HTTP server on a free port that answers as the test says. */
export async function fakeService(handler: Handler, port = 0): Promise<FakeService> {
  const requests: ReceivedRequest[] = [];
  const connections: Socket[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    const index = requests.length;
    incoming.on("error", () => {});
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request = {
        method: incoming.method ?? "",
        url: incoming.url ?? "",
        headers: incoming.headers,
        body: Buffer.concat(chunks),
        connection: connections.indexOf(incoming.socket),
      };
      requests.push(request);
      void handler(request, response, index);
    });
  });
  server.on("connection", (socket) => connections.push(socket));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface RawService {
  readonly url: string;
  /** What each connection sent so far, as text. */
  readonly received: readonly string[];
  close(): Promise<void>;
}

/** A TCP server that says exactly what the test says, once for each request head that ends a write. */
export async function rawService(
  answer: (socket: Socket, index: number, received: string) => void,
): Promise<RawService> {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  let index = 0;
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    const connection = received.push("") - 1;
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      received[connection] += chunk.toString("latin1");
      if (received[connection]?.includes("\r\n\r\n")) answer(socket, index++, received[connection] ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A port on which nothing listens. */
export async function unusedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: object = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}
