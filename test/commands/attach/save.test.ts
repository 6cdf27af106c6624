import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { kept } from "../../../src/commands/attach/save.ts";
import { DeckhandError, NotConfiguredError } from "../../../src/errors.ts";
import { temporaryFolder } from "../../support/folder.ts";

let temporary: string;
beforeEach(() => {
  temporary = temporaryFolder();
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, temporary);
});
afterEach(() => vi.unstubAllEnvs());

async function* chunks(error?: Error) {
  for (let at = 0; at < 3; at++) yield Buffer.from(`${at}`);
  if (error !== undefined) throw error;
}

test("a stream that is kept in a file leaves no file behind", async () => {
  const content = await kept(Readable.from(chunks()));
  expect(readFileSync(content.path, "utf8")).toBe("012");
  await content.remove();
  expect(readdirSync(temporary)).toEqual([]);
});

test("a stream that breaks off gives nothing, and leaves no file behind", async () => {
  await expect(kept(chunks(new DeckhandError("network", "lost")))).rejects.toThrow("lost");
  expect(readdirSync(temporary)).toEqual([]);
});

test("a stream without room for a temporary file says where it was to be", async () => {
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, join(temporary, "nowhere"));
  const found = await kept(chunks()).catch((error: unknown) => error);
  expect(found).toBeInstanceOf(NotConfiguredError);
  expect((found as Error).message).toContain(tmpdir());
});
