import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { EndSignal } from "../screen/terminal.ts";

/** Questions and answers on the terminal, a line at a time. */
export interface Talk {
  print(...lines: readonly string[]): void;
  /** The answer, trimmed; undefined when there is nobody to answer any more. */
  ask(question: string, given?: string): Promise<string | undefined>;
  over(): boolean;
  signal(): EndSignal | undefined;
  onEnd(listener: () => void): void;
  /** Gives the terminal away meanwhile. */
  aside<T>(run: () => Promise<T>): Promise<T>;
  end(): void;
}

export interface TalkSettings {
  readonly stdin: Readable;
  /** Where questions and cards go. */
  readonly output: Writable & { readonly isTTY?: boolean };
  /** Aborted with an InterruptedError when the program is told to stop. */
  readonly signal: AbortSignal;
}

export function startTalk({ stdin, output, signal }: TalkSettings): Talk {
  let over = false;
  let asking = false;
  const listeners: (() => void)[] = [];
  const end = () => {
    // What is printed next begins on a line of its own.
    if (asking) output.write("\n");
    asking = false;
    over = true;
    for (const listener of listeners) listener();
  };
  const open = () => {
    const lines = createInterface({ input: stdin, output, terminal: output.isTTY === true, historySize: 0 });
    lines.on("SIGINT", end).on("close", () => {
      if (lines === line) end();
    });
    // After Ctrl-Z it goes on paused, with nothing left to wait for.
    lines.on("SIGCONT", () => lines.resume());
    return lines;
  };
  let line: ReturnType<typeof open> | undefined = open();
  signal.addEventListener("abort", end, { once: true });
  return {
    print: (...lines) => void output.write(`${lines.join("\n")}\n`),
    ask: (question, given) =>
      new Promise((resolve) => {
        if (over || line === undefined) return resolve(undefined);
        listeners.push(() => resolve(undefined));
        asking = true;
        line.question(question, (text) => {
          asking = false;
          resolve(text.trim());
        });
        if (given !== undefined) line.write(given);
      }),
    over: () => over,
    signal() {
      const reason: unknown = signal.reason;
      return signal.aborted && reason instanceof Object && "signal" in reason
        ? (reason.signal as EndSignal)
        : undefined;
    },
    onEnd: (listener) => void listeners.push(listener),
    async aside(run) {
      const before = line;
      line = undefined;
      before?.close();
      try {
        return await run();
      } finally {
        line = open();
      }
    },
    end() {
      over = true;
      line?.close();
    },
  };
}
