import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { UsageError } from "../errors.ts";

interface Filtered {
  /** The results as JSON texts, each on one line. */
  readonly results: readonly string[];
  /** Names the expression, if jq refuses it or fails on the input, after the results before the failure. */
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
  // Both are read here: in a program of one file only the main thread can. The build puts ours beside the chunks.
  const [program, jq] = [join(__dirname, "jq-thread.cjs"), path].map((file) => readFileSync(file, "utf8"));
  // What the compiled program prints when it is aborted is not passed on.
  const worker = new Worker(program ?? "", { eval: true, stderr: true, workerData: { jq, filter, json } });
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
      failure: answer.status === 0 ? undefined : refused(filter, answer.errors),
    };
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** jq's error message in one line. `halt_error` gives text without such a message. */
function refused(filter: string, text: string): UsageError {
  const line = text.split("\n").find((each) => each.startsWith("jq: error")) ?? text.trim();
  const message = line
    .replace(/^jq: error:?\s*(?:\(at [^)]*\):?\s*)?/, "")
    .replace(/ \(Unix shell quoting issues\?\)/, "")
    .replace(/ at <top-level>, (line \d+.*?):?$/, " at $1");
  return new UsageError(`--jq: ${message || "jq failed"}`, { hint: `The expression is: ${filter}` });
}
