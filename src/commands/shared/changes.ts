import type { Call } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import type { Listing } from "../../schema/index.ts";

/** What a change came to: what is printed of it. */
export interface Change {
  readonly id: string;
  /** What the service returned, if it did. */
  readonly document?: unknown;
  /** For people: `Created x7Rw2kQp in Spanish`. */
  readonly sentence: string;
}

/** Sends a change; with `--dry-run` prints it instead and gives undefined. */
export async function perform<T, R>(
  context: Context,
  call: Call<T>,
  then: (answer: T) => R | Promise<R>,
): Promise<R | undefined> {
  if (context.dryRun) {
    await context.showPlan(call);
    return undefined;
  }
  await context.checkFilter();
  return then(await call.send());
}

/**
 * Prints changes as they happen. Without `--output`: ids on a pipe, sentences on a terminal. With it: the documents,
 * or `{"id": …}` where the service returned none; one document alone, an array if `several` were asked for.
 */
export async function printChanges(
  context: Context,
  listing: Listing,
  changes: AsyncIterable<Change>,
  several: boolean,
): Promise<void> {
  await context.printChanged(listing, told(context, changes), several);
}

async function* told(context: Context, changes: AsyncIterable<Change>): AsyncGenerator<unknown> {
  for await (const change of changes) {
    context.say(change.sentence);
    yield change.document ?? { id: change.id };
  }
}

/** Wraps one change as the stream that `printChanges` takes. */
export async function* one(change: Promise<Change | undefined>): AsyncGenerator<Change> {
  const made = await change;
  if (made !== undefined) yield made;
}
