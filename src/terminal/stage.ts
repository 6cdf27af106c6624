import { displayWidth } from "../output/width.ts";
import { Frames } from "./frames.ts";
import type { Key } from "./keys.ts";
import { type EndSignal, Terminal } from "./terminal.ts";
import type { Painter, ScreenView } from "./view.ts";

/** What is on the screen for a while: a question first, then the session. */
export interface Scene {
  key(key: Key): void;
  draw(size: { readonly columns: number; readonly rows: number }): ScreenView;
  /** What was drawn is about to be on the screen. */
  drawn?(): void;
  ended(signal: EndSignal): void;
}

interface StageSettings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** The screen and the keys, for one scene after the other. */
export class Stage {
  readonly terminal: Terminal;
  readonly #loading = import("./painter.tsx");
  readonly #frames = new Frames();
  #createPainter: ((first: ScreenView) => Painter) | undefined;
  #painter: Painter | undefined;
  #scene: Scene | undefined;
  #fail: (error: unknown) => void = () => {};
  #away = false;
  #quiet = false;

  constructor({ stdin, stdout }: StageSettings) {
    // Loading Ink takes longer than anything else: it begins before the first card is there.
    this.#loading.catch(() => {});
    this.terminal = new Terminal({
      stdin,
      stdout,
      events: {
        keys: (keys) => this.#keys(keys),
        redraw: () => this.redraw(),
        paused: () => {
          this.#away = true;
        },
        resumed: () => {
          this.#away = false;
        },
        ended: (signal) => this.#safely(() => this.#scene?.ended(signal)),
      },
    });
  }

  async open(): Promise<void> {
    this.#createPainter = (await this.#loading).createPainter;
    await this.terminal.dropTypedAhead();
    this.terminal.enter();
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
      const view = this.#scene.draw(this.terminal.size());
      const { input } = view.bottom;
      const typed = input && { row: view.rows - 1, column: displayWidth(input.prompt) + input.cursor };
      this.#painter ??= this.#createPainter(view);
      const frame = this.#frames.next(this.#painter.paint(view), typed ?? view.cursor);
      this.#scene.drawn?.();
      this.terminal.write(frame);
    });
  }

  /** Draws everything again, whatever the terminal shows. */
  redraw(): void {
    this.#frames.reset();
    this.draw();
  }

  close(): void {
    this.terminal.leave();
    this.#painter?.close();
  }

  /** Whatever keys change is drawn once: a held key is not slowed down by frames, and cannot outlast the guard. */
  #keys(keys: readonly Key[]): void {
    this.#quiet = true;
    for (const key of keys)
      if (key.name === "ctrl-z") this.terminal.suspend();
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
