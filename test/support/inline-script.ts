import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { temporaryFolder } from "./folder.ts";

/** Builds a script that imports modules of `src` (as `src/…`), so that a process of its own can run it. */
export async function buildScript(text: string): Promise<string> {
  const folder = temporaryFolder();
  const entry = join(folder, "script.ts");
  writeFileSync(entry, text.replaceAll(/"src\//g, `"${resolve("src")}/`));
  const bundle = await rolldown({ input: entry, platform: "node", external: [/^node:/] });
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
