import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { whole } from "../../../src/commands/attach/whole.ts";
import { NetworkError, NotConfiguredError } from "../../../src/errors.ts";
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

let temporary: string;
beforeEach(() => {
  temporary = temporaryFolder();
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, temporary);
});
afterEach(() => vi.unstubAllEnvs());

describe.each([
  ["in memory", 3],
  ["in memory and a file", 300],
])("a download that waits %s", (_, chunks) => {
  test("is read to its end before the first byte is given out, and leaves nothing behind", async () => {
    const body = stream(chunks);
    let bytes = 0;
    for await (const part of await whole(body)) {
      expect(body.readableEnded).toBe(true);
      expect(Buffer.from(part).equals(chunk.subarray(0, part.length))).toBe(true);
      bytes += part.length;
    }
    expect(bytes).toBe(chunks * chunk.length);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("gives out nothing where it breaks off", async () => {
    await expect(whole(stream(chunks, new NetworkError("lost")))).rejects.toThrow("lost");
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("is let go of by a reader who has read enough", async () => {
    for await (const _ of await whole(stream(chunks))) break;
    expect(readdirSync(temporary)).toEqual([]);
  });
});

test("a download without room for a temporary file says where it was to lie", async () => {
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, join(temporary, "nowhere"));
  const body = stream(300);
  const found = await whole(body).catch((error: unknown) => error);
  expect(found).toBeInstanceOf(NotConfiguredError);
  expect((found as Error).message).toContain(tmpdir());
  expect(body.destroyed).toBe(true);
});
