import { describe, expect, it } from "vitest";
import type { DeckhandError } from "../../src/errors.ts";
import { operations } from "../../src/schema/index.ts";
import { fakeService, type Handler, sendJson } from "../support/fake-service.ts";
import { httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";

const opened = closingAfterEach();
const get = { params: { "card-id": "c1" } };
const create = { body: { content: "a", "deck-id": "d1" } };

async function errorOf(handler: Handler, work: "get" | "create" | "delete" = "get", retries = 0) {
  const service = await opened(fakeService(handler));
  const http = await opened(httpTo(service.url, { retries }));
  const calls = {
    get: () => http.call(operations["cards.get"], get),
    create: () => http.call(operations["cards.create"], create),
    delete: () => http.call(operations["cards.delete"], get),
  };
  const error = await calls[work]().then(
    () => undefined,
    (thrown: DeckhandError) => thrown,
  );
  return { error, requests: service.requests };
}

const refusing =
  (status: number, errors: unknown): Handler =>
  (_, response) =>
    sendJson(response, status, { errors });

describe("an answer that refuses", () => {
  it("has the code and the exit code of its status", async () => {
    const codes: Record<number, [string, number]> = {
      400: ["refused", 5],
      401: ["unauthorized", 3],
      402: ["refused", 5],
      403: ["forbidden", 3],
      404: ["not-found", 4],
      405: ["refused", 5],
      409: ["refused", 5],
      413: ["refused", 5],
      415: ["refused", 5],
      422: ["validation", 5],
      429: ["rate-limited", 6],
      500: ["server", 7],
      501: ["server", 7],
      502: ["server", 7],
      503: ["server", 7],
    };
    for (const [status, [code, exitCode]] of Object.entries(codes)) {
      const { error } = await errorOf(refusing(Number(status), ["no"]));
      expect(error).toMatchObject({
        code,
        exitCode,
        status: Number(status),
        message: Number(status) === 401 ? "the service did not accept the API key" : "no",
        request: { method: "GET", path: "/cards/c1" },
      });
    }
  });

  it("names the fields that failed validation", async () => {
    const fields = { content: "field cannot be nil", "deck-id": "does not exist" };
    const { error } = await errorOf(refusing(422, fields), "create");
    expect(error?.message).toBe("content: field cannot be nil; deck-id: does not exist");
    expect(error?.fields).toEqual(fields);
    expect(error?.uncertain).toBe(false);
  });

  it("has a message even where the service sends none", async () => {
    const words = {
      401: "the service did not accept the API key",
      403: "the service does not allow it",
      404: "not found",
      418: "the service refused the request",
      429: "too many requests",
      500: "the service failed",
    };
    for (const [status, text] of Object.entries(words)) {
      const { error } = await errorOf((_, response) => void response.writeHead(Number(status)).end());
      expect(error?.message).toBe(text);
    }
  });

  it("says what to do next", async () => {
    expect((await errorOf(refusing(401, []))).error?.hint).toContain("deckhand auth status");
    expect((await errorOf(refusing(429, []))).error?.hint).toContain("one request at a time");
    expect((await errorOf(refusing(500, []))).error?.hint).toContain("try again later");
    expect((await errorOf(refusing(500, []), "create")).error?.hint).toContain("it may be there already");
  });

  it("is one line, whatever it says", async () => {
    const { error } = await errorOf(refusing(403, ["upgrade\n required", { odd: true }, ["a", "b"]]));
    expect(error?.message).toBe('upgrade required; {"odd":true}; a, b');
    const long = await errorOf(refusing(403, ["x".repeat(10_000)]));
    expect(long.error?.message.length).toBeLessThan(400);
  });

  it("is read in transit, too", async () => {
    const { error } = await errorOf((_, response) => {
      response.writeHead(422, { "content-type": "application/transit+json" });
      response.end('{"~:errors":{"~:content":"field cannot be nil"}}');
    });
    expect(error?.message).toBe("content: field cannot be nil");
  });

  it("is a server error with its first words where a proxy answers with a page", async () => {
    const { error } = await errorOf((_, response) => {
      response.writeHead(502, { "content-type": "text/html" });
      response.end(
        "<html>\r\n<head><title>502 Bad Gateway</title><style>a{}</style></head>\r\n" +
          "<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>",
      );
    });
    expect(error).toMatchObject({ code: "server", status: 502 });
    expect(error?.message).toBe("502 Bad Gateway nginx");
  });

  it("shows no part of a key that a page repeats where it is cut", async () => {
    for (let before = 60; before < 85; before++) {
      const { error } = await errorOf((_, response) => {
        response.writeHead(502, { "content-type": "text/plain" });
        response.end(`${"x".repeat(before)} test-key-12345 ${"y".repeat(80)}`);
      });
      expect(error?.message).toContain("xxx");
      expect(error?.message).not.toMatch(/ te/);
    }
  });

  it("shows no part of a key where the beginning of a long page ends in it", async () => {
    const { error } = await errorOf((_, response) => {
      response.writeHead(502, { "content-type": "text/html" });
      const head = '<p>asked with</p><p class="';
      response.end(`${head.padEnd(4096 - '"> test-k'.length, "x")}"> test-key-12345 by you</p>`);
    });
    expect(error?.message).toBe("asked with");
  });

  it("counts even if its body breaks off", async () => {
    const { error, requests } = await errorOf((_, response) => {
      response.writeHead(404, { "content-type": "application/json", "content-length": 100 });
      response.write('{"errors":');
      setImmediate(() => response.destroy());
    });
    expect(error).toMatchObject({ code: "not-found", status: 404 });
    expect(requests).toHaveLength(1);
  });

  it("never holds the key, even if the service repeats it", async () => {
    const basic = Buffer.from("test-key-12345:").toString("base64");
    const handler: Handler = (request, response) =>
      sendJson(response, 422, {
        errors: { key: "test-key-12345 is wrong", header: request.headers.authorization },
      });
    const { error } = await errorOf(handler);
    const all = JSON.stringify([error?.message, error?.fields, error?.hint, String(error?.cause)]);
    expect(all).not.toContain("test-key-12345");
    expect(all).not.toContain(basic.slice(0, -1));
    expect(error?.message).toContain("[key] is wrong");
  });
});

describe("an answer that cannot be read", () => {
  it("is reported without the key that it contains or a part of it, and so are its causes", async () => {
    for (const text of [
      "test-key-12345 is what you sent, and it is no key",
      '{"asked-with": test-key-12345, "by": 1}',
      '{"created-at": {"date": "test-key-12345"}}',
    ]) {
      const { error } = await errorOf((_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(text);
      });
      expect(error?.message).toMatch(/the answer cannot be read: not /);
      // What DECKHAND_DEBUG=1 prints.
      for (let each: unknown = error; each instanceof Error; each = each.cause)
        expect(each.stack).not.toContain("test-k");
    }
  });
});

describe("a redirect", () => {
  it("is not followed, and the error names its target", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { error, requests } = await errorOf(
        (_, response) => void response.writeHead(status, { location: "https://else.example/\u00e4" }).end(),
        "create",
        5,
      );
      expect(error).toMatchObject({ code: "bad-response", exitCode: 8, status, uncertain: true });
      expect(error?.message).toContain("https://else.example/");
      expect(requests).toHaveLength(1);
    }
  });
});

