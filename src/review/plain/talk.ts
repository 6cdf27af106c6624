import type { Readable, Writable } from "node:stream";
import { answer } from "../../output/prompts.ts";
import type { EndSignal } from "../../terminal/terminal.ts";

export interface TalkSettings {
  readonly stdin: Readable;
  /** Where questions and cards go. */
  readonly output: Writable;
  /** Aborted with an InterruptedError when the program is asked to stop. */
  readonly signal: AbortSignal;
}

/** Questions and answers on the terminal, a line at a time. */
export class Talk {
  readonly #settings: TalkSettings;
  #over = false;

  constructor(settings: TalkSettings) {
    this.#settings = settings;
  }

  get over(): boolean {
    return this.#over || this.#settings.signal.aborted;
  }

  /** The signal that ended it, if one did. Ctrl-C between two questions quits, as it does at one. */
  get signal(): EndSignal | undefined {
    const reason: unknown = this.#settings.signal.reason;
    const signal = reason instanceof Object && "signal" in reason ? (reason.signal as EndSignal) : undefined;
    return signal === "SIGINT" ? undefined : signal;
  }

  print(...lines: readonly string[]): void {
    this.#settings.output.write(`${lines.join("\n")}\n`);
  }

  /** The answer, trimmed; undefined when input has ended. */
  async ask(question: string, given?: string): Promise<string | undefined> {
    const { stdin, output, signal } = this.#settings;
    if (this.over) return undefined;
    try {
      return await answer(question, { stdin, stderr: output, signal }, { given });
    } catch {
      this.end();
      return undefined;
    }
  }

  end(): void {
    this.#over = true;
  }
}
