import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, expect, it } from "vitest";
import type { CallInput, Http, Throttle } from "../../src/http/index.ts";
import { operations } from "../../src/schema/index.ts";
import { fakeService, rawService, sendJson } from "../support/fake-service.ts";
import { httpOver, httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";
import { waitFor } from "../support/wait-for.ts";

const opened = closingAfterEach();
const get = operations["attachments.get"];
const input = { params: { "card-id": "c1", "file-name": "a.png" } };
/** A download of which only the head has been read. */
const begun = (http: Http, of: CallInput = input) => http.download(get, of, async (download) => download);

/** Counts slots that were not given back. */
function countedThrottle(): Pick<Throttle, "acquire"> & { readonly held: number } {
  let held = 0;
  return {
    get held() {
      return held;
    },
    async acquire() {
      held++;
      let released = false;
      return {
        release() {
          if (!released) held--;
          released = true;
        },
      };
    },
  };
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("a download", () => {
  it("gives the bytes as they come, however many, and holds the slot until the last", async () => {
    const content = Buffer.alloc(3 * 1024 * 1024, "0123456789");
    const service = await opened(
      fakeService((_, response) => {
        response.writeHead(200, { "content-type": "image/png", "content-length": content.length });
        response.end(content);
      }),
    );
    const throttle = countedThrottle();
    const http = await opened(httpTo(service.url, { throttle, maxAnswerBytes: 1000 }));
    const { headers, body } = await begun(http);
    expect(headers["content-type"]).toBe("image/png");
    expect(throttle.held).toBe(1);
    expect((await bytesOf(body)).equals(content)).toBe(true);
    expect(throttle.held).toBe(0);
    expect(http.events.at(-1)).toMatchObject({ type: "answer", status: 200, bytes: content.length });
  });

  it("gives the slot back when it is not wanted any more", async () => {
    const service = await opened(
      fakeService((_, response) => {
        response.writeHead(200, { "content-type": "image/png" });
        response.write("beginning");
      }),
    );
    const throttle = countedThrottle();
    const http = await opened(httpTo(service.url, { throttle }));
    const { body } = await begun(http);
    body.destroy();
    await once(body, "close");
    expect(throttle.held).toBe(0);
  });

  it("may be empty", async () => {
    const service = await opened(fakeService((_, response) => void response.writeHead(200).end()));
    const http = await opened(httpTo(service.url));
    expect(await bytesOf((await begun(http)).body)).toHaveLength(0);
  });

  it("that is refused is an error like any other, and is repeated like any other", async () => {
    const service = await opened(
      fakeService((_, response, index) => sendJson(response, index === 0 ? 503 : 404, { errors: ["none"] })),
    );
    const throttle = countedThrottle();
    const http = await opened(httpTo(service.url, { throttle }));
    await expect(begun(http)).rejects.toMatchObject({ code: "not-found", status: 404 });
    expect(service.requests).toHaveLength(2);
    expect(throttle.held).toBe(0);
  });

  it("that breaks off fails with the request's name", async () => {
    const service = await opened(
      rawService((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbeginning")),
    );
    const throttle = countedThrottle();
    const http = await opened(httpTo(service.url, { throttle }));
    const { body } = await begun(http);
    await expect(bytesOf(body)).rejects.toMatchObject({
      exitCode: 8,
      message: expect.stringMatching(/^/),
    });
    expect(throttle.held).toBe(0);
  });

  it("is repeated from its beginning if it breaks off, but not if its reader fails", async () => {
    const whole = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwhole";
    const service = await opened(
      rawService((socket, index) => socket.end(index < 2 ? whole.slice(0, -3) : whole)),
    );
    const throttle = countedThrottle();
    const http = await opened(httpTo(service.url, { throttle, retries: 2 }));
    expect((await http.download(get, input, ({ body }) => bytesOf(body))).toString()).toBe("whole");
    expect(service.received).toHaveLength(3);
    const failed = http.download(get, input, async ({ body }) => {
      await bytesOf(body);
      throw new Error("the disk is full");
    });
    await expect(failed).rejects.toThrow("the disk is full");
    expect(service.received).toHaveLength(4);
    expect(throttle.held).toBe(0);
  });

  it("that never comes whole fails as it did last", async () => {
    const service = await opened(
      rawService((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbeginning")),
    );
    const http = await opened(httpTo(service.url, { retries: 1 }));
    await expect(http.download(get, input, ({ body }) => bytesOf(body))).rejects.toMatchObject({
      code: "network",
      message: expect.stringMatching(/^.*; tried 2 times$/),
    });
    expect(service.received).toHaveLength(2);
  });

  it("that breaks off before it is read does not end the process; the reader gets the error", async () => {
    const service = await opened(
      rawService((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbeginning");
        setTimeout(() => socket.resetAndDestroy(), 20);
      }),
    );
    const throttle = countedThrottle();
    const http = await opened(httpTo(service.url, { throttle }));
    // Without a listener of its own, an "error" event of the body is an uncaught exception, which fails the run.
    for (const read of [bytesOf, (body: Readable) => pipeline(body, new PassThrough().resume())]) {
      const { body } = await begun(http);
      await waitFor(() => body.destroyed, "the body has failed");
      expect(throttle.held).toBe(0);
      await expect(read(body)).rejects.toMatchObject({
        code: "network",
        message: expect.stringMatching(/^/),
      });
    }
  });

  it("may take longer than the timeout if it gets on, and not if it does not", async () => {
    const service = await opened(
      fakeService(async (request, response) => {
        response.writeHead(200, { "content-type": "image/png" });
        const drips = request.url.endsWith("drips");
        for (let part = 0; part < 10 && !response.destroyed; part++) {
          response.write(Buffer.alloc(drips ? 1 : 100 * 1024));
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
        response.end();
      }),
    );
    const http = await opened(httpTo(service.url, { timeout: 300 }));
    const quick = await begun(http);
    expect(await bytesOf(quick.body)).toHaveLength(1000 * 1024);
    const slow = await begun(http, { params: { ...input.params, "file-name": "drips" } });
    await expect(bytesOf(slow.body)).rejects.toMatchObject({ code: "timeout" });
  });

  it("ends at an interruption", async () => {
    const service = await opened(
      fakeService((_, response) => {
        response.writeHead(200, { "content-type": "image/png" });
        response.write("beginning");
      }),
    );
    const controller = new AbortController();
    const http = await opened(httpTo(service.url, { signal: controller.signal }));
    const { body } = await begun(http);
    setImmediate(() => controller.abort(new Error("interrupted")));
    await expect(bytesOf(body)).rejects.toThrow("interrupted");
  });

  it("comes from a transport in the same process, too", async () => {
    for (const body of ["text", Buffer.from("text"), null]) {
      const throttle = countedThrottle();
      const transport = { send: async () => ({ status: 200, headers: {}, body }), close: async () => {} };
      const http = httpOver(transport, { throttle });
      const download = await begun(http);
      expect((await bytesOf(download.body)).toString()).toBe(body === null ? "" : "text");
      await waitFor(() => throttle.held === 0, "the slot is given back");
    }
  });

  it("that is compressed is refused: nothing asked for that", async () => {
    const headers = { "content-encoding": "gzip" };
    const service = await opened(
      fakeService((_, response) => void response.writeHead(200, headers).end("x")),
    );
    const http = await opened(httpTo(service.url));
    await expect(http.download(get, input, ({ body }) => bytesOf(body))).rejects.toMatchObject({
      code: "bad-response",
    });
  });

  it("in the coding identity has no limit, like any that is not compressed", async () => {
    const headers = { "content-encoding": "identity" };
    const service = await opened(
      fakeService((_, response) => void response.writeHead(200, headers).end(Buffer.alloc(100_000))),
    );
    const http = await opened(httpTo(service.url, { maxAnswerBytes: 5000, retries: 0 }));
    expect(await http.download(get, input, ({ body }) => bytesOf(body))).toHaveLength(100_000);
  });
});
