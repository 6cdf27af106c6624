import type { Context } from "../../context/context.ts";
import {
  DeckhandError,
  type ErrorCode,
  isFull,
  NotConfiguredError,
  PartialError,
  UsageError,
} from "../../errors.ts";
import { textPieces } from "./text.ts";

/** The ids that arguments name; `-` stands for one id a line on standard input. */
export async function* idsFrom(args: readonly string[], context: Context): AsyncGenerator<string> {
  if (args.filter((arg) => arg === "-").length > 1) throw new UsageError('"-" can be given once');
  for (const arg of args) {
    if (arg !== "-") {
      yield arg;
      continue;
    }
    for await (const line of lines(textPieces("-", context))) {
      // A row of our own tsv is meant by its first column.
      const [id = ""] = line.trim().split("\t");
      if (/^[[{]/.test(id))
        throw new UsageError("standard input has JSON where ids are expected", {
          hint: "Print ids, one a line: -o id.",
        });
      if (id !== "") yield id;
    }
  }
}

async function* lines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let last = "";
  for await (const piece of pieces) {
    const found = piece.split("\n");
    found[0] = last + found[0];
    last = found.pop() ?? "";
    yield* found;
  }
  yield last;
}

/** Whether the arguments may stand for more than one item: what is printed is then a list. */
export const areSeveral = (args: readonly string[]): boolean => args.length > 1 || args[0] === "-";

export interface EachOptions {
  readonly failFast?: boolean;
}

/** The items, and how many they are: undefined where only their end will tell. */
interface Items {
  readonly ids: AsyncIterable<string> | Iterable<string>;
  readonly count: number | undefined;
  /** Whether they may be more than one. */
  readonly several: boolean;
}

/** `eachOf` for arguments that are ids, `-` among them. */
export function eachItem<T>(
  args: readonly string[],
  options: EachOptions,
  context: Context,
  act: (id: string) => Promise<T | undefined>,
): AsyncGenerator<T> {
  const count = args.includes("-") ? undefined : args.length;
  const items = { ids: idsFrom(args, context), count, several: areSeveral(args) };
  return each(items, options, context, act);
}

/** The same for items that are all known. */
export function eachOf<T>(
  items: readonly string[],
  options: EachOptions,
  context: Context,
  act: (id: string) => Promise<T | undefined>,
): AsyncGenerator<T> {
  return each({ ids: items, count: items.length, several: items.length > 1 }, options, context, act);
}

/**
 * Does something to each item and yields what came of it. Goes on after a failure and tells it at once, with its id;
 * at the end throws what stands for all failures. A single item's failure is thrown as it is.
 */
async function* each<T>(
  { ids, count, several }: Items,
  options: EachOptions,
  context: Context,
  act: (id: string) => Promise<T | undefined>,
): AsyncGenerator<T> {
  const reasons = new Set<ErrorCode>();
  let [done, failed] = [0, 0];
  let stopped = false;
  for await (const id of ids) {
    try {
      const result = await act(id);
      done += 1;
      if (result !== undefined) yield result;
    } catch (error) {
      if (!several || !(error instanceof DeckhandError) || error instanceof NotConfiguredError) throw error;
      context.io.report(withId(error, id));
      failed += 1;
      reasons.add(error.code);
      stopped = options.failFast === true || error.code === "unauthorized" || isFull(error);
      if (stopped) break;
    }
  }
  if (failed === 0) return;
  const [reason] = reasons;
  throw new PartialError(failures(failed, done, stopped ? count : done + failed), {
    reason: done === 0 && reasons.size === 1 ? reason : undefined,
  });
}

/** `1 of 3 failed`, and what was not even tried. @param count of all items, undefined where it is not known */
function failures(failed: number, done: number, count: number | undefined): string {
  const tried = done + failed;
  if (count === undefined) return `${failed} of ${tried} failed; what comes after was not tried`;
  if (count === tried) return `${failed} of ${count} failed`;
  return `${failed} of ${count} failed; ${count - tried} ${count - tried === 1 ? "was" : "were"} not tried`;
}

function withId(error: DeckhandError, id: string): DeckhandError {
  if (error.id !== undefined) return error;
  return error.with({ id });
}
