import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Whole, whole } from "../../../src/commands/attach/whole.ts";
import { DeckhandError, NotConfiguredError } from "../../../src/errors.ts";
import { temporaryFolder } from "../../support/folder.ts";

const chunk = Buffer.alloc(64 * 1024, "0123456789abcdef");
/** So many chunks, and then an error where there is one. */
const stream = (chunks: number, error?: Error) =>
  Readable.from(
    (async function* () {
      for (let at = 0; at < chunks; at++) yield chunk;
      if (error !== undefined) throw error;
    })(),
  );

/** Reads it all. */
async function sizeOf(content: Whole): Promise<number> {
  let bytes = 0;
  for await (const part of content.bytes()) {
    expect(Buffer.from(part).equals(chunk.subarray(0, part.length))).toBe(true);
    bytes += part.length;
  }
  return bytes;
}

let temporary: string;
beforeEach(() => {
  temporary = temporaryFolder();
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, temporary);
});
afterEach(() => vi.unstubAllEnvs());

describe.each([
  ["in memory", 3],
  ["in memory and a file", 300],
])("a stream that waits %s", (_, chunks) => {
  test("is read to its end before the first byte is written, and leaves no temporary file", async () => {
    const body = stream(chunks);
    const content = await whole(body);
    expect(body.readableEnded).toBe(true);
    expect(content.size).toBe(chunks * chunk.length);
    for (let time = 0; time < 2; time++) expect(await sizeOf(content)).toBe(content.size);
    await content.close();
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("gives out nothing where it breaks off", async () => {
    await expect(whole(stream(chunks, new DeckhandError("network", "lost")))).rejects.toThrow("lost");
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("is given out from the beginning again to a reader who has let go of it", async () => {
    const content = await whole(stream(chunks));
    for await (const _ of content.bytes()) break;
    expect(await sizeOf(content)).toBe(content.size);
    await content.close();
    expect(readdirSync(temporary)).toEqual([]);
  });
});

test("a stream without room for a temporary file says where it was to lie", async () => {
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, join(temporary, "nowhere"));
  const body = stream(300);
  const found = await whole(body).catch((error: unknown) => error);
  expect(found).toBeInstanceOf(NotConfiguredError);
  expect((found as Error).message).toContain(tmpdir());
  expect(body.destroyed).toBe(true);
});
