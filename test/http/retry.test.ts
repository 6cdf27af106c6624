import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { retryAfter } from "../../src/http/answer.ts";
import { backoff } from "../../src/http/http.ts";
import { createNetworkTransport, systemClock } from "../../src/http/index.ts";
import { operations } from "../../src/schema/index.ts";
import { fakeService, type Handler, rawService, sendJson, unusedPort } from "../support/fake-service.ts";
import { httpOver, httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";

const opened = closingAfterEach();
const get = { params: { "card-id": "c1" } };
const attachment = { params: { "card-id": "c1", "file-name": "a.bin" } };
const create = { body: { content: "a", "deck-id": "d1" } };
const serving = (handler: Handler) => opened(fakeService(handler));

/** Answers with each status in turn, then with the card. */
const inTurn = (...answers: (number | [number, Record<string, string>])[]) =>
  serving((_, response, index) => {
    const answer = answers[index];
    if (answer === undefined) return sendJson(response, 200, { id: "c1" });
    const [status, headers] = typeof answer === "number" ? [answer, {}] : answer;
    return sendJson(response, status, { errors: ["no"] }, headers);
  });

describe("after 429", () => {
  it("everything is sent again, also what must not be carried out twice", async () => {
    const service = await inTurn(429, 429, 429);
    const http = await opened(httpTo(service.url));
    expect(await http.call(operations["cards.create"], create)).toEqual({ id: "c1" });
    expect(service.requests).toHaveLength(4);
    expect(new Set(service.requests.map((request) => request.body.toString())).size).toBe(1);
  });

  it("the wait is what the service asks for", async () => {
    const date = "Sun, 06 Nov 1994 08:49:37 GMT";
    const service = await inTurn(
      [429, { "retry-after": "7" }],
      [429, { "retry-after": "Sun, 06 Nov 1994 08:49:40 GMT", date }],
      429,
    );
    const http = await opened(httpTo(service.url));
    await http.call(operations["cards.get"], get);
    const waits = http.events.filter((event) => event.type === "wait");
    expect(waits).toEqual([
      { type: "wait", why: "rate-limited", ms: 7000 },
      { type: "wait", why: "rate-limited", ms: 3000 },
      { type: "wait", why: "rate-limited", ms: 750 },
    ]);
  });

  it("the retries come to an end", async () => {
    const service = await inTurn(...Array<number>(10).fill(429));
    const http = await opened(httpTo(service.url, { retries: 2 }));
    const error = http.call(operations["cards.create"], create);
    await expect(error).rejects.toMatchObject({ code: "rate-limited", exitCode: 6, uncertain: false });
    expect(service.requests).toHaveLength(3);
  });

  it("a request may be repeated less often than the settings say, and no more", async () => {
    for (const [settings, request, sent] of [
      [5, 1, 2],
      [1, 3, 2],
      [0, 3, 1],
    ] as const) {
      const service = await inTurn(...Array<number>(10).fill(429));
      const http = await opened(httpTo(service.url, { retries: settings }));
      const answer = http.call(operations["cards.get"], { ...get, retries: request });
      await expect(answer).rejects.toMatchObject({ code: "rate-limited" });
      expect(service.requests).toHaveLength(sent);
    }
  });

  it("with a pause of more than five minutes there is no other try, and the error says how long", async () => {
    const service = await inTurn([429, { "retry-after": "3600" }]);
    const http = await opened(httpTo(service.url));
    await expect(http.call(operations["cards.get"], get)).rejects.toMatchObject({
      code: "rate-limited",
      hint: "The service asks for a pause of 60 minutes; try again after that.",
    });
    expect(service.requests).toHaveLength(1);
  });
});

describe("a DELETE", () => {
  it("that finds nothing on a repeat has succeeded", async () => {
    const service = await serving((_, response, index) => {
      if (index === 0) response.destroy();
      else sendJson(response, 404, { errors: ["not found"] });
    });
    const http = await opened(httpTo(service.url));
    expect(await http.call(operations["cards.delete"], get)).toBeUndefined();
    expect(service.requests).toHaveLength(2);
  });

  it("that finds nothing after a server error has succeeded", async () => {
    const service = await inTurn(502, 404);
    const http = await opened(httpTo(service.url));
    expect(await http.call(operations["cards.delete"], get)).toBeUndefined();
  });

  it("that finds nothing at first, or after 429 only, has failed", async () => {
    for (const answers of [[404], [429, 404]]) {
      const service = await inTurn(...answers);
      const http = await opened(httpTo(service.url));
      await expect(http.call(operations["cards.delete"], get)).rejects.toMatchObject({ code: "not-found" });
    }
  });
});

describe("without a connection", () => {
  it("that was refused everything fails at once, and surely was not carried out", async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const http = await opened(httpTo(url, { retries: 2 }));
    await expect(http.call(operations["cards.create"], create)).rejects.toMatchObject({
      code: "network",
      uncertain: false,
      message: `no connection to ${url}: it was refused`,
      hint: expect.stringContaining("Is the service running there?"),
    });
  });

  it("a create was surely not carried out, even if there was one when it was asked for", async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests++;
      if (requests <= 30) return sendJson(response, 200, { id: "c1" });
      server.close();
      sendJson(response, 200, { id: "c1" }, { connection: "close" });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const http = await opened(httpTo(url, { retries: 1 }));
    // So many that no create waits any more for word that the connection is being closed.
    for (let time = 0; time <= 30; time++) await http.call(operations["cards.get"], get);
    await expect(http.call(operations["cards.create"], create)).rejects.toMatchObject({
      uncertain: false,
      message: `no connection to ${url}: it was refused`,
    });
    expect(requests).toBe(31);
  });

  it("and without a host there is only one try", async () => {
    const http = await opened(httpTo("http://no-such-host.invalid"));
    await expect(http.call(operations["cards.get"], get)).rejects.toMatchObject({ code: "network" });
    // Some resolvers say that they cannot know just now, which may be different the next time.
    const tries = http.events.filter((event) => event.type === "request").length;
    expect([1, 6]).toContain(tries);
  });
});

