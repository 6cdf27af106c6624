import type { Call } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { ClosedOutputError, type Document } from "../../output/index.ts";
import type { Listing } from "../../schema/index.ts";
import { withAskedPaths } from "./shown.ts";

/** A change that was made, as it is printed. */
export interface Change {
  readonly id: string;
  /** What the service returned, if anything. */
  readonly document?: unknown;
  /** For people: `Created x7Rw2kQp in Spanish`. */
  readonly sentence?: string;
}

/** Sends a change; with `--dry-run` prints the request instead, and returns undefined. */
export async function perform<T, R>(
  context: Context,
  call: Call<T>,
  then: (answer: T) => R | Promise<R>,
): Promise<R | undefined> {
  if (context.options.dryRun) {
    await context.print.call(call);
    return undefined;
  }
  await context.print.checkFilter();
  return then(await call.send());
}

/** Prints a change that was made; undefined is a dry run. */
export async function printChange(
  context: Context,
  listing: Listing,
  change: Change | undefined,
): Promise<void> {
  await printChanges(context, listing, change === undefined ? [] : [change], false);
}

/**
 * Prints changes as they are made. Without `--output`: ids in a pipe, sentences on a terminal. With it: the documents,
 * or `{"id": …}` where the service returned none; one document alone, an array if `several` were asked for. A closed
 * pipe ends the printing, not the changes.
 */
export async function printChanges(
  context: Context,
  listing: Listing,
  changes: AsyncIterable<Change> | Iterable<Change>,
  several: boolean,
): Promise<void> {
  await writeChanges(context, listing, withSentences(context, changes), several);
}

/** The same for documents: whatever ends the changes, those made before are printed whole. */
export async function writeChanges(
  context: Context,
  listing: Listing,
  documents: AsyncIterable<unknown>,
  several: boolean,
): Promise<void> {
  const sink = await context.print.changes(listing, several);
  const whileRead = printerOfChanges();
  let count = 0;
  try {
    for await (const document of documents) {
      count++;
      await whileRead(async () => sink.write(await withAskedPaths(listing, [document as Document], context)));
    }
  } catch (error) {
    if (count > 0) await whileRead(() => sink.end());
    throw error;
  }
  await whileRead(() => sink.end());
}

/** Does what prints, until a reader closes the pipe; after that nothing, since the changes go on. */
export function printerOfChanges(): (print: () => Promise<void>) => Promise<void> {
  let closed = false;
  return async (print) => {
    if (closed) return;
    try {
      await print();
    } catch (error) {
      if (!(error instanceof ClosedOutputError)) throw error;
      closed = true;
    }
  };
}

async function* withSentences(
  context: Context,
  changes: AsyncIterable<Change> | Iterable<Change>,
): AsyncGenerator<unknown> {
  for await (const change of changes) {
    if (change.sentence !== undefined) context.io.say(change.sentence);
    yield change.document ?? { id: change.id };
  }
}
