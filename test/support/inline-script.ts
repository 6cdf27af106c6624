import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const built = new Map<string, Promise<string>>();
const folders: string[] = [];

// Test files that run without isolation share this module, so the scripts are kept until the process ends.
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Builds a script that imports modules of `src` (as `src/…`), so that a process of its own can run it; the same one once. */
export function buildScript(text: string): Promise<string> {
  const known = built.get(text);
  if (known !== undefined) return known;
  const building = build(text);
  built.set(text, building);
  return building;
}

async function build(text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-script-"));
  folders.push(folder);
  const entry = join(folder, "script.ts");
  writeFileSync(entry, text.replaceAll(/"src\//g, `"${resolve("src")}/`));
  const bundle = await rolldown({
    input: entry,
    platform: "node",
    external: [/^node:/],
    // From there the wrapper of SQLite looks for the drop-in's binary.
    transform: { define: { __dirname: JSON.stringify(process.cwd()) } },
    logLevel: "silent",
  });
  await bundle.write({ dir: join(folder, "built"), format: "esm", entryFileNames: "script.mjs" });
  await bundle.close();
  return join(folder, "built", "script.mjs");
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a built script to its end. */
export function runScript(script: string, args: readonly string[] = []): Promise<Ended> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  return new Promise((done) => child.on("close", (code) => done({ code, stdout, stderr })));
}
