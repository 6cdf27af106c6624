import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bareServer, benchmark, judge, run, start, tell } from "./support.ts";

/**
 * The most memory that the built program takes to send a large file, to a server that throws it away. Needs a build.
 *
 *     node scripts/run.mjs test/bench/upload.ts
 *
 * `SIZE` is the size in MiB (1024).
 */

const size = Number(process.env["SIZE"] ?? 1024);
const most = 120;

interface Sent {
  readonly ms: number;
  readonly peak: number;
}

async function main(): Promise<boolean> {
  const server = await start<string>("server");
  const [small, large] = [
    await run<Sent>("send", { url: server.told, size: 1 }),
    await run<Sent>("send", { url: server.told, size }),
  ];
  server.process.kill();
  console.log(`an upload of ${size} MiB`);
  tell("time", large.ms, `ms, ${(size / (large.ms / 1000)).toFixed(0)} MiB/s`);
  tell("peak memory of 1 MiB", small.peak, "MiB");
  return judge("peak memory", large.peak, most, " MiB");
}

/** Starts the program with a hook that takes its peak down when it ends. */
async function send({ url, size }: { url: string; size: number }): Promise<Sent> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  try {
    mkdirSync(join(folder, "home"));
    const [file, hook, note] = [join(folder, "large.bin"), join(folder, "hook.cjs"), join(folder, "peak")];
    writeFileSync(file, "");
    truncateSync(file, size * 1024 * 1024);
    writeFileSync(
      hook,
      `process.on("exit", () => { const fs = require("node:fs"); let kb;
        try { kb = Number(/VmHWM:\\s+(\\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]); }
        catch { kb = process.resourceUsage().maxRSS; }
        fs.writeFileSync(${JSON.stringify(note)}, String(kb / 1024)); });`,
    );
    const { spawnSync } = await import("node:child_process");
    const begun = performance.now();
    const args = ["--require", hook, resolve("bin/deckhand.js"), "attach", "add", "x7Rw2kQp", file];
    const { status, stderr } = spawnSync(process.execPath, [...args, "--timeout", "10m"], {
      env: {
        PATH: process.env["PATH"],
        DECKHAND_HOME: join(folder, "home"),
        DECKHAND_BASE_URL: url,
        DECKHAND_API_KEY: "key",
      },
      encoding: "utf8",
    });
    const ms = performance.now() - begun;
    if (status !== 0) throw new Error(`ended with ${status}: ${stderr}`);
    return { ms, peak: Number(readFileSync(note, "utf8")) };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function server(): Promise<string> {
  return bareServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"file-name":"large.bin","size":1,"type":"application/octet-stream"}');
    });
  });
}

await benchmark(main, { send, server });
