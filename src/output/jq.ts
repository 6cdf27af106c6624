import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { UsageError } from "../errors.ts";

/**
 * Filters a JSON text with a jq expression; jq itself does it, compiled to WebAssembly. It runs in a thread of its
 * own, so that an expression that never ends can be interrupted.
 *
 * @returns the results as JSON texts, each on one line
 * @throws UsageError that shows the expression if jq refuses it, or fails on the input; what `signal` was aborted with
 */
export async function runJq(filter: string, json: string, signal: AbortSignal): Promise<string[]> {
  const path = createRequire(__filename).resolve("jq-wasm");
  const worker = new Worker(program, { eval: true, workerData: { path, filter, json } });
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const answer = await new Promise<{ output?: string; error?: string }>((done, failed) => {
      worker.once("message", done);
      worker.once("error", failed);
      worker.once("exit", () =>
        failed(signal.aborted ? signal.reason : new Error("jq ended without an answer")),
      );
    });
    if (answer.output === undefined) throw refused(filter, answer.error ?? "");
    return answer.output.split("\n").filter((line) => line !== "");
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** What the thread does. `env` of jq shows nothing of ours: the key may stand there. */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
for (const name of Object.keys(process.env)) delete process.env[name];
require(workerData.path).raw(workerData.json, workerData.filter, ["-c"]).then(
  (output) => parentPort.postMessage({ output }),
  (error) => parentPort.postMessage({ error: String(error && error.message || error) }),
);`;

/** jq's complaint in one line, and where in the expression it stands. */
function refused(filter: string, text: string): UsageError {
  const [line = "jq failed"] = text.split("\n").filter((each) => each.startsWith("jq: error"));
  const message = line
    .replace(/^jq: error:?\s*/, "")
    .replace(/^\(at [^)]*\):\s*/, "")
    .replace(/ \(Unix shell quoting issues\?\)/, "")
    .replace(/ at <top-level>, line (\d+)(?:, column (\d+))?:?$/, (_, row, column) =>
      column === undefined ? (row === "1" ? "" : ` in line ${row}`) : ` at line ${row}, column ${column}`,
    );
  return new UsageError(`--jq: ${message}`, { hint: `The expression is: ${filter}` });
}
