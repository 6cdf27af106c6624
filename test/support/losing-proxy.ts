import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface LosingProxy {
  readonly url: string;
  /** How many answers it lost. */
  readonly lost: () => number;
}

/** Hands requests on to a service, and loses some of the answers: the connection breaks when the service has answered. */
export async function losingProxy(target: string, loses: () => boolean): Promise<LosingProxy> {
  let lost = 0;
  const server = createServer((incoming, response) => {
    const outgoing = httpRequest(
      new URL(incoming.url ?? "/", target),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        if (loses()) {
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
