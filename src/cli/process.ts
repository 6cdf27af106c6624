import { homedir } from "node:os";
import type { World } from "../context/context.ts";
import { createContext, createStarter } from "../context/create.ts";
import { DeckhandError, InterruptedError } from "../errors.ts";
import { ClosedOutputError, createOutput, reportError } from "../output/index.ts";
import { withHeadings } from "./help/headings.ts";
import { runProgram } from "./program.ts";

/** How long a command may take to put things in order after it was told to stop: `serve` gives requests ten seconds. */
const grace = 15_000;

/** How long what was written last may take on its way out, in ms. */
const lingering = 100;

/** Runs the program in this process: its streams, its signals, its exit code. */
export async function runProcess(args: readonly string[]): Promise<void> {
  const stop = new AbortController();
  let stdinOpened = false;
  let stoppedBy: InterruptedError["signal"] | undefined;
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals)
    process.on(signal, () => {
      if (stop.signal.aborted) return end(signal);
      stop.abort(new InterruptedError(signal));
      setTimeout(() => end(signal), grace).unref();
      stoppedBy = signal;
    });
  // A reader of stderr that has gone is no reason to fail.
  process.stderr.on("error", () => {});
  // If nothing is left to wait for before the command has come to its end, that is no success.
  process.exitCode = 1;
  process.exitCode = await main(args, {
    // Opening standard input costs time, and most commands do not read it.
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
  // Standard input that was read in part would keep the process waiting for the rest.
  if (stdinOpened && process.stdin.readableFlowing !== null) process.stdin.destroy();
  // So would the read of a pipe that nobody writes to.
  if (stoppedBy !== undefined) setTimeout(end, lingering, stoppedBy).unref();
}

/** Ends the process as the signal would have by itself: process.exit() waits for a read that cannot be called off. */
function end(signal: InterruptedError["signal"]): void {
  process.on("exit", () => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  process.exit(new InterruptedError(signal).exitCode);
}

/**
 * Runs a command to its end: the only place that turns errors into exit codes (cli.md, Exit codes).
 *
 * @returns the exit code
 */
export async function main(args: readonly string[], world: World): Promise<number> {
  const starter = createStarter(world);
  const output = createOutput(world.stdout);
  try {
    await runProgram(args, starter.start, {
      stdout: (text) => void output.write(withHeadings(text, takesColour(args, world))).catch(() => {}),
      width: world.stdout.columns || 80,
    });
    await starter.close();
    await output.settled();
    return 0;
  } catch (error) {
    await starter.close().catch(() => {});
    const settings = {
      format: starter.format() ?? formatAsked(args, world.env),
      debug: world.env["DECKHAND_DEBUG"] === "1",
      write: (text: string) => void world.stderr.write(text),
    };
    const reason = reasonOf(error, world.signal);
    // What may have been done is told, whatever ended the command.
    if (reason !== error && error instanceof DeckhandError && error.uncertain) reportError(error, settings);
    return reportError(reason, settings);
  }
}

/** Whether help may be in colour. Settings that cannot be read are no reason to go without help. */
function takesColour(args: readonly string[], world: World): boolean {
  try {
    return createContext(world, args.includes("--no-color") ? { color: false } : {}).colour;
  } catch {
    return false;
  }
}

/** Whatever a command ended with after it was told to stop, stopping is why. */
function reasonOf(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted && !(error instanceof ClosedOutputError) ? signal.reason : error;
}

/** The output format where no command began: errors are JSON where documents would be. */
function formatAsked(args: readonly string[], env: World["env"]): string | undefined {
  let format = env["DECKHAND_OUTPUT"];
  for (const [index, arg] of args.entries()) {
    if (arg === "--") break;
    // Short options without a value may stand before it in one word: -qo json, -qojson.
    const value = /^(?:--output(?:=|$)|-[qvny]*o)(.*)$/s.exec(arg)?.[1];
    if (value !== undefined) format = value || args[index + 1];
  }
  return format;
}

function homeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    // An account without a home folder, as in some containers.
    return undefined;
  }
}
