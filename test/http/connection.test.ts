import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { connectionFailure } from "../../src/http/failure.ts";
import { createNetworkTransport } from "../../src/http/index.ts";
import { operations } from "../../src/schema/index.ts";
import { fakeService, rawService, sendJson } from "../support/fake-service.ts";
import { httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";
import { waitFor } from "../support/wait-for.ts";

const opened = closingAfterEach();
const create = { body: { content: "a", "deck-id": "d1" } };
const overTls = (url: string) => url.replace("http:", "https:");

/** A service over TLS whose certificate no authority has signed. */
async function tlsService() {
  let requests = 0;
  const server = createServer(
    {
      key: readFileSync("test/fixtures/tls/key.pem"),
      cert: readFileSync("test/fixtures/tls/certificate.pem"),
    },
    (_, response) => {
      requests++;
      sendJson(response, 200, { id: "c1" });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

describe("a connection that cannot be made safely", () => {
  it("because of its certificate is not tried again", async () => {
    const service = await opened(tlsService());
    const http = await opened(httpTo(service.url));
    await expect(http.call(operations["cards.create"], create)).rejects.toMatchObject({
      code: "network",
      uncertain: false,
      message: `no safe connection to ${service.url} (DEPTH_ZERO_SELF_SIGNED_CERT)`,
      hint: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    expect(http.events.filter((event) => event.type === "request")).toHaveLength(1);
    expect(service.requests()).toBe(0);
  });

  it("because the other side speaks no TLS is not tried again", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, { id: "c1" })));
    const http = await opened(httpTo(overTls(service.url)));
    await expect(http.call(operations["cards.create"], create)).rejects.toMatchObject({
      code: "network",
      uncertain: false,
      message: expect.stringContaining("no safe connection"),
      hint: expect.stringContaining("Does the service speak https"),
    });
    expect(service.requests).toHaveLength(0);
  });

  it.each([
    ["ERR_TLS_CERT_ALTNAME_INVALID", "host name"],
    ["CERT_HAS_EXPIRED", "date"],
    ["CERT_NOT_YET_VALID", "date"],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "NODE_EXTRA_CA_CERTS"],
  ])("has a hint against %s", (code, hint) => {
    const error = Object.assign(new Error("no"), { code });
    expect(connectionFailure(error, { sent: false })).toMatchObject({
      again: "never",
      facts: { hint: expect.stringContaining(hint) },
    });
  });
});

describe("a connection that is not made in time", () => {
  it("is tried again, since no byte was sent", async () => {
    const silent = await opened(rawService(() => {}));
    const http = await opened(httpTo(overTls(silent.url), { retries: 1 }, { connectTimeout: 100 }));
    await expect(http.call(operations["cards.create"], create)).rejects.toMatchObject({
      code: "network",
      uncertain: false,
      message: expect.stringContaining("tried 2 times"),
    });
  });

  it("is no uncertain create, either, if the timeout is shorter still", async () => {
    const silent = await opened(rawService(() => {}));
    const http = await opened(httpTo(overTls(silent.url), { retries: 1, timeout: 100 }));
    await expect(http.call(operations["cards.create"], create)).rejects.toMatchObject({
      code: "timeout",
      uncertain: false,
      message: expect.stringContaining("tried 2 times"),
    });
  });
});

/** Takes connections and never answers. */
async function taciturnService() {
  let heard = 0;
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => heard++);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: () => heard,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

describe("a connection that is still being made", () => {
  it.each([
    { to: "the service", proxied: false },
    { to: "a proxy", proxied: true },
  ])("to $to is given up when the transport is closed", async ({ proxied }) => {
    const service = await opened(taciturnService());
    const transport = await createNetworkTransport({
      baseUrl: proxied ? "https://cards.example" : `https://${service.host}`,
      env: proxied ? { HTTPS_PROXY: service.host } : {},
      connectTimeout: 600_000,
    });
    const sending = transport.send({ method: "GET", path: "/decks", query: "", headers: {} });
    const failed = expect(sending).rejects.toMatchObject({ maybeDone: false });
    await waitFor(() => service.heard() === 1, "the connection is under way");
    await transport.close();
    await failed;
  });
});

describe("an idle connection", () => {
  it("does not keep the process from closing it", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, { id: "c1" })));
    const http = await httpTo(service.url);
    await http.call(operations["cards.create"], create);
    await http.close();
    await expect(http.call(operations["cards.create"], create)).rejects.toMatchObject({ code: "network" });
  });
});
