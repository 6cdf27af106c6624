import { openSync, writeSync } from "node:fs";
import { WriteStream } from "node:tty";
import { enterScreen, leaveScreen } from "./frames.ts";
import { type Key, Keys } from "./keys.ts";

export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

interface TerminalEvents {
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

interface TerminalSettings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly events: TerminalEvents;
}

/**
 * The terminal of a session: the alternate screen, raw keys and size, all of which are always given back. Keys come from
 * stdin; it is drawn on through stdout if that is a terminal, else through the controlling terminal.
 */
export class Terminal {
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  readonly #output: NodeJS.WriteStream;
  readonly #events: TerminalEvents;
  readonly #keys: Keys;
  #entered = false;

  constructor({ stdin, stdout, events }: TerminalSettings) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#output = stdout.isTTY ? stdout : openControllingTerminal(stdin);
    this.#events = events;
    this.#keys = new Keys(stdin, (keys) => events.keys(keys));
  }

  size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  write(text: string): void {
    if (!this.#output.destroyed) this.#output.write(text);
  }

  /**
   * Discards what was typed before there was a screen: it was not meant for what the screen shows. The terminal stays in
   * raw mode, in which that can be read without a line end.
   */
  async dropTypedAhead(): Promise<void> {
    raw(this.#stdin, true);
    this.#stdin.resume();
    // Immediates run after input was polled; the first may belong to a poll that began before.
    for (let polls = 0; polls < 2; polls++) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** Enters the alternate screen and begins to read keys. */
  enter(): void {
    if (this.#entered) return;
    this.#entered = true;
    this.#stdin.on("end", this.#onEnd).on("error", this.#onEnd);
    this.#output.on("resize", this.#onResize).on("error", ignore);
    process.on("SIGWINCH", this.#onWinch).on("SIGCONT", this.#onContinue).on("SIGTSTP", this.#onStop);
    for (const signal of endSignals) process.on(signal, this.#end);
    process.on("exit", this.#leaveAtExit);
    process.on("uncaughtExceptionMonitor", this.#leaveAtExit);
    this.#take();
    this.#keys.listen();
  }

  /** Gives the terminal back as it was. May be called at any time, more than once. */
  leave(): void {
    if (!this.#entered) return;
    this.#entered = false;
    this.#stdin.off("end", this.#onEnd).off("error", this.#onEnd);
    this.#output.off("resize", this.#onResize);
    process.off("SIGWINCH", this.#onWinch).off("SIGCONT", this.#onContinue).off("SIGTSTP", this.#onStop);
    for (const signal of endSignals) process.off(signal, this.#end);
    process.off("exit", this.#leaveAtExit);
    process.off("uncaughtExceptionMonitor", this.#leaveAtExit);
    this.#give();
    this.#keys.stop();
    if (this.#output !== this.#stdout) this.#output.destroy();
  }

  /** Stops the process as the terminal's own suspend key would. */
  suspend(): void {
    if (process.platform === "win32") return;
    this.#events.paused();
    this.#give();
    process.off("SIGTSTP", this.#onStop);
    // The process stops here, with its whole group, and goes on here when it is continued. Where there is no shell to
    // continue it the system ignores the signal, and the screen comes back at once.
    process.kill(0, "SIGTSTP");
    process.on("SIGTSTP", this.#onStop);
    if (!this.#entered) return;
    this.#take();
    this.#events.resumed();
    this.#events.redraw();
  }

  /** Runs something that wants the terminal for itself, an editor, and takes it back afterwards. */
  async handOver<T>(run: () => Promise<T>): Promise<T> {
    this.#events.paused();
    this.#keys.stop();
    process.off("SIGTSTP", this.#onStop).off("SIGCONT", this.#onContinue);
    this.#give();
    try {
      return await run();
    } finally {
      if (this.#entered) {
        process.on("SIGTSTP", this.#onStop).on("SIGCONT", this.#onContinue);
        this.#take();
        this.#keys.listen();
        this.#events.resumed();
        this.#events.redraw();
      }
    }
  }

  readonly #onEnd = () => this.#end("SIGHUP");
  readonly #onResize = () => this.#events.redraw();
  readonly #onStop = () => this.suspend();

  readonly #onWinch = () => {
    if (this.#output !== this.#stdout) refreshSize(this.#output);
  };

  readonly #onContinue = () => {
    if (!this.#entered) return;
    // The program that stopped this one may have changed the terminal.
    this.#take();
    this.#events.redraw();
  };

  readonly #end = (signal: EndSignal) => {
    this.leave();
    this.#events.ended(signal);
  };

  /** When the process ends by another way there is time for one synchronous write. */
  readonly #leaveAtExit = () => {
    if (!this.#entered) return;
    try {
      writeSync(fdOf(this.#output), leaveScreen);
    } catch {}
    raw(this.#stdin, false);
  };

  #take(): void {
    raw(this.#stdin, true);
    // A process that was stopped, or not in the foreground, gets no signal for a new size.
    refreshSize(this.#output);
    this.write(enterScreen);
  }

  #give(): void {
    this.write(leaveScreen);
    raw(this.#stdin, false);
  }
}

const endSignals: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];
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