describe("a server error", () => {
  it("is never followed by another try of a create, which is uncertain then", async () => {
    const { error, requests } = await errorOf(refusing(503, ["busy"]), "create", 5);
    expect(error).toMatchObject({ code: "server", uncertain: true });
    expect(error?.message).toBe("busy; it may have been carried out");
    expect(requests).toHaveLength(1);
  });

  it("is followed by other tries of everything else", async () => {
    for (const work of ["get", "delete"] as const) {
      const { error, requests } = await errorOf(refusing(503, ["busy"]), work, 2);
      expect(error?.message).toMatch(/^busy; tried 3 times$/);
      expect(error?.uncertain).toBe(false);
      expect(requests).toHaveLength(3);
    }
  });
});

describe("an answer that a proxy may give after it passed the request on", () => {
  it.each([301, 302, 303, 307, 308, 408, 499])("leaves a create with %i uncertain", async (status) => {
    const { error, requests } = await errorOf(refusing(status, ["no"]), "create", 3);
    expect(error).toMatchObject({ uncertain: true, status });
    expect(error?.message).toMatch(/; it may have been carried out$/);
    expect(requests).toHaveLength(1);
    expect((await errorOf(refusing(status, ["no"]))).error).toMatchObject({ uncertain: false, status });
  });

  it("leaves nothing uncertain where the service says that there is no room for it", async () => {
    const { error } = await errorOf(refusing(507, ["no space left; nothing was changed"]), "create");
    expect(error).toMatchObject({
      uncertain: false,
      code: "server",
      hint: expect.stringMatching(/^Free space/),
    });
    expect(error?.message).not.toContain("may have been carried out");
  });
});

describe("the key in what a service or a proxy echoes", () => {
  const key = "kéy+/ 12345?";
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const forms = [
    key,
    base64(`${key}:`),
    base64(key),
    base64(`${key}:`).replaceAll("+", "-").replaceAll("/", "_"),
    encodeURIComponent(key),
    encodeURIComponent(key).toLowerCase(),
  ];

  it("is masked in errors, however it is encoded", async () => {
    for (const form of forms) {
      const service = await opened(
        fakeService((_, response) => sendJson(response, 400, { errors: [`you sent ${form} here`] })),
      );
      const http = await opened(httpTo(service.url, { key, retries: 0 }));
      await expect(http.call(operations["cards.get"], get)).rejects.toMatchObject({
        message: expect.stringMatching(/you sent \[key\]=* here/),
      });
    }
  });

  it("is masked in paths and queries that are logged or part of an error", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 503, { errors: ["no"] })));
    const http = await opened(httpTo(service.url, { key, retries: 1 }));
    const { error } = await http.raw({
      method: "GET",
      path: `/a/${encodeURIComponent(key)}`,
      query: [["k", key]],
    });
    expect(error).toMatchObject({ request: { method: "GET", path: expect.stringMatching(/^\/a\/\[key\]/) } });
    expect(JSON.stringify([error, http.events])).not.toContain(encodeURIComponent(key));
    expect(service.requests[0]?.url).toContain(encodeURIComponent(key));
  });
});
