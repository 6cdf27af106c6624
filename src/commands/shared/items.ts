import { splitSides } from "../../cards/sides.ts";
import type { Context } from "../../context/context.ts";
import {
  DeckhandError,
  type ErrorCode,
  isFull,
  NotConfiguredError,
  PartialError,
  UsageError,
} from "../../errors.ts";
import type { Document } from "../../output/index.ts";
import { ClosedOutputError } from "../../output/stream.ts";
import type { Listing } from "../../schema/index.ts";
import { withAskedPaths } from "./lists.ts";
import { readText } from "./text.ts";

/** The ids that arguments name; `-` stands for one id a line on standard input. */
export async function idsFrom(args: readonly string[], context: Context): Promise<string[]> {
  if (args.filter((arg) => arg === "-").length > 1) throw new UsageError('"-" can be given once');
  const ids: string[] = [];
  for (const arg of args) {
    if (arg !== "-") {
      ids.push(arg);
      continue;
    }
    // A row of our own tsv is meant by its first column.
    const named = (await readText("-", context)).split("\n").map((line) => line.trim().split("\t")[0] ?? "");
    if (named.some((id) => /^[[{]/.test(id)))
      throw new UsageError("standard input has JSON where ids are expected", {
        hint: "Print ids, one a line: -o id.",
      });
    for (const id of named) if (id !== "") ids.push(id);
  }
  return ids;
}

/** Whether the arguments may stand for more than one item: what is printed is then a list. */
export const areSeveral = (args: readonly string[]): boolean => args.length > 1 || args[0] === "-";

export interface EachOptions {
  readonly failFast?: boolean | undefined;
}

/** What became of several items: it counts, and makes one error of the failures. */
export class Tally {
  readonly #reasons = new Set<ErrorCode>();
  done = 0;
  failed = 0;
  /** Those of the failed ones that the service may have carried out. */
  uncertain = 0;
  /** Whether the rest was left alone after a failure. */
  stopped = false;

  fail(error: DeckhandError, { failFast = false }: EachOptions): void {
    this.failed += 1;
    if (error.uncertain) this.uncertain += 1;
    this.#reasons.add(error.code);
    this.stopped = failFast || error.code === "unauthorized" || isFull(error);
  }

  /**
   * @param count of all items, undefined where it is known only at their end
   * @throws PartialError if any failed: `1 of 3 failed`, and what was not even tried
   */
  throwIfAny(count: number | undefined, hint?: string): void {
    if (this.failed === 0) return;
    const tried = this.done + this.failed;
    const left = this.stopped && count !== undefined ? count - tried : 0;
    const untried = left > 0 ? `; ${left} ${left === 1 ? "was" : "were"} not tried` : "";
    const rest = this.stopped && count === undefined ? "; what comes after was not tried" : untried;
    const unclear =
      this.uncertain === 0 ? "" : `; ${this.uncertain} of these may have been carried out all the same`;
    const [reason] = this.#reasons;
    throw new PartialError(`${this.failed} of ${tried + left} failed${rest}${unclear}`, {
      reason: this.done === 0 && this.#reasons.size === 1 ? reason : undefined,
      hint,
    });
  }
}

type Act<T> = (id: string) => Promise<T | undefined>;

/** `eachOf` for arguments that are ids, `-` among them. */
export async function* eachItem<T>(
  args: readonly string[],
  options: EachOptions,
  context: Context,
  act: Act<T>,
): AsyncGenerator<T> {
  yield* eachOf(await idsFrom(args, context), options, context, act, areSeveral(args));
}

/**
 * Does something to each item and yields what came of it. Goes on after a failure and tells it at once, with its id;
 * at the end throws what stands for all failures. The failure of a single item, where not `several` were asked for, is
 * thrown as it is.
 */
export async function* eachOf<T>(
  ids: readonly string[],
  options: EachOptions,
  context: Context,
  act: Act<T>,
  several = ids.length > 1,
): AsyncGenerator<T> {
  const tally = new Tally();
  for (const id of ids) {
    try {
      const result = await act(id);
      tally.done += 1;
      if (result !== undefined) yield result;
    } catch (error) {
      const goesOn = several && error instanceof DeckhandError;
      if (!goesOn || error instanceof NotConfiguredError) throw error;
      context.io.report(error.id === undefined ? error.with({ id }) : error);
      tally.fail(error, options);
      if (tally.stopped) break;
    }
  }
  tally.throwIfAny(ids.length);
}

/** A change that was made, as it is printed. */
export interface Change {
  readonly id: string;
  /** What the service returned, if anything. */
  readonly document?: unknown;
  /** For people: `Created x7Rw2kQp in Spanish`. */
  readonly sentence?: string;
}

/** Makes a change to each item that arguments name, and prints them. */
export const changeEach = (
  args: readonly string[],
  options: EachOptions,
  context: Context,
  listing: Listing,
  change: Act<Change>,
): Promise<void> => {
  const act = listing.name === "cards" ? byFront(context, change) : change;
  return printChanges(context, listing, eachItem(args, options, context, act), areSeveral(args));
};

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
  async function* documents() {
    for await (const { id, document = { id }, sentence } of changes) {
      if (sentence !== undefined) context.io.say(sentence);
      yield document;
    }
  }
  await writeChanges(context, listing, documents(), several);
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

/** The ids of cards by their fronts, read once. */
const known = new WeakMap<Context, Promise<ReadonlyMap<string, readonly string[]>>>();

/**
 * Lets what is done to a card by its id be done to a card that is named by its whole front, where that is unique. Only on
 * services of our own: on a hosted account looking would cost a request for each page of cards.
 */
export const byFront =
  <T>(context: Context, act: (id: string) => Promise<T>) =>
  async (text: string): Promise<T> => {
    try {
      return await act(text);
    } catch (error) {
      const missing = error instanceof DeckhandError && error.code === "not-found";
      // An id that is mistyped is no front: nothing is read for it.
      if (!missing || /^\w{8}$/.test(text)) throw error;
      const id = await cardOfFront(text, context);
      if (id === undefined) throw error;
      return act(id);
    }
  };

async function cardOfFront(text: string, context: Context): Promise<string | undefined> {
  if (!(await (await context.client()).service.has("ids"))) return undefined;
  const fronts = known.get(context) ?? readFronts(context);
  known.set(context, fronts);
  const [id, ...others] = (await fronts).get(text.trim()) ?? [];
  if (id !== undefined && others.length > 0)
    throw new UsageError(`${JSON.stringify(text)} is the front of ${others.length + 1} cards`, {
      hint: `Name one by its id: ${[id, ...others].slice(0, 20).join(", ")}`,
    });
  return id;
}

/** Cards in the trash are named by their ids only. */
async function readFronts(context: Context): Promise<ReadonlyMap<string, readonly string[]>> {
  const fronts = new Map<string, string[]>();
  for await (const { docs } of (await context.client()).cards.pages())
    for (const card of docs) {
      if (card["trashed?"] != null) continue;
      const [side = ""] = splitSides(card.content ?? "");
      for (const front of new Set([side.trim(), card.name ?? ""]))
        if (front !== "") fronts.set(front, [...(fronts.get(front) ?? []), card.id]);
    }
  return fronts;
}
