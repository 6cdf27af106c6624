import type { Duplex } from "node:stream";
import { spawn } from "@lydell/node-pty";
import xterm, { type IBufferCell } from "@xterm/headless";

/** A program on a real pseudo-terminal, with a terminal emulator that shows what a user would see. */
export interface Pty {
  readonly pid: number;
  /** The rows of the screen as text, without the spaces at their ends. */
  screen(): string[];
  /** Everything on the screen as one text. */
  text(): string;
  /** The cells of the screen with their colours, for pictures. */
  cells(): Cell[][];
  /** Everything that was ever written, escape sequences included. */
  raw(): string;
  /** Whether the alternate screen is on. */
  alternate(): boolean;
  /** Whether the cursor is to be seen, as far as the program says. */
  cursorShown(): boolean;
  cursor(): { readonly x: number; readonly y: number };
  /** What can be scrolled back to and the screen, outside of the alternate screen. */
  history(): string[];
  /** When the output arrived that ended the last frame which the emulator has drawn, as performance.now() says it. */
  frameAt(): number;
  /** Resolves when a whole frame, with this in it, has come after so many characters of raw output. */
  drawn(after: number, containing?: string): Promise<void>;
  /** Types; nothing is waited for. */
  press(keys: string): void;
  resize(columns: number, rows: number): void;
  kill(signal: string): void;
  /** Resolves when the condition holds for what is on the screen; rejects with the screen after the deadline. */
  until(condition: string | RegExp | ((text: string) => boolean), ms?: number): Promise<string>;
  /** Resolves when the program has ended. */
  readonly ended: Promise<{ readonly code: number; readonly signal: number | undefined }>;
  /** Closes the terminal under the program, as a window that is closed does. */
  hangUp(): void;
  /** Ends it for good. */
  close(): void;
}

/** A character as it is drawn; colours are `#rrggbb`, a number of the palette, or undefined for the default. */
export interface Cell {
  readonly text: string;
  /** Columns: 2 for wide characters. */
  readonly width: number;
  readonly colour: string | number | undefined;
  readonly background: string | number | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly inverse: boolean;
}

export interface PtyOptions {
  readonly args: readonly string[];
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
}

/** A program that keeps compiled code when it ends would write into a folder that its test removes. */
const keepNothing = { NODE_DISABLE_COMPILE_CACHE: "1" };

/** The mark that ends a frame. */
const endOfFrame = "\u001b[?2026l";

