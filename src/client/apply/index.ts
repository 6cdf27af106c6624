import { inBatches } from "./batch.ts";
import type { Applied, ApplyTarget, Outcome, Task, Tasks } from "./operations.ts";
import { Singles } from "./single.ts";

export { lookUp } from "./look-up.ts";
export type { Applied, ApplyTarget, Operation, Outcome, Task } from "./operations.ts";
export { isCreation, placeOf } from "./operations.ts";

/**
 * Carries out operations, in order; each outcome is given as soon as it is known. Nothing is created
 * twice, whatever answers are lost.
 *
 * @throws DeckhandError where nothing else would go better (no connection, a refused key, a full disk): what was sent and
 * not yet given may have been carried out, and the same operations may be applied again, on a service with `ids`
 */
export async function* apply<Tag>(
  tasks: Tasks<Tag>,
  target: ApplyTarget<Tag>,
): AsyncGenerator<Applied<Tag>, void> {
  if (!target.oneByOne && (await target.client.service.has("batch"))) {
    yield* inBatches(tasks, target);
    return;
  }
  const singles = new Singles(target, await target.client.service.has("ids"));
  for await (const task of tasks) {
    target.signal.throwIfAborted();
    yield await singles.carryOut(task);
  }
}

/** Carries out one task. */
export async function applyOne<Tag>(task: Task<Tag>, target: ApplyTarget<Tag>): Promise<Outcome> {
  for await (const { outcome } of apply([task], target)) return outcome;
  throw new Error("an operation has no outcome");
}
