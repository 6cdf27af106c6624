import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replaceFile, writeFileWith } from "../../src/files/atomic-write.ts";
import { temporaryFolder } from "../support/folder.ts";

test("a file is replaced as a whole, is private, and nothing else is left", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a");
  writeFileSync(path, "old", { mode: 0o644 });
  replaceFile(path, "new", { synced: true });
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["new", 0o600]);
  await writeFileWith(path, async (file) => {
    await file.write("x".repeat(300_000));
    await file.writeAll([Buffer.from("y"), "z"]);
    expect(readFileSync(path, "utf8")).toBe("new");
  });
  expect(readFileSync(path, "utf8")).toBe(`${"x".repeat(300_000)}yz`);
  expect(readdirSync(folder)).toEqual(["a"]);
});

test("a failure leaves the old file and no temporary one", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a");
  writeFileSync(path, "old");
  const failing = writeFileWith(path, async (file) => {
    await file.write("new");
    throw new Error("lost");
  });
  await expect(failing).rejects.toThrow("lost");
  const short = (file: string, text: string) => writeFileSync(file, text.slice(1));
  expect(() => replaceFile(path, "new", { synced: true, write: short })).toThrow("no space left");
  expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["old", ["a"]]);
});

test("a file that must not be replaced is left, also one that appears meanwhile", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a");
  const late = writeFileWith(path, async () => writeFileSync(path, "other"), { replace: false });
  await expect(late).rejects.toMatchObject({ code: "EEXIST" });
  expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["other", ["a"]]);
  await writeFileWith(join(folder, "b"), (file) => file.write("b"), { replace: false });
  expect(readdirSync(folder)).toEqual(["a", "b"]);
});

test("a text is written to the file that a link names, a stream replaces the link", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "real"));
  const [link, real] = [join(folder, "link"), join(folder, "real", "a")];
  writeFileSync(real, "old");
  symlinkSync(real, link);
  replaceFile(link, "new", { synced: false });
  expect(readFileSync(real, "utf8")).toBe("new");
  await writeFileWith(link, (file) => file.write("newer"));
  expect([link, real].map((path) => readFileSync(path, "utf8"))).toEqual(["newer", "new"]);
  expect(readdirSync(folder)).toEqual(["link", "real"]);
});
