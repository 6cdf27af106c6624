import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import busboy from "busboy";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Upload } from "../../src/http/index.ts";
import { operations, type WireRequest } from "../../src/schema/index.ts";
import { fakeService, type ReceivedRequest, rawService, sendJson } from "../support/fake-service.ts";
import { httpOver, httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";
import { waitFor } from "../support/wait-for.ts";

const opened = closingAfterEach();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deckhand-upload-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const add = operations["attachments.add"];
const answer = { "file-name": "a.txt", size: 5, type: "text/plain" };
const input = (upload: Upload) => ({ params: { "card-id": "c1", "file-name": upload.fileName }, upload });

function fileUpload(content: string | Buffer, more: Partial<Upload> = {}): Upload & { streams: Readable[] } {
  const path = join(folder, "file");
  writeFileSync(path, content);
  const streams: Readable[] = [];
  return {
    fileName: "a.txt",
    streams,
    async source() {
      const handle = await open(path);
      const { size } = await handle.stat();
      const stream = createReadStream(path, { fd: handle });
      streams.push(stream);
      return { stream, size };
    },
    ...more,
  };
}

/** The parts of a multipart request, as a service reads them. */
async function partsOf(request: ReceivedRequest) {
  const parts: { name: string; filename: string | undefined; type: string; content: string }[] = [];
  const parser = busboy({ headers: request.headers, defParamCharset: "utf8" });
  parser.on("file", (name, stream, info) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const content = Buffer.concat(chunks).toString("latin1");
      parts.push({ name, filename: info.filename, type: info.mimeType, content });
    });
  });
  const done = new Promise((resolve, reject) => parser.on("close", resolve).on("error", reject));
  Readable.from([request.body]).pipe(parser);
  await done;
  return parts;
}

describe("an upload", () => {
  it("is one part named file, of exact length", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, answer)));
    const http = await opened(httpTo(service.url));
    const progress: number[] = [];
    const upload = fileUpload("hello", { onProgress: (bytes) => progress.push(bytes) });
    expect(await http.call(add, input(upload))).toEqual(answer);
    const [request] = service.requests;
    expect(request?.url).toBe("/cards/c1/attachments/a.txt");
    expect(request?.headers["content-length"]).toBe(String(request?.body.length));
    expect(request?.headers["transfer-encoding"]).toBeUndefined();
    expect(await partsOf(request as ReceivedRequest)).toEqual([
      { name: "file", filename: "a.txt", type: "text/plain", content: "hello" },
    ]);
    expect(progress.at(-1)).toBe(5);
    expect(upload.streams[0]?.destroyed).toBe(true);
  });

  it("may be an empty file", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, answer)));
    const http = await opened(httpTo(service.url));
    const upload = fileUpload("");
    await http.call(add, input(upload));
    expect(await partsOf(service.requests[0] as ReceivedRequest)).toMatchObject([
      { name: "file", content: "" },
    ]);
    expect(service.requests[0]?.headers["content-length"]).toBeDefined();
    expect(upload.streams[0]?.destroyed).toBe(true);
  });

  it("keeps any file name whole, and lets none break out of its header", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, answer)));
    const http = await opened(httpTo(service.url));
    for (const fileName of ["ünï code 🃏.png", 'quo"te.txt', "semi;colon=.txt", "no extension"]) {
      await http.call(add, input(fileUpload("x", { fileName })));
      const [part] = await partsOf(service.requests.at(-1) as ReceivedRequest);
      expect(part?.filename?.replaceAll("%22", '"')).toBe(fileName);
      expect(part?.content).toBe("x");
    }
  });

  it("of a kind that could break out of its header is refused", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, answer)));
    const http = await opened(httpTo(service.url));
    await http.call(add, input(fileUpload("x", { contentType: "application/x-thing; charset=utf-8" })));
    expect((await partsOf(service.requests[0] as ReceivedRequest))[0]?.type).toBe("application/x-thing");
    for (const contentType of ["text/plain\r\nx: y", "text", "", "text/ä"])
      await expect(http.call(add, input(fileUpload("x", { contentType })))).rejects.toMatchObject({
        code: "usage",
      });
    expect(service.requests).toHaveLength(1);
  });

  it("of unknown length goes out chunked", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, answer)));
    const http = await opened(httpTo(service.url));
    const source = async () => ({
      stream: Readable.from([Buffer.from("hel"), Buffer.from("lo")]),
      size: undefined,
    });
    await http.call(add, input({ fileName: "-", source }));
    expect(service.requests[0]?.headers["transfer-encoding"]).toBe("chunked");
    expect(await partsOf(service.requests[0] as ReceivedRequest)).toMatchObject([{ content: "hello" }]);
  });

  it("of many megabytes takes little memory", async () => {
    const size = 200 * 1024 * 1024;
    const before = process.memoryUsage().rss;
    let most = 0;
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1024);
    const http = httpOver({
      async send(request: WireRequest) {
        for await (const part of request.body as Readable) {
          sent += part.length;
          most = Math.max(most, process.memoryUsage().rss);
        }
        return {
          status: 200,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(answer),
        };
      },
      close: async () => {},
    });
    const source = async () => {
      let left = size;
      const stream = new Readable({
        read() {
          if (left === 0) return void this.push(null);
          left -= chunk.length;
          this.push(chunk);
        },
      });
      return { stream, size };
    };
    await http.call(add, input({ fileName: "large", source }));
    expect(sent).toBeGreaterThan(size);
    // How far the heap grows before it is collected depends on the load of the machine.
    expect(most - before).toBeLessThan(size / 2);
  });
});

