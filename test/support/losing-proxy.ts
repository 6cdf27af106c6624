import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface LosingProxy {
  readonly url: string;
  /** How many answers it lost. */
  readonly lost: () => number;
}

/**
 * Hands requests on to a service, and loses some of the answers: the connection breaks when the service has answered.
 *
 * @param loses whether the answer to a request is lost, by its method and path
 * @param hosted whether the service has no extensions, as the hosted one
 */
export async function losingProxy(
  target: string,
  loses: (request: string) => boolean,
  hosted = false,
): Promise<LosingProxy> {
  let lost = 0;
  const server = createServer((incoming, response) => {
    if (hosted && (incoming.url === "/" || incoming.url === "/batch")) {
      response.writeHead(404, { "content-type": "application/json" }).end('{"errors":["not found"]}');
      return;
    }
    const outgoing = httpRequest(
      new URL(incoming.url ?? "/", target),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        if (loses(`${incoming.method} ${incoming.url}`)) {
          lost++;
          answer.resume();
          answer.on("end", () => incoming.socket.destroy());
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on("error", () => incoming.socket.destroy());
    incoming.on("error", () => {});
    response.on("error", () => {});
    // Whoever asked is gone: the service would wait for the rest of what it sent, with its account taken.
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lost: () => lost };
}
