import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AppendLog } from "../../src/files/append-log.ts";
import { temporaryFolder } from "../support/folder.ts";

test("a log is created with its folder on the first line, for its owner alone", () => {
  const path = join(temporaryFolder(), "below", "log");
  const log = new AppendLog(path);
  log.append({ a: 1 });
  log.sync();
  log.append({ b: "\n" });
  log.close();
  expect(readFileSync(path, "utf8")).toBe('{"a":1}\n{"b":"\\n"}\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a last line that was cut off is ended before the next one", () => {
  const path = join(temporaryFolder(), "log");
  writeFileSync(path, '{"a":1}\n{"b":');
  const log = new AppendLog(path, { afterDamage: (line) => `note ${line}\n` });
  log.append({ c: 3 });
  log.append({ d: 4 });
  expect(readFileSync(path, "utf8")).toBe('{"a":1}\n{"b":\nnote {"b":\n{"c":3}\n{"d":4}\n');
  log.close();
});

test("lines of two processes never share one", () => {
  const path = join(temporaryFolder(), "log");
  const log = new AppendLog(path);
  log.append(1);
  appendFileSync(path, "2\n");
  log.append(3);
  log.close();
  expect(readFileSync(path, "utf8")).toBe("1\n2\n3\n");
});

test("a log can be cut where its last line is damaged", () => {
  const path = join(temporaryFolder(), "log");
  writeFileSync(path, "1\n2");
  const log = new AppendLog(path);
  log.cut(2);
  log.append(3);
  log.cut(100);
  log.append(4);
  log.close();
  expect(readFileSync(path, "utf8")).toBe("1\n3\n4\n");
});
