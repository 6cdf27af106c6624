import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { EndSignal } from "../../terminal/terminal.ts";

export interface TalkSettings {
  readonly stdin: Readable;
  /** Where questions and cards go. */
  readonly output: Writable & { readonly isTTY?: boolean };
  /** Aborted with an InterruptedError when the program is asked to stop. */
  readonly signal: AbortSignal;
}

/** Questions and answers on the terminal, a line at a time. */
export class Talk {
  readonly #settings: TalkSettings;
  readonly #listeners: (() => void)[] = [];
  #over = false;
  #asking = false;
  #line: Interface | undefined;

  constructor(settings: TalkSettings) {
    this.#settings = settings;
    this.#line = this.#open();
    settings.signal.addEventListener("abort", () => this.#ended(), { once: true });
  }

  get over(): boolean {
    return this.#over;
  }

  /** The signal that ended it, if one did. */
  get signal(): EndSignal | undefined {
    const { signal } = this.#settings;
    const reason: unknown = signal.reason;
    return signal.aborted && reason instanceof Object && "signal" in reason
      ? (reason.signal as EndSignal)
      : undefined;
  }

  print(...lines: readonly string[]): void {
    this.#settings.output.write(`${lines.join("\n")}\n`);
  }

  /** The answer, trimmed; undefined when input has ended. */
  ask(question: string, given?: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (this.#over || this.#line === undefined) return resolve(undefined);
      this.#listeners.push(() => resolve(undefined));
      this.#asking = true;
      this.#line.question(question, (text) => {
        this.#asking = false;
        resolve(text.trim());
      });
      if (given !== undefined) this.#line.write(given);
    });
  }

  onEnd(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Gives the terminal away meanwhile. */
  async aside<T>(run: () => Promise<T>): Promise<T> {
    const before = this.#line;
    this.#line = undefined;
    before?.close();
    try {
      return await run();
    } finally {
      this.#line = this.#open();
    }
  }

  end(): void {
    this.#over = true;
    this.#line?.close();
  }

  #ended(): void {
    // What is printed next begins on a line of its own.
    if (this.#asking) this.#settings.output.write("\n");
    this.#asking = false;
    this.#over = true;
    for (const listener of this.#listeners) listener();
  }

  #open(): Interface {
    const { stdin, output } = this.#settings;
    const lines = createInterface({ input: stdin, output, terminal: output.isTTY === true, historySize: 0 });
    lines
      .on("SIGINT", () => this.#ended())
      .on("close", () => {
        if (lines === this.#line) this.#ended();
      });
    // After Ctrl-Z it goes on paused, with nothing left to wait for.
    lines.on("SIGCONT", () => lines.resume());
    return lines;
  }
}
