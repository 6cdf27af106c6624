import { afterEach, describe, expect, it } from "vitest";
import { operations } from "../../src/schema/index.ts";
import { type FakeService, fakeService, type Handler, sendJson } from "../support/fake-service.ts";
import { httpTo } from "../support/http.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

async function serve(handler: Handler): Promise<FakeService> {
  const service = await fakeService(handler);
  open.push(service);
  return service;
}

async function connect(...args: Parameters<typeof httpTo>) {
  const http = await httpTo(...args);
  open.push(http);
  return http;
}

describe("a call", () => {
  it("sends an exact request and gives the decoded document", async () => {
    const service = await serve((_, response) =>
      sendJson(response, 200, { id: "c1", "created-at": { date: "2024-01-01T00:00:00Z" } }),
    );
    const http = await connect(`${service.url}/base/`);
    const body = { content: "ä", "deck-id": "d1", "archived?": false, pos: undefined };
    expect(await http.call(operations["cards.create"], { body })).toEqual({
      id: "c1",
      "created-at": "2024-01-01T00:00:00.000Z",
    });
    const [request] = service.requests;
    expect(request).toMatchObject({ method: "POST", url: "/base/cards" });
    expect(request?.body.toString()).toBe('{"content":"ä","deck-id":"d1","archived?":false}');
    expect(request?.headers).toEqual({
      host: service.url.slice("http://".length),
      connection: "keep-alive",
      "user-agent": "deckhand/test",
      "accept-encoding": "identity",
      authorization: `Basic ${Buffer.from("test-key-12345:").toString("base64")}`,
      accept: "application/json",
      "content-type": "application/json",
      "content-length": String(request?.body.length),
    });
  });
});
