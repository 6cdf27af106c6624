import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AppendLog } from "../../src/files/append-log.ts";
import { checksumState, withChecksum } from "../../src/files/checksum.ts";
import { temporaryFolder } from "../support/folder.ts";

/** The lines of a log as it writes them. */
const lines = (...values: readonly object[]) =>
  values.map((value) => `${withChecksum(JSON.stringify(value))}\n`).join("");

test("a log is created with its folder on the first line, for its owner alone", () => {
  const path = join(temporaryFolder(), "below", "log");
  const log = new AppendLog(path);
  log.append({ a: 1 });
  log.sync();
  log.append({ b: "\n" });
  log.close();
  expect(readFileSync(path, "utf8")).toBe(lines({ a: 1 }, { b: "\n" }));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a last line that was cut off is ended before the next one", () => {
  const path = join(temporaryFolder(), "log");
  writeFileSync(path, '{"a":1}\n{"b":');
  const log = new AppendLog(path, { afterDamage: (line) => ({ note: line }) });
  log.append({ c: 3 });
  log.append({ d: 4 });
  expect(readFileSync(path, "utf8")).toBe(
    `{"a":1}\n{"b":\n${lines({ note: '{"b":' })}${lines({ c: 3 }, { d: 4 })}`,
  );
  log.close();
});

test("lines of two processes never share one", () => {
  const path = join(temporaryFolder(), "log");
  const log = new AppendLog(path);
  log.append({ n: 1 });
  appendFileSync(path, "2\n");
  log.append({ n: 3 });
  log.close();
  expect(readFileSync(path, "utf8")).toBe(`${lines({ n: 1 })}2\n${lines({ n: 3 })}`);
});

test("every single wrong bit of a line is found by its checksum or makes it unreadable", () => {
  for (const value of [{ a: "é\u0000" }, { type: "sent", id: "x" }]) {
    const line = withChecksum(JSON.stringify(value));
    expect(checksumState(line)).toBe("good");
    const bytes = Buffer.from(line);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const wrong = Buffer.from(bytes);
      wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(wrong.toString("utf8").split("\n").map(checksumState), `bit ${bit}`).not.toContain("good");
      expect(isRead(wrong.toString("utf8")), `bit ${bit}`).toBe(false);
    }
  }
});

/** Whether a reader that accepts lines without a checksum would use it. */
function isRead(text: string): boolean {
  return text.split("\n").some((line) => {
    try {
      JSON.parse(line);
      return checksumState(line) !== "damaged";
    } catch {
      return false;
    }
  });
}

test("lines of earlier versions, without a checksum, are no damage", () => {
  for (const line of ['{"type":"sent","id":"x"}', "{}", "", '{"item":"line 3","hash":"01234567"}'])
    expect(checksumState(line)).toBe("none");
});