describe("a kept-alive connection", () => {
  it("carries one request after the other", async () => {
    const service = await serving((_, response) => sendJson(response, 200, { id: "c1" }));
    const http = await opened(httpTo(service.url));
    for (let time = 0; time < 5; time++) await http.call(operations["cards.create"], create);
    expect(service.requests.map((request) => request.connection)).toEqual([0, 0, 0, 0, 0]);
  });

  it("that the service closes after its answer loses no create", async () => {
    const service = await opened(
      rawService((socket) => {
        const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n";
        socket.end(`${head}{"id":"c1"}`);
      }),
    );
    const http = await opened(httpTo(service.url));
    for (let time = 0; time < 20; time++)
      expect(await http.call(operations["cards.create"], create)).toEqual({ id: "c1" });
    expect(service.received).toHaveLength(20);
  });

  it("is not used again after it was idle for more than a second", async () => {
    const service = await serving((_, response) => sendJson(response, 200, { id: "c1" }));
    const http = await opened(httpTo(service.url));
    await http.call(operations["cards.get"], get);
    // Not a wait for something: the time itself is what is tested.
    await systemClock.wait(1200);
    await http.call(operations["cards.create"], create);
    expect(service.requests.map((request) => request.connection)).toEqual([0, 1]);
  });

  it("that is lost with a request is followed by one that carries all creates", async () => {
    const service = await serving((_, response, index) => {
      if (index === 1) response.destroy();
      else sendJson(response, 200, { id: "c1" });
    });
    const http = await opened(httpTo(service.url));
    await http.call(operations["cards.get"], get);
    await http.call(operations["cards.get"], get);
    for (let time = 0; time < 3; time++) await http.call(operations["cards.create"], create);
    expect(service.requests.map((request) => request.connection)).toEqual([0, 0, 1, 1, 1, 1]);
  });

  it("that is closed when a create was just sent leaves it uncertain", async () => {
    const service = await serving((_, response, index) => {
      if (index === 0) sendJson(response, 200, { id: "c1" });
      else response.destroy();
    });
    const http = await opened(httpTo(service.url));
    await http.call(operations["cards.get"], get);
    await expect(http.call(operations["cards.create"], create)).rejects.toMatchObject({ uncertain: true });
    expect(service.requests).toHaveLength(2);
  });
});

describe("a fault of the program", () => {
  const fault = new TypeError("x is not a function");
  const broken = () =>
    new Readable({
      read() {
        this.destroy(fault);
      },
    });
  const headers = { "content-type": "application/json" };

  it.each([
    ["while a request is sent", () => Promise.reject(fault)],
    ["while an answer is read", async () => ({ status: 200, headers, body: broken() })],
    ["while a refusal is read", async () => ({ status: 503, headers, body: broken() })],
  ])("is thrown at once as it is, not as a lost connection: %s", async (_, send) => {
    let sent = 0;
    const counted = () => {
      sent++;
      return send();
    };
    const http = httpOver({ send: counted, close: async () => {} }, { retries: 3 });
    await expect(http.call(operations["cards.get"], get)).rejects.toBe(fault);
    await expect(
      http.download(operations["attachments.get"], attachment, ({ body }) => body.toArray()),
    ).rejects.toBe(fault);
    expect(sent).toBe(2);
  });

  it("in a call of undici is no lost connection", async () => {
    const service = await inTurn();
    const transport = await opened(createNetworkTransport({ baseUrl: service.url }));
    const request = { method: "GET", path: "/x", query: "", body: undefined, headers: { "not a name": "x" } };
    await expect(transport.send(request)).rejects.toMatchObject({ code: "UND_ERR_INVALID_ARG" });
  });
});

describe("backing off", () => {
  it("takes anything up to a step that doubles and is capped", () => {
    expect([1, 2, 3, 7, 8, 20].map((number) => backoff(number, 1))).toEqual([
      250, 500, 1000, 16_000, 20_000, 20_000,
    ]);
    expect(backoff(3, 0)).toBe(0);
    expect(backoff(3, 0, 0.5)).toBe(500);
  });

  it("understands Retry-After in seconds and as any HTTP date", () => {
    const now = Date.parse("2024-05-01T00:00:00Z");
    const asked = (value: string, date?: string) =>
      retryAfter({ "retry-after": value, ...(date ? { date } : {}) }, now);
    expect(asked("0")).toBe(0);
    expect(asked(" 12 ")).toBe(12_000);
    expect(asked("Wed, 01 May 2024 00:00:05 GMT")).toBe(5000);
    expect(asked("Wednesday, 01-May-24 00:00:05 GMT")).toBe(5000);
    expect(asked("Wed May  1 00:00:05 2024")).toBe(5000);
    expect(asked("Wed, 01 May 2024 00:00:05 GMT", "Wed, 01 May 2024 00:00:03 GMT")).toBe(2000);
    expect(asked("Wed, 01 May 2024 00:00:05 GMT", "soon")).toBe(5000);
    expect(asked("Wed, 01 May 2024 00:00:05 GMT", "Wed, 01 May 2024 00:01:00 GMT")).toBe(0);
    const wordy = `Wed, 01 May 2024 00:00:05 (${"or later, ".repeat(5)}) GMT`;
    for (const value of ["", "soon", "-1", "1.5", "1e3", wordy]) expect(asked(value)).toBeUndefined();
    expect(retryAfter({}, now)).toBeUndefined();
  });
});
