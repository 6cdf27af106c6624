import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changeCredential, problemWithKey, readCredentials } from "../../src/config/credentials.ts";
import { temporaryFolder } from "../support/folder.ts";

const credential = { origin: "https://cards.example", key: "sesame" };

describe("keys", () => {
  test("are kept for the owner alone, in a folder that only the owner can enter", async () => {
    const folder = join(temporaryFolder(), "config");
    mkdirSync(folder, { mode: 0o755 });
    await changeCredential(folder, "linux", "work", credential);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "credentials.json")).mode & 0o777).toBe(0o600);
    expect(readCredentials(folder, "linux").keys).toEqual(new Map([["work", credential]]));
  });

  test("are forgotten one by one", async () => {
    const folder = temporaryFolder();
    await changeCredential(folder, "linux", "a", credential);
    await changeCredential(folder, "linux", "b", credential);
    await changeCredential(folder, "linux", "a", undefined);
    await changeCredential(folder, "linux", "c", undefined);
    expect([...readCredentials(folder, "linux").keys.keys()]).toEqual(["b"]);
    expect(readFileSync(join(folder, "credentials.json"), "utf8")).not.toContain('"a"');
  });

  test.each([0o640, 0o604, 0o660, 0o644])("are refused from a file of mode %o", async (mode) => {
    const folder = temporaryFolder();
    await changeCredential(folder, "linux", "work", credential);
    chmodSync(join(folder, "credentials.json"), mode);
    const read = readCredentials(folder, "linux");
    expect(read.keys.size).toBe(0);
    expect(read.problem).toMatch(/credentials\.json can be read by others, .*chmod 600/);
    expect(read.problem).not.toContain("sesame");
    await expect(changeCredential(folder, "linux", "other", credential)).rejects.toThrow(
      "can be read by others",
    );
    expect(readFileSync(join(folder, "credentials.json"), "utf8")).toContain("sesame");
    expect(readCredentials(folder, "win32").keys.size).toBe(1);
  });

  test("in a damaged file are reported as damaged, and can be saved again", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "credentials.json"), '{"work": {"key": "sesa', { mode: 0o600 });
    const { problem } = readCredentials(folder, "linux");
    expect(problem).toMatch(/is damaged; log in again/);
    expect(problem).not.toContain("sesa");
    await changeCredential(folder, "linux", "work", credential);
    expect(readCredentials(folder, "linux").keys.get("work")).toEqual(credential);
  });

  test("of a missing file are none", () => {
    const read = readCredentials(temporaryFolder(), "linux");
    expect([read.keys.size, read.problem]).toEqual([0, undefined]);
  });

  test.each([
    ["sk_1-2.3~é", undefined],
    ["", "it is empty"],
    ["a:b", "it contains a colon"],
    ["a\tb", "it contains a control character"],
    ["a\u0085b", "it contains a control character"],
  ])("%j: %s", (key, problem) => {
    expect(problemWithKey(key)).toBe(problem);
  });
});
