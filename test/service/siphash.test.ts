import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { sipHash } from "../../src/service/siphash.ts";

const key = Buffer.from(Array.from({ length: 16 }, (_, at) => at));
const message = (length: number) => String.fromCharCode(...Array.from({ length }, (_, at) => at));

// Appendix A of the paper, and vectors of its reference implementation: the messages 00 01 02 … of so many bytes.
test.each([
  [0, "310e0edd47db6f72"],
  [1, "fd67dc93c539f874"],
  [7, "37d1018bf50002ab"],
  [8, "6224939a79f5f593"],
  [15, "e545be4961ca29a1"],
])("hashes a message of %i bytes as the paper does", (length, hash) => {
  expect(Buffer.from(sipHash(key, message(length))).toString("hex")).toBe(hash);
});

test("gives another hash for another key, and for another length of the same bytes", () => {
  const other = Buffer.from(key).fill(1, 15);
  const hashes = [
    sipHash(key, message(9)),
    sipHash(other, message(9)),
    sipHash(key, "\0".repeat(9)),
    sipHash(key, "\0".repeat(10)),
  ];
  expect(new Set(hashes.map((hash) => Buffer.from(hash).toString("hex"))).size).toBe(hashes.length);
});
