import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Cli, program } from "./cli.ts";
import { runProcess } from "./run-process.ts";

/** A call of the system that writes, syncs or names a file, in the order in which they ended. */
export interface SystemCall {
  readonly name: "write" | "sync" | "rename";
  /** The file; with `rename` the old name. A folder may be synced, too. */
  readonly path: string;
  readonly to?: string;
}

/** Whether the machine can tell what a program asks the system to do. */
export function canTrace(): boolean {
  try {
    execFileSync("strace", ["-qq", "-e", "trace=none", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const calls = "write,pwrite64,writev,pwritev,fsync,fdatasync,rename,renameat,renameat2,link,linkat";

/** Runs the built program, and tells what it wrote and synced; what it prints is a write of `stdout`. */
export function traced(home: Cli, args: readonly string[], input = ""): Promise<SystemCall[]> {
  return tracedNode([program, ...args], home.home, home.env, input);
}

/** Runs Node with these arguments; the folder is for a file of ours. */
export async function tracedNode(
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv = {},
  input = "",
): Promise<SystemCall[]> {
  const file = join(folder, "trace");
  const options = ["-f", "-qq", "-y", "-s", "0", "-e", `trace=${calls}`, "-o", file];
  const run = await runProcess([process.execPath, ...args], env, input, ["strace", ...options]);
  if (run.code !== 0) throw new Error(`${args.join(" ")} ended with ${run.code}\n${run.stderr}`);
  const lines = readFileSync(file, "utf8").split("\n");
  rmSync(file);
  return lines.flatMap(callOf);
}

function callOf(line: string): SystemCall[] {
  // A call that another thread interrupts is told in two lines; the first has the arguments, and will do.
  const [, name = "", rest = ""] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
  const [, number = "", path = ""] = /^(\d+)<([^>]*)>/.exec(rest) ?? [];
  if (/sync/.test(name)) return [{ name: "sync", path }];
  if (/write/.test(name)) return [{ name: "write", path: number === "1" ? "stdout" : path }];
  const [from, to] = [...rest.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? "");
  return from === undefined || to === undefined ? [] : [{ name: "rename", path: from, to }];
}
