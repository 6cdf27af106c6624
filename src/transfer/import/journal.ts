import { existsSync, readFileSync, realpathSync } from "node:fs";
import { UsageError } from "../../errors.ts";
import { AppendLog } from "../../files/append-log.ts";
import { fileProblem } from "../../files/errors.ts";
import { readLines } from "../../files/lines.ts";
import { type Held, LockBusy, LockUnusable, takeLock } from "../../files/lock.ts";
import { broken } from "../place.ts";
import { Scratch } from "../scratch.ts";
import {
  type AddedReviews,
  assertFile,
  type Before,
  headerOf,
  type JournalHeader,
  type JournalRead,
  type Outcome,
  readJournal,
  type WasCard,
} from "./journal-lines.ts";

/**
 * The outcomes of a run, a line of JSON each, synced to the disk before the next item is sent. A run that was killed goes
 * on where it stopped: what is in the file is done, and only the item after the last can have been under way.
 *
 * The outcomes that were in the file when it was opened are looked up; those of this run are read from it when needed.
 */
export class Journal {
  readonly path: string;
  /** Whether the file held outcomes when it was opened. */
  readonly resumed: boolean;
  /** Whether an earlier run came to its end. */
  readonly finished: boolean;
  readonly #log: AppendLog;
  readonly #lock: Held;
  readonly #scratch: Scratch;
  readonly #outcomes: JournalRead["outcomes"];
  /** How many cards each deck had, and which decks and templates there were. */
  readonly #cardsBefore = new Map<string, number>();
  readonly #idsBefore = new Map<string, ReadonlySet<string>>();
  #updates: boolean;
  #newest: string | undefined;
  readonly #newestAtFirst: string | undefined;
  readonly #newestBefore: Map<string, string | undefined>;

  private constructor(path: string, lock: Held, log: AppendLog, read: JournalRead, scratch: Scratch) {
    this.path = path;
    this.#scratch = scratch;
    this.#lock = lock;
    this.#log = log;
    this.#outcomes = read.outcomes;
    for (const each of read.before) this.#know(each);
    this.#updates = read.updates;
    this.#newest = read.newest;
    this.#newestAtFirst = read.newest;
    this.#newestBefore = new Map(read.newestBefore);
    this.finished = read.finished;
    this.resumed = read.begun;
  }

  /**
   * Opens a journal, or makes one. A last line that was cut off is dropped.
   *
   * @throws UsageError for a file that is none, or is of another command or account, or in use by another process
   */
  static async open(path: string, header: JournalHeader): Promise<Journal> {
    assertFile(path);
    // Locked is the file itself, whichever links lead to it.
    const place = existsSync(path) ? realpathSync(path) : path;
    const lock = await lockJournal(place, path);
    const log = new AppendLog(place);
    const scratch = new Scratch();
    try {
      const read = await readJournal(place, path, header, scratch);
      log.cut(read.end);
      const journal = new Journal(path, lock, log, read, scratch);
      if (!read.begun) journal.#append(headerOf(header));
      return journal;
    } catch (error) {
      log.close();
      scratch.close();
      lock.release();
      if (error instanceof UsageError) throw error;
      throw broken(path, `the journal can't be written: ${fileProblem(error)}`, undefined, error);
    }
  }

  /** What came of an item in an earlier run. */
  find(item: string): Outcome | undefined {
    return this.#outcomes.get(item);
  }

  /** Writes an outcome and waits until it is on the disk. */
  record(outcome: Outcome): void {
    const { item, state, at } = outcome;
    if (state === "unknown" && !this.#newestBefore.has(item)) this.#newestBefore.set(item, this.#newest);
    if (
      at !== undefined &&
      this.find(item) === undefined &&
      (this.#newest === undefined || at > this.#newest)
    )
      this.#newest = at;
    this.#append(outcome);
  }

  note(before: Before): void {
    this.#know(before);
    this.#append({ before });
  }

  /** Keeps a card as it is, before it is updated. */
  keep(card: WasCard): void {
    this.#append(card);
  }

  /** Notes the reviews that a card which was there gets, before they are sent. */
  noteReviews(added: AddedReviews): void {
    this.#append({ added });
  }

  /** Notes that the input is compared with what the account has: a run that continues has to do so, too. */
  noteUpdates(): void {
    if (!this.#updates) this.#append({ updates: true });
    this.#updates = true;
  }

  /** Notes that nothing is left to do, or that all was taken back. */
  end(how: "finished" | "undone"): void {
    this.#append({ [how]: true });
  }

  /** How many cards a deck had before this journal made any in it. */
  cardsBefore(deck: string): number | undefined {
    return this.#cardsBefore.get(deck);
  }

  idsBefore(kind: "decks" | "templates"): ReadonlySet<string> | undefined {
    return this.#idsBefore.get(kind);
  }

  /**
   * When the service created what this journal had created last before an item was sent for the first time, by the
   * service's clock. Not what it created last of all: in the run after the one in which the item's answer was lost,
   * others that had failed may have been made meanwhile.
   */
  newestBefore(item: string): string | undefined {
    return this.#newestBefore.has(item) ? this.#newestBefore.get(item) : this.#newestAtFirst;
  }

  /** The ids of all that was made so far. */
  ids(): Set<string> {
    const ids = new Set<string>();
    for (const line of readFileSync(this.path, "utf8").split("\n")) {
      if (line === "") continue;
      const { id } = JSON.parse(line) as { id?: unknown };
      if (typeof id === "string") ids.add(id);
    }
    return ids;
  }

  close(): void {
    this.#log.close();
    this.#scratch.close();
    this.#lock.release();
  }

  /** What was there first counts. */
  #know(before: Before): void {
    if ("deck" in before) {
      if (!this.#cardsBefore.has(before.deck)) this.#cardsBefore.set(before.deck, before.cards);
    } else if (!this.#idsBefore.has(before.kind)) this.#idsBefore.set(before.kind, new Set(before.ids));
  }

  #append(value: object): void {
    try {
      this.#log.append(value);
      this.#log.sync();
    } catch (error) {
      throw broken(this.path, `the journal can't be written: ${fileProblem(error)}`, undefined, error);
    }
  }
}

/** How the run of a journal came to its end, if it did, without a look at what it is a journal of. */
export async function endOf(path: string): Promise<"finished" | "undone" | undefined> {
  let tail: readonly string[] = [];
  for await (const { bytes } of readLines(path)) tail = [...tail.slice(-1), bytes.toString("latin1")];
  const ends = tail.flatMap((line) => /^\{"(finished|undone)":true[,}]/.exec(line)?.[1] ?? []);
  return ends.at(-1) as "finished" | "undone" | undefined;
}

/** @throws UsageError if another process has it, or if it can't be locked */
async function lockJournal(place: string, path: string): Promise<Held> {
  try {
    return await takeLock(place, { ifFree: true });
  } catch (error) {
    if (error instanceof LockBusy)
      throw broken(path, `${error.holder} is using this journal`, undefined, error);
    if (error instanceof LockUnusable)
      throw broken(path, `the journal can't be written: ${fileProblem(error.cause)}`, undefined, error);
    throw error;
  }
}
