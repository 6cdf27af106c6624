import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { Pieces, readBody } from "../../src/http/body.ts";
import type { Cutoff } from "../../src/schema/index.ts";

const never: Cutoff = { happened: false, reason: undefined, listen() {}, unlisten() {} };
const isClosed = (body: Readable) => new Promise((resolve) => body.once("close", resolve));
const answered = (body: Readable) => ({ status: 200, headers: {}, body });

test("a body that broke off before anyone read it is an error, not a wait without end", async () => {
  const reset = new Readable({ read() {} }).on("error", () => {});
  reset.destroy(new Error("reset"));
  await isClosed(reset);
  await expect(readBody(answered(reset), 100, never)).rejects.toThrow("reset");
  const closed = new Readable({ read() {} });
  closed.destroy();
  await isClosed(closed);
  await expect(readBody(answered(closed), 100, never)).rejects.toThrow("the stream was closed");
});

test("a body that is closed before its end is an error", async () => {
  const body = new Readable({ read() {} });
  body.push("half");
  const read = readBody(answered(body), 100, never);
  setImmediate(() => body.destroy());
  await expect(read).rejects.toThrow("the stream was closed");
});

test("an empty body is no error", async () => {
  expect((await readBody(answered(Readable.from([])), 100, never)).length).toBe(0);
});

test("a body of many pieces is whole, up to its limit", () => {
  const bytes = Buffer.from("0123456789".repeat(1000));
  for (const size of [1, 7, 9, 1024, 5000, 10_000]) {
    const pieces = new Pieces(bytes.length);
    for (let at = 0; at < bytes.length; at += size)
      expect(pieces.add(bytes.subarray(at, at + size))).toBe(true);
    expect(pieces.joined().equals(bytes)).toBe(true);
    expect(pieces.add(bytes.subarray(0, 1))).toBe(false);
  }
});

test("a body that comes byte by byte takes little memory", () => {
  const bytes = Buffer.alloc(1024);
  const pieces = new Pieces(Number.POSITIVE_INFINITY);
  const before = process.memoryUsage().rss;
  for (let count = 0; count < 2_000_000; count++)
    pieces.add(bytes.subarray(count % 1024, (count % 1024) + 1));
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  expect(pieces.joined()).toHaveLength(2_000_000);
});
