import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "./bundle.ts";

export interface Script {
  /** Starts it as a process of its own; its arguments arrive as one JSON text in argv[2]. */
  start(options: unknown): ScriptRun;
  remove(): void;
}

export interface ScriptRun {
  readonly process: ChildProcess;
  /** What it printed so far, by lines. */
  readonly lines: readonly string[];
  /** Resolves when it has ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
}

/** Bundles a TypeScript file of test/support, so that Node can run it as a process. */
export async function bundledScript(entry: string): Promise<Script> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-script-"));
  const file = await bundle(entry, folder);
  return {
    start(options) {
      const child = spawn(process.execPath, [file, JSON.stringify(options)], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { PATH: process.env["PATH"] ?? "" },
      });
      const lines: string[] = [];
      let rest = "";
      let stderr = "";
      child.stdout.on("data", (chunk: Buffer) => {
        const parts = (rest + chunk.toString()).split("\n");
        rest = parts.pop() ?? "";
        lines.push(...parts);
      });
      child.stderr.on("data", (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>(
        (resolve) => child.on("close", (code, signal) => resolve({ code, signal, stderr })),
      );
      return { process: child, lines, ended };
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}
