import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

/** The most memory that this process ever took, in MiB. */
export function peakMemory(): number {
  try {
    // What getrusage tells may be what the process that started this one took.
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** CPU time of this process so far, in ms. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export type Roles = Readonly<Record<string, (options: never) => Promise<unknown>>>;

/**
 * A benchmark whose parts run in processes of their own: the file starts itself again with the name of a part.
 *
 * @param main gives whether all floors held
 */
export async function benchmark(main: () => Promise<boolean>, roles: Roles): Promise<void> {
  const [, , name, options = "{}"] = process.argv;
  if (name === undefined) {
    process.exitCode = (await main()) ? 0 : 1;
    return;
  }
  const told = await roles[name]?.(JSON.parse(options) as never);
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

export interface Part<T> {
  /** What it told first. */
  readonly told: T;
  readonly process: ChildProcess;
}

/** Starts a part and waits for what it tells; it may stay, as servers do. */
export async function start<T>(name: string, options: unknown = {}): Promise<Part<T>> {
  const child = spawn(process.execPath, [process.argv[1] ?? "", name, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout }))
    return { told: JSON.parse(line) as T, process: child };
  throw new Error(`${name} ended without a word`);
}

/** Runs a part to its end. */
export async function run<T>(name: string, options: unknown = {}): Promise<T> {
  const part = await start<T>(name, options);
  if (part.process.exitCode === null) await new Promise((done) => part.process.once("exit", done));
  return part.told;
}

/** A bare server on a free port: its URL. */
export async function bareServer(listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Prints a figure and the floor that it has to keep; whether it does. */
export function judge(what: string, value: number, most: number, unit = ""): boolean {
  const held = value <= most;
  const verdict = held ? `(at most ${most}${unit})` : `ABOVE ${most}${unit}`;
  console.log(`  ${what.padEnd(44)} ${value.toFixed(2).padStart(8)}${unit} ${verdict}`);
  return held;
}

export function tell(what: string, value: number, unit: string): void {
  console.log(`  ${what.padEnd(44)} ${value.toFixed(1).padStart(8)} ${unit}`);
}