describe("an upload that is refused", () => {
  it("with 429 is sent again, whole", async () => {
    const service = await opened(
      fakeService((_, response, index) =>
        index === 0 ? sendJson(response, 429, { errors: [] }) : sendJson(response, 200, answer),
      ),
    );
    const http = await opened(httpTo(service.url));
    const upload = fileUpload("hello");
    expect(await http.call(add, input(upload))).toEqual(answer);
    for (const request of service.requests)
      expect(await partsOf(request)).toMatchObject([{ content: "hello" }]);
    expect(upload.streams.map((stream) => stream.destroyed)).toEqual([true, true]);
  });

  it("before it is all there closes its file", async () => {
    const service = await opened(
      rawService((socket, index) => {
        if (index > 0) return;
        socket.write("HTTP/1.1 413 Too Large\r\ncontent-type: application/json\r\nconnection: close\r\n");
        socket.end('content-length: 24\r\n\r\n{"errors":["too large"]}');
      }),
    );
    const http = await opened(httpTo(service.url));
    const upload = fileUpload(Buffer.alloc(20 * 1024 * 1024));
    await expect(http.call(add, input(upload))).rejects.toMatchObject({ status: 413, code: "refused" });
    await waitFor(() => upload.streams[0]?.closed === true, "the file is closed");
  });

  it("by a transport that does not read it closes its file", async () => {
    const http = httpOver({
      send: async () => ({ status: 413, headers: {}, body: null }),
      close: async () => {},
    });
    const upload = fileUpload("hello");
    await expect(http.call(add, input(upload))).rejects.toMatchObject({ status: 413 });
    await waitFor(() => upload.streams[0]?.closed === true, "the file is closed");
  });

  it("in the middle of it is uncertain and not sent again", async () => {
    const service = await opened(
      rawService((socket) => {
        socket.pause();
        setTimeout(() => socket.resetAndDestroy(), 20);
      }),
    );
    const http = await opened(httpTo(service.url));
    const upload = fileUpload(Buffer.alloc(20 * 1024 * 1024));
    await expect(http.call(add, input(upload))).rejects.toMatchObject({ code: "network", uncertain: true });
    expect(upload.streams).toHaveLength(1);
    await waitFor(() => upload.streams[0]?.closed === true, "the file is closed");
  });
});

