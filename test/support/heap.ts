import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What this process holds in the heap, without what nothing refers to any more. In MiB. */
export function heap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
