import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readBody } from "../../src/http/answer.ts";

const never = new AbortController().signal;
const isClosed = (body: Readable) => new Promise((resolve) => body.once("close", resolve));
const answered = (body: Readable) => ({ status: 200, headers: {}, body });

test("a body that broke off before it is read is an error, not an endless wait", async () => {
  const reset = new Readable({ read() {} }).on("error", () => {});
  reset.destroy(new Error("reset"));
  await isClosed(reset);
  await expect(readBody(answered(reset), 100, never)).rejects.toThrow("reset");
  const closed = new Readable({ read() {} });
  closed.destroy();
  await isClosed(closed);
  await expect(readBody(answered(closed), 100, never)).rejects.toThrow();
});

test("a body that is closed before its end is an error", async () => {
  const body = new Readable({ read() {} });
  body.push("half");
  const read = readBody(answered(body), 100, never);
  setImmediate(() => body.destroy());
  await expect(read).rejects.toThrow("Premature close");
});

test("an empty body is no error", async () => {
  expect((await readBody(answered(Readable.from([])), 100, never)).length).toBe(0);
});

/** The bytes in pieces of that size. */
function* inPieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("a body of many pieces is read whole, up to its limit", async () => {
  const bytes = Buffer.from("0123456789".repeat(1000));
  for (const size of [1, 7, 9, 1024, 5000, 10_000]) {
    const read = (limit: number) => readBody(answered(Readable.from(inPieces(bytes, size))), limit, never);
    expect(bytes.equals((await read(bytes.length)) as Buffer)).toBe(true);
    await expect(read(bytes.length - 1)).rejects.toMatchObject({
      message: expect.stringContaining("the answer is larger than"),
    });
  }
});

test("a body that comes byte by byte takes little memory", async () => {
  const bytes = Buffer.alloc(500_000);
  const before = process.memoryUsage().rss;
  const body = await readBody(answered(Readable.from(inPieces(bytes, 1))), bytes.length, never);
  expect(body).toHaveLength(bytes.length);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});

test("a body that announces to be too large is not read", async () => {
  const body = new Readable({ read() {} });
  const answer = { status: 200, headers: { "content-length": "101" }, body };
  await expect(readBody(answer, 100, never)).rejects.toMatchObject({
    message: expect.stringContaining("the answer is larger than"),
  });
  expect(body.destroyed).toBe(true);
});