describe("a file that cannot be read", () => {
  const run = async (upload: Partial<Upload>) => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, answer)));
    const http = await opened(httpTo(service.url, { timeout: 3000 }));
    return http.call(add, input({ fileName: "a.txt", ...upload } as Upload));
  };

  it("because it does not exist is an error with its name", async () => {
    const source = async () => {
      const handle = await open(join(folder, "missing"));
      return { stream: handle.createReadStream(), size: undefined };
    };
    await expect(run({ source })).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/^could not read "a.txt": ENOENT/),
    });
  });

  it("to its end is an error with its name, and does not hang", async () => {
    const failing = () =>
      new Readable({
        read() {
          this.push(Buffer.alloc(1000));
          this.destroy(new Error("disk on fire"));
        },
      });
    for (const size of [undefined, 5000])
      await expect(run({ source: async () => ({ stream: failing(), size }) })).rejects.toMatchObject({
        code: "usage",
        message: 'could not read "a.txt": disk on fire',
      });
  });

  it("before anything of it was sent is an error with its name, and does not end the process", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, answer)));
    const http = await opened(httpTo(service.url));
    await http.call(operations["cards.delete"], { params: { "card-id": "c1" } });
    // Without a listener of its own, an "error" event of the form is an uncaught exception, which fails the run.
    for (const soon of [process.nextTick, setImmediate]) {
      const source = async () => {
        const stream = new Readable({ read() {} });
        soon(() => stream.destroy(new Error("disk on fire")));
        return { stream, size: 10 };
      };
      await expect(http.call(add, input({ fileName: "a.txt", source }))).rejects.toMatchObject({
        code: "usage",
        message: 'could not read "a.txt": disk on fire',
      });
    }
    expect(service.requests).toHaveLength(1);
  });

  it("because its length changed is an error with its name", async () => {
    for (const size of [3, 10])
      await expect(
        run({ source: async () => ({ stream: Readable.from([Buffer.from("hello")]), size }) }),
      ).rejects.toMatchObject({ code: "usage", message: expect.stringContaining('could not read "a.txt"') });
  });

  it("because it was closed too early is an error with its name", async () => {
    const stream = new Readable({ read() {} });
    setTimeout(() => stream.destroy(), 50);
    await expect(run({ source: async () => ({ stream, size: undefined }) })).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("ended too early"),
    });
  });
});

describe("the timeout of an upload", () => {
  it("does not end one that gets on, but one that does not", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, answer)));
    const http = await opened(httpTo(service.url, { timeout: 300 }));
    const slowly = (pauses: number, pause: number) => async () => {
      async function* parts() {
        for (let part = 0; part < pauses; part++) {
          await new Promise((resolve) => setTimeout(resolve, pause));
          yield Buffer.alloc(100 * 1024);
        }
      }
      return { stream: Readable.from(parts()), size: undefined };
    };
    expect(await http.call(add, input({ fileName: "a", source: slowly(8, 60) }))).toEqual(answer);
    await expect(http.call(add, input({ fileName: "a", source: slowly(2, 1000) }))).rejects.toMatchObject({
      code: "timeout",
      uncertain: true,
    });
  });

  it("that passes while its file is opened leaves nothing uncertain", async () => {
    const service = await opened(fakeService((_, response) => sendJson(response, 200, answer)));
    const http = await opened(httpTo(service.url, { timeout: 500, retries: 1 }));
    await http.call(operations["cards.delete"], { params: { "card-id": "c1" } });
    const before = service.requests.length;
    let openings = 0;
    const source = async () => {
      openings++;
      await new Promise((resolve) => setTimeout(resolve, 600));
      return { stream: Readable.from([Buffer.from("hello")]), size: 5 };
    };
    await expect(http.call(add, input({ fileName: "a", source }))).rejects.toMatchObject({
      code: "timeout",
      uncertain: false,
    });
    expect(openings).toBe(2);
    expect(service.requests).toHaveLength(before);
  });
});
