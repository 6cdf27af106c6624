import { EventEmitter } from "node:events";
import chalk from "chalk";
import { Box, render, Text, type TextProps } from "ink";
import type { ReactNode } from "react";
import { displayWidth } from "../output/width.ts";
import type { BottomView, Painter, ScreenView, TopView } from "./view.ts";

/**
 * Lays out the top line and the bottom line with Ink: that is what Ink is here for. The rows of the body go between them,
 * and the terminal, the keys and the comparison of frames are ours. Ink was tried for all of it with pictures (Ink 6, 200
 * columns by 60 rows): it takes text apart character by character, so that a frame of half blocks took 1,600 ms instead of
 * 16, and it drops sixel sequences, which are no text to it; rows that are empty cost it as much. So it writes its lines to
 * a stream of ours (its `debug` mode), and only rows that differ go to the terminal, in one write.
 */
export function createPainter(first: ScreenView): Painter {
  const stream = new FrameStream(first.columns);
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
      chalk.level = view.colour ? 1 : 0;
      instance.rerender(<Screen view={view} />);
      if (failure !== undefined) throw failure;
      const [top = "", ...bottom] = stream.frame.split("\n");
      const room = Math.max(0, view.rows - 1 - bottom.length);
      const body = Array.from({ length: room }, (_, row) => view.body[row] ?? "");
      return [top, ...body, ...bottom].slice(0, view.rows);
    },
    close() {
      instance.unmount();
    },
  };
}

/** The stream that Ink believes to be the terminal. */
class FrameStream extends EventEmitter {
  frame = "";
  columns: number;

  constructor(columns: number) {
    super();
    this.columns = columns;
  }

  write(frame: string, done?: unknown): boolean {
    if (frame !== "") this.frame = frame;
    if (typeof done === "function") done();
    return true;
  }
}

/** Keys are read elsewhere. */
const noInput = Object.assign(new EventEmitter(), { isTTY: false, setEncoding() {}, ref() {}, unref() {} });

const Screen = ({ view: { columns, top, bottom } }: { readonly view: ScreenView }): ReactNode => (
  <Box width={columns} flexDirection="column">
    <TopLine top={top} columns={columns} />
    <BottomLine bottom={bottom} columns={columns} />
  </Box>
);

/** Deck, position, progress and time. What does not fit is left out from the right; the notice never is. */
function TopLine({ top, columns }: { readonly top: TopView; readonly columns: number }): ReactNode {
  const { done } = top;
  const bar = done !== undefined && columns >= 60 ? Math.min(20, Math.floor(columns / 6)) : 0;
  const elapsed = columns < 50 ? "" : top.elapsed;
  const others = [top.notice ?? "", top.position, "━".repeat(bar), elapsed].filter((part) => part !== "");
  const room = columns - others.reduce((sum, part) => sum + displayWidth(part) + 2, 0);
  return (
    <Box width={columns} height={1} flexShrink={0}>
      <Box flexGrow={1} flexShrink={1} overflow="hidden">
        <Text wrap="truncate" bold>
          {top.deck}
        </Text>
      </Box>
      <Part color="yellow">{top.notice}</Part>
      <Part>{displayWidth(top.again) > room ? top.position : top.position + top.again}</Part>
      <Part>
        {done === undefined || bar === 0 ? undefined : (
          <>
            <Text color="green">{"━".repeat(Math.round(done * bar))}</Text>
            <Text dimColor>{"─".repeat(bar - Math.round(done * bar))}</Text>
          </>
        )}
      </Part>
      <Part dimColor>{elapsed || undefined}</Part>
    </Box>
  );
}

/** A part of a line that is shown whole, after a gap, or not at all. */
const Part = ({ children, ...look }: TextProps): ReactNode =>
  children === undefined ? null : (
    <Box flexShrink={0} marginLeft={2}>
      <Text {...look}>{children}</Text>
    </Box>
  );

const bottomRows = ({ message = [] }: BottomView): number => Math.max(1, message.length);

/** The keys that apply now, or what just happened, and at the right what goes on. */
function BottomLine({
  bottom,
  columns,
}: {
  readonly bottom: BottomView;
  readonly columns: number;
}): ReactNode {
  const { input, message, keys, notice } = bottom;
  const hints = keys.map(({ key, does, leads = "" }, index) => (
    <Text key={key}>
      {index === 0 ? "" : "  "}
      <Text bold>{key}</Text>
      <Text dimColor>{` ${does} ${leads}`.trimEnd()}</Text>
    </Text>
  ));
  const typed = input && (
    <>
      <Text bold>{input.prompt}</Text>
      {input.text}
    </>
  );
  const lines = (input === undefined && message) || [typed ?? hints];
  return (
    <Box width={columns} height={bottomRows(bottom)} flexShrink={0}>
      <Box flexGrow={1} flexShrink={1} flexDirection="column" overflow="hidden">
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no names
          <Text key={index} wrap="truncate">
            {line === "" ? " " : line}
          </Text>
        ))}
      </Box>
      <Part color="yellow">{notice}</Part>
    </Box>
  );
}