export function openPty(options: PtyOptions): Pty {
  const { args, command = process.execPath, env = {}, columns = 80, rows = 24 } = options;
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5000 });
  const child = spawn(command, [...args], {
    name: env["TERM"] ?? "xterm-256color",
    cols: columns,
    rows,
    cwd: options.cwd ?? process.cwd(),
    env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", ...keepNothing, ...env },
  });
  readToTheEnd(Reflect.get(child, "_socket"));
  const listeners = new Set<() => void>();
  /** Called with each piece of output, before the emulator has drawn it. */
  const arrivals = new Set<() => void>();
  let raw = "";
  let exited = false;
  /** Whether the emulator has drawn all that came before. */
  let drawn = false;
  let frameAt = 0;
  child.onData((data) => {
    const at = performance.now();
    raw += data;
    for (const arrived of [...arrivals]) arrived();
    terminal.write(data, () => {
      if (data.includes(endOfFrame)) frameAt = at;
      for (const listener of [...listeners]) listener();
    });
  });
  // A terminal answers questions.
  terminal.onData((answer) => {
    if (!exited) child.write(answer);
  });
  const ended = new Promise<{ code: number; signal: number | undefined }>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      exited = true;
      // What was written last may still be on its way to the emulator.
      terminal.write("", () => {
        drawn = true;
        for (const listener of [...listeners]) listener();
        resolve({ code: exitCode, signal });
      });
    });
  });
  const lines = (from: number, to: number) =>
    Array.from(
      { length: to - from },
      (_, i) => terminal.buffer.active.getLine(from + i)?.translateToString(true) ?? "",
    );
  const screen = () => {
    const { baseY } = terminal.buffer.active;
    return lines(baseY, baseY + terminal.rows);
  };
  const text = () => screen().join("\n");
  const cells = () => {
    const { baseY } = terminal.buffer.active;
    return Array.from({ length: terminal.rows }, (_, row) => {
      const line = terminal.buffer.active.getLine(baseY + row);
      return Array.from({ length: terminal.cols }, (_, column) => line?.getCell(column)).flatMap((cell) =>
        cell === undefined || cell.getWidth() === 0 ? [] : [cellOf(cell)],
      );
    });
  };

  return {
    pid: child.pid,
    screen,
    text,
    cells,
    raw: () => raw,
    alternate: () => terminal.buffer.active.type === "alternate",
    cursorShown: () => raw.lastIndexOf("\u001b[?25h") >= raw.lastIndexOf("\u001b[?25l"),
    cursor: () => ({ x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY }),
    history: () => lines(0, terminal.buffer.active.length),
    frameAt: () => frameAt,
    drawn: (after, containing = "") =>
      new Promise((resolve) => {
        const arrived = () => {
          const from = raw.indexOf(containing, after);
          if (from < 0 || !raw.includes(endOfFrame, from)) return;
          arrivals.delete(arrived);
          resolve();
        };
        arrivals.add(arrived);
        arrived();
      }),
    press: (keys) => child.write(keys),
    resize(newColumns, newRows) {
      terminal.resize(newColumns, newRows);
      child.resize(newColumns, newRows);
    },
    kill: (signal) => process.kill(child.pid, signal),
    until(condition, ms = 20_000) {
      const holds =
        typeof condition === "function"
          ? condition
          : typeof condition === "string"
            ? (shown: string) => shown.includes(condition)
            : (shown: string) => condition.test(shown);
      return new Promise((resolve, reject) => {
        const done = () => {
          clearTimeout(deadline);
          clearInterval(regularly);
          listeners.delete(check);
        };
        const check = () => {
          const shown = text();
          if (!holds(shown)) {
            if (!drawn) return;
            done();
            reject(new Error(`ended while waiting for ${condition}:\n${shown}`));
            return;
          }
          done();
          resolve(shown);
        };
        const deadline = setTimeout(() => {
          done();
          reject(new Error(`waited ${ms} ms for ${condition}; the screen shows:\n${text()}`));
        }, ms);
        // A condition may be about more than the screen: files, or requests that a service got.
        const regularly = setInterval(check, 25);
        listeners.add(check);
        check();
      });
    },
    ended,
    hangUp() {
      const destroy: unknown = Reflect.get(child, "destroy");
      if (typeof destroy === "function") destroy.call(child);
    },
    close() {
      if (!exited) child.kill("SIGKILL");
      terminal.dispose();
    },
  };
}

/**
 * The library closes a terminal a while after its program has ended. On a busy machine that is before what the program
 * wrote last was read: here all that has arrived is read first.
 */
function readToTheEnd(socket: Duplex): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (error !== undefined || socket.readableEnded) return destroy(error);
    // A turn of the event loop reads between the two.
    setImmediate(() => setImmediate(destroy));
    return socket;
  };
}

function cellOf(cell: IBufferCell): Cell {
  const rgb = (value: number) => `#${value.toString(16).padStart(6, "0")}`;
  return {
    text: cell.getChars() || " ",
    width: cell.getWidth(),
    colour: cell.isFgRGB() ? rgb(cell.getFgColor()) : cell.isFgPalette() ? cell.getFgColor() : undefined,
    background: cell.isBgRGB() ? rgb(cell.getBgColor()) : cell.isBgPalette() ? cell.getBgColor() : undefined,
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    inverse: cell.isInverse() !== 0,
  };
}
