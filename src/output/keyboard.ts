import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout } from "node:timers/promises";

/** Standard input, as a terminal gives it. */
type TypedInput = Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };

const ctrlC = "\u0003";

/** Replaces a tab of pasted text on its way through clack, which drops tabs. */
const tabSymbol = "\u2409";

/** The tabs of an answer as they were pasted. */
export const withTabs = (answer: string) => answer.replaceAll(tabSymbol, "\t");

/** What a terminal sends around pasted text if it is asked to. */
const pasteMark = /\u001b\[20[01]~/g;

/**
 * What is typed, for all questions of one command. Each key is a chunk of its own: a question stops reading at its
 * answer, and what was pasted or typed ahead stays in the buffer for the next question.
 */
export class Keyboard extends Readable {
  readonly #stdin: TypedInput;
  readonly #decoder = new StringDecoder("utf8");
  #asking = false;
  #held = false;
  #afterReturn = false;

  constructor(stdin: TypedInput) {
    super({ objectMode: true, read() {} });
    this.#stdin = stdin;
  }

  get isTTY(): boolean {
    return this.#stdin.isTTY === true;
  }

  /** Called by node:readline and by clack. The mode stays on between questions that are asked in a row. */
  setRawMode(on: boolean): this {
    if (on || !this.#held) this.#stdin.setRawMode?.(on);
    return this;
  }

  /** Reads standard input for a question. The returned function ends that. */
  listen(): () => void {
    this.#asking = true;
    this.#start();
    return () => {
      this.#asking = false;
      if (!this.#held) this.#stop();
    };
  }

  /**
   * Keeps what is typed between two questions from being echoed, until the returned function is called. It returns what
   * no question has read, to the end of a paste: the rest would be commands for the shell.
   */
  hold(): () => Promise<string> {
    this.#held = true;
    this.#start();
    this.setRawMode(true);
    return async () => {
      let unread = "";
      for (let keys = this.#unread(); keys !== ""; keys = this.#unread()) {
        unread += keys;
        // A terminal sends a long paste in pieces.
        await setTimeout(100);
      }
      this.#held = false;
      this.setRawMode(false);
      this.#stop();
      return withTabs(unread);
    };
  }

  #unread(): string {
    let keys = "";
    for (let key: unknown = this.read(); typeof key === "string"; key = this.read()) keys += key;
    return keys;
  }

  #start(): void {
    this.#stop();
    this.#stdin.on("data", this.#take).once("end", this.#end);
    this.#stdin.resume();
  }

  #stop(): void {
    this.#stdin.off("data", this.#take).off("end", this.#end);
    this.#stdin.pause();
  }

  readonly #take = (chunk: string | Uint8Array): void => {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(Buffer.from(chunk));
    const keys = [...text.replaceAll(pasteMark, "")];
    for (const typed of keys) {
      const key = typed === "\t" && keys.length > 1 ? tabSymbol : typed;
      const follows = this.#afterReturn;
      this.#afterReturn = key === "\r";
      // In raw mode a terminal sends no signal.
      if (key === ctrlC && !this.#asking) process.emit("SIGINT", "SIGINT");
      // Enter is sent as \n by a terminal that was not in raw mode yet; pasted lines may end with \r\n.
      else if (key !== "\n") this.push(key);
      else if (!follows) this.push("\r");
    }
  };

  readonly #end = (): void => {
    this.push(null);
  };
}
