import { describe, expect, it } from "vitest";
import type { DeckhandError } from "../../src/errors.ts";
import type { HttpSettings } from "../../src/http/index.ts";
import { operations } from "../../src/schema/index.ts";
import { fakeService, type Handler, rawService, sendJson } from "../support/fake-service.ts";
import { httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";

const opened = closingAfterEach();
const get = { params: { "card-id": "c1" } };
const create = { body: { content: "a", "deck-id": "d1" } };

/** What the core makes of the answers of a service: the error of a read and of a create, and how often each was sent. */
async function outcomes(url: string, settings: Partial<HttpSettings> = {}) {
  const http = await opened(httpTo(url, { retries: 1, ...settings }));
  const attempt = async (work: Promise<unknown>) => {
    const before = http.events.filter((event) => event.type === "request").length;
    let value: unknown;
    let error: DeckhandError | undefined;
    try {
      value = await work;
    } catch (thrown) {
      error = thrown as DeckhandError;
    }
    const sent = http.events.filter((event) => event.type === "request").length - before;
    return { value, error, sent };
  };
  const read = await attempt(http.call(operations["cards.get"], get));
  const created = await attempt(http.call(operations["cards.create"], create));
  return { read, created };
}

/** A raw answer, ended as the test says. */
const answering = (text: string, end: "end" | "reset" | "stay" = "end") =>
  opened(
    rawService((socket) => {
      socket.write(text, () => {
        if (end === "end") socket.end();
        if (end === "reset") socket.resetAndDestroy();
      });
    }),
  );

const serving = (handler: Handler) => opened(fakeService(handler));
const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/** What can only be told by an error: repeated where that is safe, uncertain where it is not. */
function expectLost(result: Awaited<ReturnType<typeof outcomes>>, code: string): void {
  expect(result.read.error).toMatchObject({ code, uncertain: false, exitCode: 8 });
  expect(result.read.error?.message).toMatch(/^.*tried 2 times$/);
  expect(result.read.sent).toBe(2);
  expect(result.created.error).toMatchObject({ code, uncertain: true, exitCode: 8 });
  expect(result.created.error?.message).toMatch(/^.*; it may have been carried out$/);
  expect(result.created.sent).toBe(1);
}

describe("an answer that breaks off", () => {
  it("before its head is a network error", async () => {
    const reset = await opened(rawService((socket) => socket.resetAndDestroy()));
    expectLost(await outcomes(reset.url), "network");
    const closed = await opened(rawService((socket) => socket.end()));
    expectLost(await outcomes(closed.url), "network");
  });

  it("in its body is a network error", async () => {
    const cut = `${head}content-length: 100\r\n\r\n{"id":`;
    expectLost(await outcomes((await answering(cut, "reset")).url), "network");
    const chunked = `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n`;
    expectLost(await outcomes((await answering(chunked, "reset")).url), "network");
  });

  it("before the length that it announced is an error, however the connection ends", async () => {
    for (const connection of ["", "connection: close\r\n"]) {
      const cut = `${head}${connection}content-length: 100\r\n\r\n{"id":"c1"}`;
      const { read, created } = await outcomes((await answering(cut)).url);
      expect(read).toMatchObject({ sent: 2, error: { exitCode: 8 } });
      expect(created).toMatchObject({ sent: 1, error: { exitCode: 8, uncertain: true } });
    }
  });

  it("without any length shows only in what it says", async () => {
    expectLost(await outcomes((await answering(`${head}\r\n{"id":"c1","con`)).url), "bad-response");
  });

  it("is whole the next time", async () => {
    const service = await opened(
      rawService((socket, index) => {
        if (index === 0) socket.resetAndDestroy();
        else socket.end(`${head}content-length: 11\r\n\r\n{"id":"c1"}`);
      }),
    );
    const http = await opened(httpTo(service.url));
    expect(await http.call(operations["cards.get"], get)).toEqual({ id: "c1" });
    expect(http.events).toContainEqual(expect.objectContaining({ type: "retry", repeat: 1, retries: 5 }));
  });
});

describe("an answer that does not come", () => {
  const timeout = 150;

  it("at all ends in a timeout", async () => {
    const silent = await opened(rawService(() => {}));
    const result = await outcomes(silent.url, { timeout });
    expectLost(result, "timeout");
    expect(result.read.error?.message).toContain("no complete answer within 150 ms");
  });

  it("further than its head ends in a timeout", async () => {
    const stuck = await answering(`${head}content-length: 100\r\n\r\n{"id":`, "stay");
    expectLost(await outcomes(stuck.url, { timeout }), "timeout");
  });

  it("other than drop by drop ends in a timeout", async () => {
    const dripping = await opened(
      rawService((socket) => {
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
        const timer = setInterval(() => socket.write("1\r\n \r\n"), 20);
        socket.on("close", () => clearInterval(timer));
      }),
    );
    expectLost(await outcomes(dripping.url, { timeout }), "timeout");
  });
});

describe("an answer that is not as HTTP has it", () => {
  it("is a bad response", async () => {
    const bodies = {
      "the answer is not HTTP": "SSH-2.0-OpenSSH_9.6\r\n",
      "the answer's headers are too large": `${head}x: ${"y".repeat(20_000)}\r\n\r\n`,
      "the answer": `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    };
    for (const [message, text] of Object.entries(bodies)) {
      const result = await outcomes((await answering(text)).url);
      expectLost(result, "bad-response");
      expect(result.read.error?.message).toContain(message);
    }
  });

  it("and has no content but a body does not spoil the next answer", async () => {
    const service = await opened(
      rawService((socket, index) =>
        index === 0
          ? socket.write("HTTP/1.1 204 No Content\r\n\r\n{}")
          : socket.end(`${head}content-length: 11\r\n\r\n{"id":"c1"}`),
      ),
    );
    const http = await opened(httpTo(service.url));
    await http.call(operations["cards.delete"], get);
    expect(await http.call(operations["cards.get"], get)).toEqual({ id: "c1" });
  });
});

describe("the size of an answer", () => {
  const large = (response: Parameters<Handler>[1]) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "c1", content: "x".repeat(5000) }));
  };

  it("is limited", async () => {
    const service = await serving((_, response) => large(response));
    const { read } = await outcomes(service.url, { maxAnswerBytes: 4096 });
    expect(read).toMatchObject({ sent: 1, error: { code: "bad-response" } });
    expect(read.error?.message).toContain("the answer is larger than");
    expect((await outcomes(service.url)).read.error).toBeUndefined();
  });
});

describe("a content coding", () => {
  it("is refused beforehand", async () => {
    const service = await serving((_, response) => sendJson(response, 200, { id: "c1" }));
    await outcomes(service.url);
    for (const { headers } of service.requests) expect(headers["accept-encoding"]).toBe("identity");
  });

  it("may be named where there is no body", async () => {
    const service = await serving(({ method }, response) => {
      response.writeHead(method === "DELETE" ? 204 : 200, { "content-encoding": "gzip" }).end();
    });
    const http = await opened(httpTo(service.url));
    expect(await http.call(operations["cards.delete"], get)).toBeUndefined();
    expect(await http.raw({ method: "HEAD", path: "/cards" })).toMatchObject({ status: 200, text: "" });
    expect(service.requests).toHaveLength(2);
  });

  it("that comes all the same is a bad response, which is not repeated", async () => {
    for (const coding of ["gzip", "br", "constructor", "__proto__"]) {
      const service = await serving((_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": coding });
        response.end('{"id":"c1"}');
      });
      const { read, created } = await outcomes(service.url);
      expect(read, coding).toMatchObject({ sent: 1, error: { code: "bad-response", uncertain: false } });
      expect(created.error).toMatchObject({ code: "bad-response", uncertain: true });
    }
  });
});

describe("the content of an answer", () => {
  it("is read by its own content type, whatever was asked for", async () => {
    const service = await serving((_, response) => {
      response.writeHead(200, { "content-type": "application/transit+json; charset=utf-8" });
      response.end('{"~:id":"~:c1","~:deck-id":"~:d1"}');
    });
    expect((await outcomes(service.url)).read.value).toEqual({ id: "c1", "deck-id": "d1" });
  });

  it("is read as what was asked for if it has no content type", async () => {
    const service = await serving((_, response) => {
      response.writeHead(200);
      response.end('{"id":"c1","deck-id":"d1"}');
    });
    expect((await outcomes(service.url)).read.value).toEqual({ id: "c1", "deck-id": "d1" });
  });

  it("is a bad response if it is of another type", async () => {
    const service = await serving((_, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<html><title>x</title><h1>Sign in to\nthis network</h1></html>");
    });
    const { read, created } = await outcomes(service.url);
    expect(read).toMatchObject({ sent: 1, error: { code: "bad-response", status: 200 } });
    expect(read.error?.message).toBe("the answer is text/html, not JSON or transit: Sign in to this network");
    expect(created.error).toMatchObject({ uncertain: true });
  });

  it("is a bad response if it is a web page, even where the body is ignored", async () => {
    const service = await serving((_, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<h1>Sign in</h1>");
    });
    const http = await opened(httpTo(service.url));
    await expect(http.call(operations["cards.delete"], get)).rejects.toMatchObject({ code: "bad-response" });
  });

  it("is a bad response if a known field has another type", async () => {
    const service = await serving((_, response) =>
      sendJson(response, 200, { id: "c1", tags: "a", content: 5 }),
    );
    const { read } = await outcomes(service.url);
    expect(read.error?.message).toBe(
      "the answer is not as documented: content must be a string; tags must be a list",
    );
  });

  it("is a bad response if it is not UTF-8, and may begin with a byte order mark", async () => {
    const bytes = (...parts: (string | number[])[]) =>
      Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    const service = await serving((_, response, index) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(index === 0 ? bytes([0xef, 0xbb, 0xbf], '{"id":"c1"}') : bytes('{"id":"', [0xff], '"}'));
    });
    const http = await opened(httpTo(service.url, { retries: 0 }));
    expect(await http.call(operations["cards.get"], get)).toEqual({ id: "c1" });
    await expect(http.call(operations["cards.get"], get)).rejects.toMatchObject({ code: "bad-response" });
  });

  it("may be empty where the document shows none", async () => {
    const service = await serving((_, response) => void response.writeHead(200).end());
    const http = await opened(httpTo(service.url, { retries: 0 }));
    const update = { ...get, body: { content: "b" } };
    expect(await http.call(operations["cards.update"], update)).toBeUndefined();
    expect(await http.call(operations["cards.delete"], get)).toBeUndefined();
    await expect(http.call(operations["cards.get"], get)).rejects.toMatchObject({ code: "bad-response" });
    await expect(http.call(operations["cards.create"], create)).rejects.toMatchObject({ uncertain: true });
  });

  it("may be anything where the document shows none", async () => {
    const service = await serving((_, response) => sendJson(response, 200, true));
    const http = await opened(httpTo(service.url));
    expect(await http.call(operations["cards.update"], { ...get, body: {} })).toBeUndefined();
    expect(await http.call(operations["cards.delete"], get)).toBeUndefined();
  });
});
