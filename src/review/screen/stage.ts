import type { Drawn } from "./build-view.ts";
import { createFrames } from "./frames.ts";
import type { Key } from "./keys.ts";
import { type EndSignal, openTerminal, type Terminal } from "./terminal.ts";
import type { Painter } from "./view.ts";

/** The screen and the keys, for one scene after the other: a question first, then the session. */

export interface Scene {
  key(key: Key): void;
  draw(size: { readonly columns: number; readonly rows: number }): Drawn;
  /** The terminal is given away, and taken back. */
  paused?(): void;
  resumed?(): void;
  /** The process is asked to end. */
  ended(signal: EndSignal): void;
}

export interface Stage {
  readonly terminal: Terminal;
  /** Enters the screen. */
  open(): Promise<void>;
  /** Plays a scene until it ends itself; rejects if it fails. */
  play<T>(make: (end: (value: T) => void) => Scene): Promise<T>;
  draw(): void;
  /** Draws everything anew, whatever the terminal shows. */
  redraw(): void;
  /** Gives the terminal back. */
  close(): void;
}

export interface StageSettings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

export function createStage({ stdin, stdout }: StageSettings): Stage {
  // Loading Ink takes longer than anything else: it begins before the first card is there.
  const loading = import("./ink.tsx");
  loading.catch(() => {});
  const frames = createFrames();
  let painter: Painter | undefined;
  let createPainter: Awaited<typeof loading>["createPainter"] | undefined;
  let scene: Scene | undefined;
  let fail: (error: unknown) => void = () => {};
  let away = false;
  let quiet = false;

  /** A fault ends the scene, so that the terminal is given back before anything is said about it. */
  const safely = (act: () => void) => {
    try {
      act();
    } catch (error) {
      fail(error);
    }
  };

  const draw = () => {
    if (scene === undefined || createPainter === undefined || away || quiet) return;
    const { view, cursor } = scene.draw(terminal.size());
    painter ??= createPainter(view);
    terminal.write(frames.next(painter.paint(view), cursor));
  };
  const redraw = () => {
    frames.reset();
    draw();
  };

  const terminal = openTerminal({
    stdin,
    stdout,
    events: {
      key(key) {
        // Whatever a key changes is drawn once.
        quiet = true;
        safely(() => scene?.key(key));
        quiet = false;
        safely(draw);
      },
      redraw: () => safely(redraw),
      paused() {
        scene?.paused?.();
        away = true;
      },
      resumed() {
        away = false;
        safely(() => scene?.resumed?.());
      },
      ended: (signal) => safely(() => scene?.ended(signal)),
    },
  });

  return {
    terminal,
    async open() {
      ({ createPainter } = await loading);
      terminal.enter();
    },
    async play(make) {
      const clock = setInterval(() => safely(draw), 1000);
      try {
        return await new Promise((resolve, reject) => {
          fail = reject;
          scene = make(resolve);
          safely(draw);
        });
      } finally {
        clearInterval(clock);
        scene = undefined;
      }
    },
    draw: () => safely(draw),
    redraw: () => safely(redraw),
    close() {
      terminal.leave();
      painter?.close();
    },
  };
}
