import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Standard input, as a terminal gives it. */
type TypedInput = Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };

const ctrlC = "\u0003";

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
   * no question has read.
   */
  hold(): () => string {
    this.#held = true;
    this.#start();
    this.setRawMode(true);
    return () => {
      this.#held = false;
      this.setRawMode(false);
      this.#stop();
      const keys: string[] = [];
      for (let key: unknown = this.read(); typeof key === "string"; key = this.read()) keys.push(key);
      return keys.join("");
    };
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
    for (const key of typeof chunk === "string" ? chunk : this.#decoder.write(Buffer.from(chunk))) {
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
