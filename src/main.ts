import { setMaxListeners } from "node:events";
import { homedir } from "node:os";
import type { World } from "./context/context.ts";
import { hasScreen } from "./context/has-screen.ts";
import type { Starter } from "./context/start.ts";
import type { InterruptedError } from "./errors.ts";
import { version } from "./version.ts";

/** How long a command may take to clean up after a signal, in ms: `serve` gives requests ten seconds. */
const grace = 15_000;

/** How long the last output may take to leave the process after a signal, in ms. */
const lingering = 100;

type Signal = InterruptedError["signal"];

/** The program: arguments in, exit code out. The version is printed without loading anything else. */
export function run(args: readonly string[] = process.argv.slice(2)): void {
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) printVersion();
  else if (args[0] === "__complete") void complete(args.slice(1));
  else void runProcess(args);
}

function printVersion(): void {
  // A reader that closed the pipe is no failure; a full disk is.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exitCode = 1;
  });
  process.stdout.write(`${version}\n`);
}

/** Answers a completion script. */
async function complete(words: readonly string[]): Promise<void> {
  process.stdout.on("error", () => {});
  const { printCompletions } = await import("./cli/completion/complete.ts");
  await printCompletions(words, (text) => void process.stdout.write(text));
}

/** Runs a command with the streams, signals and exit code of this process. */
async function runProcess(args: readonly string[]): Promise<void> {
  const { InterruptedError } = await import("./errors.ts");
  const stop = new AbortController();
  // Each call of an agent that waits listens to it: Node warns of more than ten.
  setMaxListeners(0, stop.signal);
  let stdinOpened = false;
  let stoppedBy: Signal | undefined;
  const end = (signal: Signal) => endBySignal(signal, new InterruptedError(signal).exitCode);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      if (stop.signal.aborted) return end(signal);
      stop.abort(new InterruptedError(signal));
      setTimeout(end, grace, signal).unref();
      stoppedBy = signal;
    });
  // A closed stderr is no failure.
  process.stderr.on("error", () => {});
  // The exit code if the event loop runs empty before the command has ended.
  process.exitCode = 1;
  process.exitCode = await main(args, {
    // Opening standard input takes time, and most commands do not read it.
    get stdin() {
      stdinOpened = true;
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    platform: process.platform,
    home: homeFolder(),
    now: Date.now,
    random: Math.random,
    signal: stop.signal,
  });
  // Standard input that was read in part would keep the process alive, and so would a blocked read of a pipe.
  if (stdinOpened && process.stdin.readableFlowing !== null) process.stdin.destroy();
  if (stoppedBy !== undefined) setTimeout(endStopped, lingering, stoppedBy).unref();
}

/** Ends a process that a signal stopped: with 0 where the command stops cleanly, as `serve` does. */
function endStopped(signal: Signal): void {
  if (process.exitCode === 0) process.exit();
  endBySignal(signal, Number(process.exitCode));
}

/** Ends the process as the signal by itself would: process.exit() waits for a read that cannot be cancelled. */
function endBySignal(signal: Signal, code: number): void {
  process.on("exit", () => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  process.exit(code);
}

/**
 * Runs a command to its end. The only place that turns errors into exit codes (docs/design/cli.md, Exit codes).
 *
 * @returns the exit code
 */
export async function main(args: readonly string[], world: World): Promise<number> {
  const [{ createOutput }, { runProgram }] = await Promise.all([
    import("./output/stream.ts"),
    import("./cli/program.ts"),
  ]);
  const output = createOutput(world.stdout);
  let starter: Starter | undefined;
  const loadStart = async () => {
    const { createStarter } = await import("./context/start.ts");
    starter = createStarter(world);
    return starter.start;
  };
  try {
    await runProgram(args, loadStart, {
      stdout: (text) => void output.write(text).catch(() => {}),
      width: world.stdout.columns || 80,
      colour: () => helpTakesColour(args, world),
      hasScreen: () => hasScreen(world),
    });
    await starter?.close();
    await output.settled();
    return 0;
  } catch (error) {
    await starter?.close().catch(() => {});
    return report(error, starter?.format() ?? (await formatAsked(args, world.env)), world);
  }
}

async function helpTakesColour(args: readonly string[], world: World): Promise<boolean> {
  if (world.stdout.isTTY !== true) return false;
  const { createContext } = await import("./context/start.ts");
  return createContext(world, args.includes("--no-color") ? { color: false } : {}).io.colour;
}

/** Reports what ended a command. After a signal that is the signal; an uncertain outcome is reported in any case. */
async function report(error: unknown, format: string | undefined, world: World): Promise<number> {
  const [{ ClosedOutputError, reportError }, { DeckhandError }] = await Promise.all([
    import("./output/index.ts"),
    import("./errors.ts"),
  ]);
  const settings = {
    format,
    debug: world.env["DECKHAND_DEBUG"] === "1",
    width: world.stderr.isTTY ? world.stderr.columns || 80 : undefined,
    write: (text: string) => void world.stderr.write(text),
  };
  if (!world.signal.aborted || error instanceof ClosedOutputError) return reportError(error, settings);
  if (error !== world.signal.reason && error instanceof DeckhandError && error.uncertain)
    reportError(error, settings);
  return reportError(world.signal.reason, settings);
}

/** The output format of the command line where no command was started: errors are JSON where documents would be. */
async function formatAsked(args: readonly string[], env: World["env"]): Promise<string | undefined> {
  const { splitLine } = await import("./cli/find.ts");
  const asked = [...splitLine(args)].filter(({ options }) =>
    ["-o", "--output"].includes(options.at(-1) ?? ""),
  );
  return asked.at(-1)?.value ?? env["DECKHAND_OUTPUT"];
}

function homeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    // An account without a home folder, as in some containers.
    return undefined;
  }
}
