import { describe, expect, it } from "vitest";
import type { DeckhandError } from "../../src/errors.ts";
import { operations } from "../../src/schema/index.ts";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";

const opened = closingAfterEach();

describe("a raw request", () => {
  it("goes through the same core and comes back decoded, with its head and its text", async () => {
    const service = await opened(
      fakeService((_, response) => sendJson(response, 200, { docs: [{ id: "d1" }] }, { "x-extra": "1" })),
    );
    const http = await opened(httpTo(service.url));
    const answer = await http.raw({ method: "get", path: "/decks?limit=5", query: [["bookmark", "a b"]] });
    expect(answer).toMatchObject({
      status: 200,
      body: { docs: [{ id: "d1" }] },
      text: '{"docs":[{"id":"d1"}]}',
      error: undefined,
    });
    expect(answer.headers["x-extra"]).toBe("1");
    const [request] = service.requests;
    expect(request).toMatchObject({ method: "GET", url: "/decks?limit=5&bookmark=a%20b" });
    expect(request?.headers.authorization).toMatch(/^Basic /);
    expect(request?.headers["content-type"]).toBeUndefined();
  });

  it("sends text as it is and values in the codec of the settings", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, {})));
    const http = await opened(httpTo(service.url));
    await http.raw({ method: "POST", path: "/decks", body: "{ }" });
    await http.raw({ method: "POST", path: "/decks", body: { name: "a", sort: 3 } });
    const transit = await opened(httpTo(service.url, { codec: "transit" }));
    const body = { name: "a", "parent-id": "d1" };
    await transit.raw({ method: "POST", path: "/decks", body, operation: operations["decks.create"] });
    expect(service.requests.map((request) => request.body.toString())).toEqual([
      "{ }",
      '{"name":"a","sort":3}',
      '{"~:name":"a","~:parent-id":"~:d1"}',
    ]);
    expect(service.requests.map((request) => request.headers["content-type"])).toEqual([
      "application/json",
      "application/json",
      "application/transit+json",
    ]);
  });

  it("is refused with a method that is none", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, {})));
    const http = await opened(httpTo(service.url));
    await expect(http.raw({ method: "GET /x", path: "/" })).rejects.toMatchObject({ code: "usage" });
    expect(service.requests).toHaveLength(0);
  });

  it("has an answer whatever its status, and the error that a call would end with", async () => {
    for (const [status, code] of [
      [404, "not-found"],
      [422, "validation"],
      [302, "bad-response"],
      [500, "server"],
    ] as const) {
      const service = await opened(
        fakeService((_, response) => sendJson(response, status, { errors: ["no"] })),
      );
      const http = await opened(httpTo(service.url, { retries: 2 }));
      const answer = await http.raw({ method: "GET", path: "/x" });
      expect(answer).toMatchObject({ status, body: { errors: ["no"] } });
      expect((answer.error as DeckhandError).code).toBe(code);
      expect(service.requests).toHaveLength(status === 500 ? 3 : 1);
    }
  });

  it("is not repeated if it may not be", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 503, { errors: [] })));
    const http = await opened(httpTo(service.url, { retries: 1 }));
    await http.raw({ method: "POST", path: "/x" });
    expect(service.requests).toHaveLength(1);
    await http.raw({ method: "POST", path: "/x", operation: operations["decks.list"] });
    expect(service.requests).toHaveLength(3);
    await http.raw({ method: "DELETE", path: "/x" });
    expect(service.requests).toHaveLength(5);
  });

  it("gives bodies in other encodings as they are", async () => {
    const bytes = Buffer.from([0x89, 0x50, 0xff, 0x00]);
    const service = await opened(
      fakeService((_, response) => {
        response.writeHead(200, { "content-type": "image/png" });
        response.end(bytes);
      }),
    );
    const http = await opened(httpTo(service.url));
    const answer = await http.raw({ method: "GET", path: "/x" });
    expect(answer.body).toBeUndefined();
    expect(Buffer.from(answer.bytes).equals(bytes)).toBe(true);
  });

  it("comes back decoded from transit", async () => {
    const service = await opened(
      fakeService((_, response) => {
        response.writeHead(200, { "content-type": "application/transit+json" });
        response.end('{"~:id":"~:c1","~:created-at":{"~#dt":0},"~:tags":{"~#set":["a"]}}');
      }),
    );
    const http = await opened(httpTo(service.url, { codec: "transit" }));
    expect((await http.raw({ method: "GET", path: "/x" })).body).toEqual({
      id: "c1",
      "created-at": "1970-01-01T00:00:00.000Z",
      tags: ["a"],
    });
  });
});
