import { openSync, writeSync } from "node:fs";
import { WriteStream } from "node:tty";
import type { EndSignal } from "../ports.ts";
import { enterScreen, leaveScreen } from "./frames.ts";
import { createKeyDecoder, type Key } from "./keys.ts";

/** The terminal of a session: the alternate screen, raw keys, size, and that all of it is always given back. */
export interface Terminal {
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
  /** Enters the alternate screen and begins to read keys. */
  enter(): void;
  /** Gives the terminal back as it was. May be called at any time, more than once. */
  leave(): void;
  /** Runs something that wants the terminal for itself, an editor, and takes it back afterwards. */
  handOver<T>(run: () => Promise<T>): Promise<T>;
  /** Stops the process as the terminal's own suspend key would. */
  suspend(): void;
}

export interface TerminalEvents {
  /** Keys that came together. */
  keys(keys: readonly Key[]): void;
  /** The size changed, or the screen has to be drawn whole. */
  redraw(): void;
  /** The process is about to be stopped (suspended), or goes on. */
  paused(): void;
  resumed(): void;
  /** The process is asked to end, or its terminal is gone. The screen has been left. */
  ended(signal: EndSignal): void;
}

/** How long an escape may wait for the rest of its sequence. */
const ESCAPE_MS = 30;

export interface TerminalSettings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly events: TerminalEvents;
}

/** The terminal on stdin, drawn on through stdout if that is a terminal, else through the controlling terminal. */
export function openTerminal({ stdin, stdout, events }: TerminalSettings): Terminal {
  const output = stdout.isTTY ? stdout : openControllingTerminal(stdin);
  const decoder = createKeyDecoder();
  let entered = false;
  let flushTimer: NodeJS.Timeout | undefined;

  const onData = (chunk: Buffer | string) => {
    clearTimeout(flushTimer);
    events.keys(decoder.push(String(chunk)));
    if (decoder.pending())
      flushTimer = setTimeout(() => {
        events.keys(decoder.flush());
      }, ESCAPE_MS);
  };
  const onEnd = () => end("SIGHUP");
  const onResize = () => events.redraw();
  const onWinch = () => {
    if (output !== stdout) refreshSize(output);
  };
  const onStop = () => suspend();
  const onContinue = () => {
    if (!entered) return;
    // Whoever stopped us may have changed the terminal.
    take();
    events.redraw();
  };
  const signals: EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  const onSignal = (signal: EndSignal) => end(signal);

  const take = () => {
    raw(stdin, true);
    write(enterScreen);
  };
  const give = () => {
    write(leaveScreen);
    raw(stdin, false);
  };
  const end = (signal: EndSignal) => {
    leave();
    events.ended(signal);
  };

  function write(text: string): void {
    if (!output.destroyed) output.write(text);
  }

  function enter(): void {
    if (entered) return;
    entered = true;
    stdin.setEncoding("utf8");
    stdin.on("data", onData).on("end", onEnd).on("error", onEnd);
    output.on("resize", onResize).on("error", ignore);
    process.on("SIGWINCH", onWinch).on("SIGCONT", onContinue).on("SIGTSTP", onStop);
    for (const signal of signals) process.on(signal, onSignal);
    process.on("exit", leaveAtExit);
    process.on("uncaughtExceptionMonitor", leaveAtExit);
    take();
    stdin.resume();
  }

  function leave(): void {
    if (!entered) return;
    entered = false;
    clearTimeout(flushTimer);
    stdin.off("data", onData).off("end", onEnd).off("error", onEnd);
    output.off("resize", onResize);
    process.off("SIGWINCH", onWinch).off("SIGCONT", onContinue).off("SIGTSTP", onStop);
    for (const signal of signals) process.off(signal, onSignal);
    process.off("exit", leaveAtExit);
    process.off("uncaughtExceptionMonitor", leaveAtExit);
    give();
    stdin.pause();
    if (output !== stdout) output.destroy();
  }

  /** When the process ends by another way there is time for one synchronous write. */
  const leaveAtExit = () => {
    if (!entered) return;
    try {
      writeSync(fdOf(output), leaveScreen);
    } catch {}
    raw(stdin, false);
  };

  function suspend(): void {
    if (process.platform === "win32") return;
    events.paused();
    give();
    process.off("SIGTSTP", onStop);
    // The process stops here, with its whole group, and goes on here when it is continued. Where there is no shell to
    // continue it the system ignores the signal, and the screen comes back at once.
    process.kill(0, "SIGTSTP");
    process.on("SIGTSTP", onStop);
    if (!entered) return;
    take();
    events.resumed();
    events.redraw();
  }

  return {
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    write,
    enter,
    leave,
    suspend,
    async handOver(run) {
      events.paused();
      stdin.pause();
      stdin.off("data", onData);
      process.off("SIGTSTP", onStop).off("SIGCONT", onContinue);
      give();
      try {
        return await run();
      } finally {
        if (entered) {
          process.on("SIGTSTP", onStop).on("SIGCONT", onContinue);
          stdin.on("data", onData);
          take();
          stdin.resume();
          refreshSize(output);
          events.resumed();
          events.redraw();
        }
      }
    },
  };
}

const ignore = () => {};
/** The types leave it out; every terminal stream has one. */
const fdOf = (stream: object): number => Number(Reflect.get(stream, "fd"));

function raw(stdin: NodeJS.ReadStream, on: boolean): void {
  try {
    // Off first: the stream remembers what it set, not what a program before us left.
    if (on) stdin.setRawMode(false);
    stdin.setRawMode(on);
  } catch {
    // The terminal is gone.
  }
}

/** Only the process's own streams follow the size of the window by themselves. */
function refreshSize(stream: NodeJS.WriteStream): void {
  const refresh: unknown = Reflect.get(stream, "_refreshSize");
  if (typeof refresh === "function") refresh.call(stream);
}

function openControllingTerminal(stdin: NodeJS.ReadStream): NodeJS.WriteStream {
  const path = process.platform === "win32" ? "CONOUT$" : "/dev/tty";
  try {
    return new WriteStream(openSync(path, "r+"));
  } catch {
    // No controlling terminal: the one on stdin can be written to as well.
    return new WriteStream(fdOf(stdin));
  }
}
