import { expect, it } from "vitest";
import { timeLimit } from "../../../src/commands/due/finish.ts";
import { heap } from "../../support/heap.ts";

const aborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("aborted")));

it("the time is up although memory was collected meanwhile", async () => {
  const outer = new AbortController();
  const up = aborted(timeLimit(200, outer.signal).signal);
  // What is created in this turn of the event loop is not collected in it.
  for (let turns = 0; turns < 3; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    heap();
  }
  expect(await up).toBe("aborted");
});

it("waiting ends with the outer signal, also one that was aborted before", async () => {
  const outer = new AbortController();
  const up = aborted(timeLimit(60_000, outer.signal).signal);
  outer.abort();
  expect(await up).toBe("aborted");
  expect(timeLimit(60_000, outer.signal).signal.aborted).toBe(true);
});
