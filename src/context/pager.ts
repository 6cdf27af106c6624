import { spawn } from "node:child_process";
import { createOutput, type Output } from "../output/index.ts";
import { holdInterrupts } from "./editor.ts";
import type { Terminal } from "./io.ts";
import type { World } from "./world.ts";

const less = "if command -v less >/dev/null; then exec less -FRX; else exec cat; fi";

/**
 * Prints a list through a pager if it does not fit on the screen: DECKHAND_PAGER, PAGER, else `less -FRX`. An empty
 * value or `cat` means none, and so does a dumb terminal.
 */
export class Pager implements Output {
  readonly #io: Terminal;
  readonly #rows: number;
  /** Undefined for none. */
  readonly #command: string | undefined;
  #waiting = "";
  #pager: { readonly output: Output; end(): Promise<void> } | undefined;

  /** @param rows lines of the terminal */
  constructor(io: Terminal, rows: number, env: World["env"]) {
    this.#io = io;
    this.#rows = rows;
    const chosen = (env["DECKHAND_PAGER"] ?? env["PAGER"])?.trim();
    const none = chosen === "" || chosen === "cat" || env["TERM"] === "dumb";
    this.#command = none ? undefined : (chosen ?? less);
  }

  async write(data: string | Uint8Array): Promise<void> {
    if (this.#command === undefined) return this.#io.write(data);
    if (this.#pager !== undefined) return this.#pager.output.write(data);
    this.#waiting += typeof data === "string" ? data : Buffer.from(data).toString("utf8");
    if (this.#waiting.split("\n").length <= this.#rows) return;
    this.#pager = this.#start(this.#command);
    await this.#pager.output.write(this.#waiting);
  }

  /** Prints what fits on the screen, or waits until the user has left the pager. */
  async end(): Promise<void> {
    if (this.#pager === undefined) await this.#io.write(this.#waiting);
    else await this.#pager.end();
  }

  #start(command: string) {
    const printMessages = this.#io.holdMessages();
    const interrupts = holdInterrupts();
    const child = spawn("/bin/sh", ["-c", command], { stdio: ["pipe", "inherit", "inherit"] });
    const closed = new Promise<void>((resolve) => {
      child.on("close", () => resolve()).on("error", () => resolve());
    });
    return {
      output: createOutput(child.stdin),
      async end() {
        child.stdin.end();
        await closed;
        interrupts.release();
        printMessages();
      },
    };
  }
}
