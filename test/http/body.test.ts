import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readBody } from "../../src/http/body.ts";
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
