import { EventEmitter } from "node:events";
import chalk from "chalk";
import { render } from "ink";
import { lineMark, type Painter, type ScreenView } from "../view.ts";
import { Screen } from "./Screen.tsx";

/**
 * Draws the review screen with Ink. Ink writes each frame whole to a stream of ours (its `debug` mode: at once, without
 * erasing what was before); what differs from the frame on the terminal is found out and written elsewhere, so that
 * nothing flickers. The lines of a card come wrapped and styled and take the place of marks in Ink's frame: Ink would
 * take them apart character by character, which is slow and breaks what it does not know.
 */
export function createPainter(first: ScreenView): Painter {
  const stream = new FrameStream(first);
  let failure: unknown;
  chalk.level = first.colour ? 1 : 0;
  const instance = render(<Screen view={first} />, {
    stdout: stream as unknown as NodeJS.WriteStream,
    stdin: noInput as unknown as NodeJS.ReadStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
    isScreenReaderEnabled: false,
  });
  instance.waitUntilExit().catch((error: unknown) => {
    failure = error;
  });
  return {
    paint(view) {
      stream.columns = view.columns;
      stream.rows = view.rows;
      chalk.level = view.colour ? 1 : 0;
      instance.rerender(<Screen view={view} />);
      if (failure !== undefined) throw failure;
      return withLines(stream.frame.split("\n"), view);
    },
    close() {
      instance.unmount();
    },
  };
}

/** The frame with the lines of the card in the rows that were left for them. */
function withLines(frame: readonly string[], { body }: ScreenView): string[] {
  if (body.type !== "lines") return [...frame];
  let next = 0;
  return frame.map((row) => (row === lineMark ? (body.lines[next++] ?? "") : row));
}

/** The stream that Ink believes to be the terminal. */
class FrameStream extends EventEmitter {
  frame = "";
  columns: number;
  rows: number;

  constructor({ columns, rows }: ScreenView) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  write(frame: string, done?: unknown): boolean {
    if (frame !== "") this.frame = frame;
    if (typeof done === "function") done();
    return true;
  }
}

/** Keys are read elsewhere. */
const noInput = Object.assign(new EventEmitter(), { isTTY: false, setEncoding() {}, ref() {}, unref() {} });
