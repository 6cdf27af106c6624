import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { UsageError } from "../errors.ts";
import { jqThread } from "./jq-thread.ts";

export interface Filtered {
  /** The results as JSON texts, each on one line. */
  readonly results: readonly string[];
  /** The lines that the expression itself wrote to stderr: `debug`, `stderr`. */
  readonly said: readonly string[];
  /** Shows the expression, if jq refuses it or fails on the input: behind the results that came before. */
  readonly failure: UsageError | undefined;
}

/**
 * Filters a JSON text with a jq expression; jq itself does it, compiled to WebAssembly. It runs in a thread of its
 * own, so that an expression that never ends can be interrupted.
 *
 * @throws what `signal` was aborted with
 */
export async function runJq(filter: string, json: string, signal: AbortSignal): Promise<Filtered> {
  const path = createRequire(__filename).resolve("jq-wasm/dist/build/jq.js");
  // What the compiled program says of itself when it is aborted is for nobody: stderr is not passed on.
  const worker = new Worker(jqThread, { eval: true, stderr: true, workerData: { path, filter, json } });
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const answer = await new Promise<{ status: number; output: string; errors: string }>((done, failed) => {
      worker.once("message", done);
      worker.once("error", failed);
      worker.once("exit", () =>
        failed(signal.aborted ? signal.reason : new Error("jq ended without an answer")),
      );
    });
    return {
      results: answer.output.split("\n").filter((line) => line !== ""),
      said: saidIn(answer.errors, answer.status === 0),
      failure: answer.status === 0 ? undefined : refused(filter, answer.errors),
    };
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** What stands before jq's complaint; where it makes none, as with `halt_error`, all is the failure. */
function saidIn(text: string, succeeded: boolean): string[] {
  const lines = text.split("\n");
  const end = succeeded ? lines.length : lines.findIndex((line) => line.startsWith("jq: error"));
  return lines.slice(0, Math.max(0, end)).filter((line) => line !== "");
}

/** jq's complaint in one line, and where in the expression it stands; what `halt_error` says is no complaint of jq's. */
function refused(filter: string, text: string): UsageError {
  const lines = text.split("\n");
  const [line = "jq failed"] = [
    ...lines.filter((each) => each.startsWith("jq: error")),
    text.trim() || "jq failed",
  ];
  const message = line
    .replace(/^jq: error:?\s*/, "")
    .replace(/^\(at [^)]*\):?\s*/, "")
    .replace(/ \(Unix shell quoting issues\?\)/, "")
    .replace(/ at <top-level>, line (\d+)(?:, column (\d+))?:?$/, (_, row, column) =>
      column === undefined ? (row === "1" ? "" : ` in line ${row}`) : ` at line ${row}, column ${column}`,
    );
  return new UsageError(`--jq: ${message}`, { hint: `The expression is: ${filter}` });
}
