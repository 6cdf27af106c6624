import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFileWith } from "../../../src/files/atomic-write.ts";
import { ArchiveWriter, DamagedBackup, readArchive } from "../../../src/service/backup/archive.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { seededRandom } from "../../support/random.ts";
import { count, figure, seed } from "../../support/soak.ts";

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const parts = { "a.json": "{}\n", empty: "", "attachments/ab/c": "x".repeat(700) };

async function archive(): Promise<string> {
  const path = join(temporaryFolder(), "backup.tar");
  await writeFileWith(path, async (file) => {
    const writer = new ArchiveWriter(file, 1_700_000_000_123);
    for (const [name, text] of Object.entries(parts)) await writer.add(name, text.length, pieces(text));
    await writer.end();
  });
  return path;
}

async function contents(path: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  await readArchive(path, async ({ name, pieces }) => {
    let text = "";
    for await (const bytes of pieces) text += bytes;
    found[name] = text;
  });
  return found;
}

test("a backup gives back its parts, and only its owner can read it", async () => {
  const path = await archive();
  expect(await contents(path)).toEqual(parts);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.skipIf(process.platform === "win32")("tar and sha256sum can unpack and verify a backup", async () => {
  const path = await archive();
  const folder = temporaryFolder();
  execFileSync("tar", ["-xf", path, "-C", folder]);
  expect(readFileSync(join(folder, "attachments/ab/c"), "utf8")).toBe(parts["attachments/ab/c"]);
  execFileSync("sha256sum", ["-c", "--status", "SHA256SUMS"], { cwd: folder });
});

test("every single wrong bit of a backup is found, or changes none of its parts", async () => {
  const path = await archive();
  const whole = readFileSync(path);
  const random = seededRandom(seed);
  const bits = count("backup_bits", 300, 2000);
  let found = 0;
  for (let n = 0; n < bits; n++) {
    const at = Math.floor(random() * whole.length * 8);
    const wrong = Buffer.from(whole);
    wrong[at >> 3] = (wrong[at >> 3] ?? 0) ^ (1 << (at & 7));
    writeFileSync(path, wrong);
    const read = await contents(path).catch((error: unknown) => error);
    if (read instanceof DamagedBackup) found++;
    else expect(read, `bit ${at}`).toEqual(parts);
  }
  expect(found).toBeGreaterThan(bits / 3);
  figure("single wrong bits in backups", { bits, found });
});

test("a backup that is cut off anywhere before its end is refused", async () => {
  const path = await archive();
  const whole = readFileSync(path);
  for (let length = 0; length < whole.length - 1024; length += 97) {
    writeFileSync(path, whole.subarray(0, length));
    await expect(readArchive(path), `${length} bytes`).rejects.toThrow(DamagedBackup);
  }
});

test("what is damaged is named", async () => {
  const path = await archive();
  const text = readFileSync(path, "latin1").replace("xxxx", "xyxx");
  writeFileSync(path, text, "latin1");
  await expect(readArchive(path)).rejects.toMatchObject({
    problems: ["attachments/ab/c has another hash than SHA256SUMS says"],
  });
});
