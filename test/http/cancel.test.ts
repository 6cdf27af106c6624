import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { InterruptedError } from "../../src/errors.ts";
import { systemClock, Throttle } from "../../src/http/index.ts";
import { operations, type Transport } from "../../src/schema/index.ts";
import { fakeService, rawService, sendJson } from "../support/fake-service.ts";
import { httpOver, httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";

const opened = closingAfterEach();
const get = { params: { "card-id": "c1" } };
const interruption = new InterruptedError("SIGINT");

/** Interrupts when that happens, and tells how long the call took to end from then. */
async function interrupted(work: (signal: AbortSignal, interrupt: () => void) => Promise<unknown>) {
  const controller = new AbortController();
  let at = 0;
  const interrupt = () => {
    at = Date.now();
    controller.abort(interruption);
  };
  await expect(work(controller.signal, interrupt)).rejects.toBe(interruption);
  expect(at).toBeGreaterThan(0);
  expect(Date.now() - at).toBeLessThan(500);
}

const created = { body: { content: "a", "deck-id": "d1" } };
const unsure = {
  code: "network",
  uncertain: true,
  message: "interrupted before its answer came; it may have been carried out",
  hint: "Check the service before you send it again: it may be there already.",
};

describe("an interruption", () => {
  it("ends a request that waits for its answer", async () => {
    let interrupt = () => {};
    const service = await opened(fakeService(() => interrupt()));
    await interrupted(async (signal, now) => {
      interrupt = now;
      const http = await opened(httpTo(service.url, { signal }));
      return http.call(operations["cards.get"], get);
    });
    expect(service.requests).toHaveLength(1);
  });

  it("ends a request whose answer is on its way", async () => {
    const service = await opened(
      fakeService((_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write("{");
      }),
    );
    await interrupted(async (signal, now) => {
      const http = await opened(httpTo(service.url));
      setTimeout(now, 100);
      return http.call(operations["cards.get"], { ...get, signal });
    });
  });

  it("ends the wait before a repeat", async () => {
    const service = await opened(
      fakeService((_, response) => sendJson(response, 429, { errors: [] }, { "retry-after": "100" })),
    );
    await interrupted(async (signal, now) => {
      const onEvent = (event: { type: string }) => event.type === "wait" && setImmediate(now);
      const http = await opened(httpTo(service.url, { signal, clock: systemClock, onEvent }));
      return http.call(operations["cards.get"], get);
    });
  });

  it("ends the wait for another process", async () => {
    const folder = mkdtempSync(join(tmpdir(), "deckhand-cancel-"));
    const options = { path: join(folder, "account"), clock: systemClock };
    const held = await new Throttle(options).acquire({});
    const service = await opened(fakeService(() => {}));
    await interrupted(async (signal, now) => {
      const onEvent = (event: { type: string }) => event.type === "wait" && setImmediate(now);
      const throttle = new Throttle(options);
      const http = await opened(httpTo(service.url, { throttle, onEvent }));
      return http.call(operations["cards.get"], { ...get, signal });
    });
    held.release({ kind: "answered" });
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it("ends a request of a transport that ignores the signal", async () => {
    const transport: Transport = { send: () => new Promise(() => {}), close: async () => {} };
    await interrupted(async (signal, now) => {
      const http = httpOver(transport, { retries: 5, signal });
      setImmediate(now);
      return http.call(operations["cards.get"], get);
    });
  });

  it("before anything was sent makes no connection", async () => {
    const service = await opened(
      rawService((socket) => {
        socket.end(
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"id":"c1"}',
        );
      }),
    );
    const http = await opened(httpTo(service.url, { signal: AbortSignal.abort(interruption) }));
    for (const call of [
      http.call(operations["cards.get"], get),
      http.call(operations["cards.create"], created),
    ])
      await expect(call).rejects.toBe(interruption);
    // Connections are taken in the order in which they were made.
    const later = await opened(httpTo(service.url));
    await later.call(operations["cards.get"], get);
    expect(service.received).toHaveLength(1);
  });

  it.each(["answer", "body"])("of a create that waits for its %s leaves it uncertain", async (what) => {
    const controller = new AbortController();
    const service = await opened(
      fakeService((_, response) => {
        if (what === "answer") return controller.abort(interruption);
        response.writeHead(200, { "content-type": "application/json" });
        response.write("{", () => setTimeout(() => controller.abort(interruption), 50));
      }),
    );
    const http = await opened(httpTo(service.url, { signal: controller.signal }));
    await expect(http.call(operations["cards.create"], created)).rejects.toMatchObject(unsure);
    expect(service.requests).toHaveLength(1);
  });

  it("of a create that was about to be sent leaves nothing uncertain", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, { id: "c1" })));
    const http = await opened(
      httpTo(service.url, {
        onEvent: (event) => {
          if (event.type === "request" && event.request.method === "POST") queueMicrotask(() => interrupt());
        },
      }),
    );
    let interrupt = () => {};
    // Behind an answer it waits for a moment whether the connection stays open.
    await http.call(operations["cards.get"], get);
    await interrupted((signal, now) => {
      interrupt = now;
      return http.call(operations["cards.create"], { ...created, signal });
    });
    expect(service.requests).toHaveLength(1);
  });

  it("of a create that the service refused for now leaves nothing uncertain", async () => {
    const service = await opened(
      fakeService((_, response) => sendJson(response, 429, { errors: [] }, { "retry-after": "100" })),
    );
    await interrupted(async (signal, now) => {
      const onEvent = (event: { type: string }) => event.type === "wait" && setImmediate(now);
      const http = await opened(httpTo(service.url, { signal, clock: systemClock, onEvent }));
      return http.call(operations["cards.create"], created);
    });
  });

  it("of an upload leaves it uncertain, whole or not, as a lost connection and the timeout do", async () => {
    const halting = new Readable({ read() {} });
    halting.push("half");
    for (const stream of [halting, Readable.from(["whole"])]) {
      const controller = new AbortController();
      const service = await opened(fakeService(() => {}));
      const http = await opened(httpTo(service.url));
      const onProgress = () => void setTimeout(() => controller.abort(interruption), 50);
      const uploading = http.call(operations["attachments.add"], {
        params: { "card-id": "c1", "file-name": "a.bin" },
        upload: { fileName: "a.bin", source: async () => ({ stream, size: undefined }), onProgress },
        signal: controller.signal,
      });
      await expect(uploading).rejects.toMatchObject({ code: "network", uncertain: true });
    }
  });
});
