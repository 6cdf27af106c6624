import { openSync, writeSync } from "node:fs";
import { WriteStream } from "node:tty";
import { displayWidth } from "../output/width.ts";
import { enterScreen, Frames, leaveScreen } from "./frames.ts";
import { type Key, Keys } from "./keys.ts";
import type { Painter, ScreenView } from "./view.ts";

export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

const endSignals: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** What is on the screen for a while: a question first, then the session. */
export interface Scene {
  key(key: Key): void;
  draw(size: { readonly columns: number; readonly rows: number }): ScreenView;
  /** What was drawn is about to be on the screen. */
  drawn?(): void;
  /** The process is asked to end, or its terminal is gone. The screen has been left. */
  ended(signal: EndSignal): void;
}

interface StageSettings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/**
 * The screen and the keys, for one scene after the other: the alternate screen, raw keys and size, all of which are always
 * given back. Keys come from stdin; it is drawn on through stdout if that is a terminal, else through the controlling
 * terminal.
 */
export class Stage {
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  readonly #output: NodeJS.WriteStream;
  readonly #keys: Keys;
  readonly #loading = import("./painter.tsx");
  readonly #frames = new Frames();
  #createPainter: ((first: ScreenView) => Painter) | undefined;
  #painter: Painter | undefined;
  #scene: Scene | undefined;
  #fail: (error: unknown) => void = () => {};
  #entered = false;
  /** Whether an editor, or the shell, has the terminal. */
  #away = false;
  #quiet = false;

  constructor({ stdin, stdout }: StageSettings) {
    // Loading Ink takes longer than anything else: it begins before the first card is there.
    this.#loading.catch(() => {});
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#output = stdout.isTTY ? stdout : openControllingTerminal(stdin);
    this.#keys = new Keys(stdin, (keys) => this.#pressed(keys));
  }

  size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  /** Enters the alternate screen and begins to read keys. */
  async open(): Promise<void> {
    this.#createPainter = (await this.#loading).createPainter;
    await dropTypedAhead(this.#stdin);
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

  /** Plays a scene until it ends itself; rejects if it fails. */
  async play<T>(make: (end: (value: T) => void) => Scene): Promise<T> {
    // The clock of the top line goes on.
    const clock = setInterval(() => this.draw(), 1000);
    try {
      return await new Promise((resolve, reject) => {
        this.#fail = reject;
        this.#scene = make(resolve);
        this.draw();
      });
    } finally {
      clearInterval(clock);
      this.#scene = undefined;
    }
  }

  draw(): void {
    this.#safely(() => {
      if (this.#scene === undefined || this.#createPainter === undefined || this.#away || this.#quiet) return;
      const view = this.#scene.draw(this.size());
      const { input } = view.bottom;
      const typed = input && { row: view.rows - 1, column: displayWidth(input.prompt) + input.cursor };
      this.#painter ??= this.#createPainter(view);
      const frame = this.#frames.next(this.#painter.paint(view), typed ?? view.cursor);
      this.#scene.drawn?.();
      this.#write(frame);
    });
  }

  /** Draws everything again, whatever the terminal shows. */
  redraw(): void {
    this.#frames.reset();
    this.draw();
  }

  /** Gives the terminal back as it was. */
  close(): void {
    this.#leave();
    this.#painter?.close();
  }

  /** Stops the process as the terminal's own suspend key would. */
  #suspend(): void {
    if (process.platform === "win32") return;
    this.#away = true;
    this.#give();
    process.off("SIGTSTP", this.#onStop);
    // The process stops here, with its whole group, and goes on here when it is continued. Where there is no shell to
    // continue it the system ignores the signal, and the screen comes back at once.
    process.kill(0, "SIGTSTP");
    process.on("SIGTSTP", this.#onStop);
    if (this.#entered) this.#takeBack();
  }

  /** Runs something that wants the terminal for itself, an editor, and takes it back afterwards. */
  async handOver<T>(run: () => Promise<T>): Promise<T> {
    this.#away = true;
    this.#keys.stop();
    process.off("SIGTSTP", this.#onStop).off("SIGCONT", this.#onContinue);
    this.#give();
    try {
      return await run();
    } finally {
      if (this.#entered) {
        process.on("SIGTSTP", this.#onStop).on("SIGCONT", this.#onContinue);
        this.#keys.listen();
        this.#takeBack();
      }
    }
  }

  readonly #onEnd = () => this.#end("SIGHUP");
  readonly #onResize = () => this.redraw();
  readonly #onStop = () => this.#suspend();

  readonly #onWinch = () => {
    if (this.#output !== this.#stdout) refreshSize(this.#output);
  };

  readonly #onContinue = () => {
    if (!this.#entered) return;
    // The program that stopped this one may have changed the terminal.
    this.#take();
    this.redraw();
  };

  readonly #end = (signal: EndSignal) => {
    this.#leave();
    this.#safely(() => this.#scene?.ended(signal));
  };

  /** When the process ends by another way there is time for one synchronous write. */
  readonly #leaveAtExit = () => {
    if (!this.#entered) return;
    try {
      writeSync(fdOf(this.#output), leaveScreen);
    } catch {}
    raw(this.#stdin, false);
  };

  #leave(): void {
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

  #take(): void {
    raw(this.#stdin, true);
    // A process that was stopped, or not in the foreground, gets no signal for a new size.
    refreshSize(this.#output);
    this.#write(enterScreen);
  }

  #takeBack(): void {
    this.#take();
    this.#away = false;
    this.redraw();
  }

  #give(): void {
    this.#write(leaveScreen);
    raw(this.#stdin, false);
  }

  #write(text: string): void {
    if (!this.#output.destroyed) this.#output.write(text);
  }

  /** Whatever keys change is drawn once: a held key is not slowed down by frames, and cannot outlast the guard. */
  #pressed(keys: readonly Key[]): void {
    this.#quiet = true;
    for (const key of keys)
      if (key.name === "ctrl-z") this.#suspend();
      else if (key.name === "ctrl-l") this.redraw();
      else this.#safely(() => this.#scene?.key(key));
    this.#quiet = false;
    this.draw();
  }

  /** A fault ends the scene, so that the terminal is given back before anything is said about it. */
  #safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#fail(error);
    }
  }
}

const ignore = () => {};

/**
 * Discards what was typed before there was a screen: it was not meant for what the screen shows. The terminal stays in
 * raw mode, in which that can be read without a line end.
 */
async function dropTypedAhead(stdin: NodeJS.ReadStream): Promise<void> {
  raw(stdin, true);
  stdin.resume();
  // Immediates run after input was polled; the first may belong to a poll that began before.
  for (let polls = 0; polls < 2; polls++) await new Promise<void>((resolve) => setImmediate(resolve));
}

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
