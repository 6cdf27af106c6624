import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";

/** The exit code of a program as a shell says it: one that a signal stopped may end as the signal does, where it is slow. */
export const exitCodeOf = (child: ChildProcess): Promise<number> =>
  new Promise((done) =>
    child.on("close", (code, signal) => done(code ?? 128 + constants.signals[signal ?? "SIGKILL"])),
  );

export interface ProcessRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node with these arguments to its end, without a terminal; or another program that is given them, too. */
export function runProcess(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  input = "",
  [program = process.execPath, ...before]: readonly string[] = [],
): Promise<ProcessRun> {
  const child = spawn(program, [...before, ...args], { env: { PATH: process.env["PATH"], ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}
