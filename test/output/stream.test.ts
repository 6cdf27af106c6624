import { spawn } from "node:child_process";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { ClosedOutputError, createOutput } from "../../src/output/stream.ts";
import { buildScript } from "../support/inline-script.ts";

/** Prints cards without end, as the program would; tells on stderr how it ended. */
const endless = `
  import { createOutput, createPrinter, reportError } from "src/output/index.ts";
  import { listings } from "src/schema/resources.ts";
  async function* cards() {
    for (let n = 0; ; n++) {
      if (n % 1000 === 0 && process.memoryUsage().rss > 300e6) throw new Error("too much memory");
      yield Array.from({ length: 100 }, (_, m) => ({ id: "card" + n + "-" + m, name: "x".repeat(200) }));
    }
  }
  const stdout = createOutput(process.stdout);
  const format = process.argv[2];
  const printer = createPrinter({ format, listing: listings.cards, stdout, isTerminal: false, width: 80, colour: false, now: 0, dayOf: () => 0 });
  try {
    await printer.list(cards());
  } catch (error) {
    process.exitCode = reportError(error, { format, write: (text) => process.stderr.write(text) });
  }
`;

describe("an output", () => {
  test("waits until the reader reads more", async () => {
    const stream = new PassThrough({ highWaterMark: 10 });
    const output = createOutput(stream);
    let done = false;
    const written = output.write("x".repeat(50)).then(() => {
      done = true;
    });
    await new Promise((next) => setImmediate(next));
    expect(done).toBe(false);
    stream.resume();
    await written;
    expect(done).toBe(true);
  });

  test("removes its listeners", async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const output = createOutput(stream);
    stream.resume();
    const counts = () => stream.eventNames().map((name) => [name, stream.listenerCount(name)]);
    await output.write("x");
    const before = counts();
    for (let n = 0; n < 50; n++) await output.write("xxx");
    expect(counts()).toEqual(before);
  });

  test("reports once that the reader has closed the pipe", async () => {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
    });
    const output = createOutput(stream);
    await output.write("first").catch(() => {});
    await new Promise((next) => setImmediate(next));
    await expect(output.write("second")).rejects.toThrow(ClosedOutputError);
  });

  test("reports what the system cannot write", async () => {
    const stream = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) =>
        setImmediate(() => done(new Error("ENOSPC: no space left on device"))),
    });
    await expect(createOutput(stream).write("data")).rejects.toThrow("could not write the output: ENOSPC");
  });

  test.each(["json", "ndjson", "csv", "tsv", "id", "table"])(
    "that is closed ends %s quietly with exit code 0",
    async (format) => {
      const script = await buildScript(endless);
      const child = spawn(process.execPath, [script, format], { stdio: ["ignore", "pipe", "pipe"] });
      let stderr = "";
      child.stderr.on("data", (chunk) => {
        stderr += chunk;
      });
      child.stdout.once("data", () => child.stdout.destroy());
      const code = await new Promise((done) => child.on("close", done));
      expect([code, stderr]).toEqual([0, ""]);
    },
  );

  test("that is read slowly keeps memory constant", async () => {
    const script = await buildScript(endless);
    const child = spawn(process.execPath, [script, "ndjson"], { stdio: ["ignore", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    let read = 0;
    for await (const chunk of child.stdout) {
      read += (chunk as Buffer).length;
      if (read > 60e6) break;
    }
    const code = await new Promise((done) => child.on("close", done));
    expect([code, stderr]).toEqual([0, ""]);
  });
});
