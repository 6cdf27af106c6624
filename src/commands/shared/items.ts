import { createInterface } from "node:readline";
import type { Context } from "../../context.ts";
import { DeckhandError, type ErrorCode, NotConfiguredError, PartialError, UsageError } from "../../errors.ts";

/** The ids that arguments name; `-` stands for one id a line on standard input. */
export async function* idsFrom(args: readonly string[], context: Context): AsyncGenerator<string> {
  if (args.filter((arg) => arg === "-").length > 1) throw new UsageError('"-" can be given once');
  for (const arg of args) {
    if (arg !== "-") {
      yield arg;
      continue;
    }
    for await (const line of createInterface({ input: context.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
      const id = line.trim();
      if (id !== "") yield id;
    }
  }
}

/** Whether the arguments may stand for more than one item: what is printed is then a list. */
export const areSeveral = (args: readonly string[]): boolean => args.length > 1 || args[0] === "-";

export interface EachOptions {
  readonly failFast?: boolean;
}

/** `eachOf` for arguments that are ids, `-` among them. */
export function eachItem<T>(
  args: readonly string[],
  options: EachOptions,
  context: Context,
  act: (id: string) => Promise<T | undefined>,
): AsyncGenerator<T> {
  return eachOf(idsFrom(args, context), areSeveral(args), options, context, act);
}

/**
 * Does something to each item and yields what came of it. Goes on after a failure and tells it at once, with its id;
 * at the end throws what stands for all failures. A single item's failure is thrown as it is.
 */
export async function* eachOf<T>(
  items: AsyncIterable<string> | Iterable<string>,
  several: boolean,
  options: EachOptions,
  context: Context,
  act: (id: string) => Promise<T | undefined>,
): AsyncGenerator<T> {
  const reasons = new Set<ErrorCode>();
  let [done, failed] = [0, 0];
  for await (const id of items) {
    try {
      const result = await act(id);
      done += 1;
      if (result !== undefined) yield result;
    } catch (error) {
      if (!several || !(error instanceof DeckhandError) || error instanceof NotConfiguredError) throw error;
      context.report(withId(error, id));
      failed += 1;
      reasons.add(error.code);
      if (options.failFast || error.code === "unauthorized") break;
    }
  }
  if (failed === 0) return;
  const [reason] = reasons;
  throw new PartialError(`${failed} of ${done + failed} failed`, {
    reason: done === 0 && reasons.size === 1 ? reason : undefined,
  });
}

function withId(error: DeckhandError, id: string): DeckhandError {
  if (error.id !== undefined) return error;
  return new DeckhandError(error.code, error.message, { ...error, id, cause: error.cause });
}
