import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LoggedFile } from "../../src/transfer/export/logged-file.ts";
import { temporaryFolder } from "../support/folder.ts";

it.skipIf(process.platform === "win32")(
  "does not write again what it could write a part of, nor takes it down",
  () => {
    const folder = temporaryFolder();
    const [pipe, log] = [join(folder, "pipe"), join(folder, "log")];
    execFileSync("mkfifo", [pipe]);
    // A pipe is a disk that is soon full, and has room again as soon as it is read.
    const file = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const notes = openSync(log, "a");
    try {
      const logged = new LoggedFile(file, notes);
      logged.add("a".repeat(400_000));
      logged.note("400000\n");
      expect(() => logged.write()).toThrow();
      const room = Buffer.alloc(1 << 20);
      expect(readSync(file, room)).toBeGreaterThan(0);
      logged.write();
      expect(() => readSync(file, room)).toThrow("EAGAIN");
      expect(readFileSync(log, "utf8")).toBe("");
    } finally {
      closeSync(file);
      closeSync(notes);
    }
  },
);
