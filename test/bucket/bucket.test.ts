import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Bucket, type BucketOptions } from "../../src/service/blobs/bucket.ts";
import { BucketError } from "../../src/service/blobs/failure.ts";
import { powerlessKey, takePrefix } from "../support/bucket.ts";
import { freePort } from "../support/postgres.ts";

type Fault = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** A way to the server on which something goes wrong with the next requests, one fault each. */
async function wayWith(faults: Fault[]): Promise<BucketOptions> {
  const options = takePrefix();
  const target = new URL(options.endpoint ?? "");
  const server = createServer((incoming, outgoing) => {
    const fault = faults.shift();
    if (fault !== undefined) return fault(incoming, outgoing);
    const { method = "", url = "", headers } = incoming;
    const onward = request({ port: target.port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { ...options, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const answering =
  (status: number, code?: string): Fault =>
  (incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(status).end(code === undefined ? "" : `<Error><Code>${code}</Code></Error>`);
  };

const passing: Readonly<Record<string, Fault>> = {
  "503 SlowDown": answering(503, "SlowDown"),
  "500 InternalError": answering(500, "InternalError"),
  "429": answering(429),
  "a connection that is closed": ({ socket }) => socket.destroy(),
  "an answer that is cut": (incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(200, { "content-length": 1000 }).write("x");
    setImmediate(() => incoming.socket.destroy());
  },
};

test.each(Object.entries(passing))("repeats requests after %s", async (_, fault) => {
  const faults: Fault[] = [];
  const bucket = new Bucket(await wayWith(faults));
  const bytes = Buffer.from("content");
  faults.push(fault, fault);
  await bucket.put("a/0", bytes);
  faults.push(fault);
  expect(await bucket.get("a/0")).toEqual(bytes);
  faults.push(fault);
  const pages: (readonly string[])[] = [];
  for await (const keys of bucket.list("a/")) pages.push(keys);
  expect(pages).toEqual([["a/0"]]);
  faults.push(fault);
  await bucket.remove("a/0");
  expect(await bucket.get("a/0")).toBeUndefined();
  // What is not there is as good as deleted.
  await bucket.remove("a/0");
});

const failure = (work: Promise<unknown>): Promise<BucketError> =>
  work.then(
    () => Promise.reject(new Error("it succeeded")),
    (error) => (error instanceof BucketError ? error : Promise.reject(error)),
  );

test.each([
  ["a wrong secret", { secretAccessKey: "hunter2" }, "403 SignatureDoesNotMatch"],
  ["an unknown key", { accessKeyId: "test:hunter2" }, "403 "],
  [
    "a key without rights",
    {
      accessKeyId: powerlessKey.AWS_ACCESS_KEY_ID,
      secretAccessKey: powerlessKey.AWS_SECRET_ACCESS_KEY,
    },
    "403 AccessDenied",
  ],
  ["a bucket that does not exist", { bucket: "nowhere" }, "404 NoSuchBucket"],
])("says that the store refuses %s, without the key", async (_, changes, said) => {
  const options = { ...takePrefix(), ...changes };
  const bucket = new Bucket(options);
  const tries = [
    () => bucket.get("a"),
    () => bucket.put("a", Buffer.from("x")),
    () => bucket.list("").next(),
  ];
  for (const work of tries) {
    const error = await failure(work());
    expect(error).toMatchObject({ kind: "refused", exitCode: 3, answer: { status: 500 } });
    expect(error.message).toContain(said);
    expect(error.message).toContain(`s3://${options.bucket}/run-`);
    expect(error.message).not.toMatch(/hunter2|testing|reading|test:/);
  }
});

test("does not store what was changed on the way", async () => {
  const faults: Fault[] = [];
  const options = await wayWith(faults);
  const bucket = new Bucket(options);
  faults.push((incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    incoming.resume();
    const { port } = new URL(takePrefix().endpoint ?? "");
    request({ port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    }).end("cantent");
  });
  expect(await failure(bucket.put("a/0", Buffer.from("content")))).toMatchObject({ kind: "refused" });
  expect(await bucket.get("a/0")).toBeUndefined();
});

test("gives up after its patience, and says what was the matter", async () => {
  const nothing = new Bucket({
    ...takePrefix(),
    endpoint: `http://127.0.0.1:${await freePort()}`,
    patience: 300,
  });
  const error = await failure(nothing.get("a"));
  expect(error).toMatchObject({ kind: "unavailable", exitCode: 8, answer: { status: 503 } });
  expect(error.message).toMatch(/cannot be reached: .*ECONNREFUSED/);
  const faults = Array.from({ length: 100 }, () => answering(503, "SlowDown"));
  const slow = new Bucket({ ...(await wayWith(faults)), patience: 300 });
  expect((await failure(slow.put("a", Buffer.from("x")))).message).toMatch(/: 503 SlowDown$/);
  const full = new Bucket(
    await wayWith([answering(507, "XMinioStorageFull"), answering(403, "QuotaExceeded")]),
  );
  for (let at = 0; at < 2; at++)
    expect(await failure(full.put("a", Buffer.from("x")))).toMatchObject({ answer: { status: 507 } });
});

test("lists more keys than fit into one answer", async () => {
  const bucket = new Bucket(takePrefix());
  // The server of the tests lists five at a time.
  const keys = Array.from({ length: 7 }, (_, at) => `k/${at}`);
  await Promise.all(keys.map((key) => bucket.put(key, Buffer.from("x"))));
  await bucket.put("l/0", Buffer.from("x"));
  const pages: (readonly string[])[] = [];
  for await (const page of bucket.list("k/")) pages.push(page);
  expect(pages.map((page) => page.length)).toEqual([5, 2]);
  expect(pages.flat()).toEqual(keys);
});
