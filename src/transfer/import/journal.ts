import {
  closeSync,
  constants,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { fileProblem } from "../../files/errors.ts";
import { broken } from "../place.ts";
import {
  type Before,
  type JournalHeader,
  type JournalRead,
  type Outcome,
  readJournal,
  version,
} from "./journal-lines.ts";
import { lockFile, unlockFile } from "./pid-lock.ts";

/**
 * The outcomes of a run, a line of JSON each, synced to the disk before the next item is sent. A run that was killed goes
 * on where it stopped: what is in the file is done, and only the item after the last can have been under way.
 *
 * In memory are the outcomes that were in the file when it was opened; those of this run are read from it when needed.
 */
export class Journal {
  readonly path: string;
  /** Whether the file held outcomes when it was opened. */
  readonly resumed: boolean;
  readonly #file: number;
  /** What is locked: the file itself, whichever links lead to it. */
  readonly #place: string;
  /** Where the next line goes; what follows up to `#room` are line breaks, which say nothing. */
  #end: number;
  #room: number;
  readonly #outcomes: ReadonlyMap<string, Outcome>;
  readonly #before: Before[];
  #newest: string | undefined;
  readonly #newestAtFirst: string | undefined;
  readonly #newestBefore: Map<string, string | undefined>;

  private constructor(path: string, place: string, file: number, read: JournalRead) {
    this.path = path;
    this.#place = place;
    this.#file = file;
    this.#end = read.end;
    this.#room = read.end;
    this.#outcomes = read.outcomes;
    this.#before = [...read.before];
    this.#newest = read.newest;
    this.#newestAtFirst = read.newest;
    this.#newestBefore = new Map(read.newestBefore);
    this.resumed = read.outcomes.size > 0 || read.before.length > 0 || read.begun;
  }

  /**
   * Opens a journal, or makes one. A last line that was cut off is dropped.
   *
   * @throws UsageError for a file that is none, or is of another command or account, or in use by another process
   */
  static open(path: string, header: JournalHeader): Journal {
    assertFile(path);
    const place = placeOf(path);
    lockFile(place, "this journal");
    let file: number | undefined;
    try {
      file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      const read = readJournal(readWhole(file), path, header);
      ftruncateSync(file, read.end);
      // Editors may leave the last line without its break.
      if (read.end > 0) writeSync(file, "\n", read.end - 1);
      const journal = new Journal(path, place, file, read);
      if (!read.begun) journal.#append({ journal: "deckhand", version, ...header });
      fsyncSync(file);
      if (!read.begun) syncFolder(dirname(resolve(path)));
      return journal;
    } catch (error) {
      if (file !== undefined) closeSync(file);
      unlockFile(place);
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
    if (at !== undefined && !this.#outcomes.has(item) && (this.#newest === undefined || at > this.#newest))
      this.#newest = at;
    this.#append(outcome);
  }

  note(before: Before): void {
    this.#before.push(before);
    this.#append({ before });
  }

  /** How many cards a deck had before this journal made any in it. */
  cardsBefore(deck: string): number | undefined {
    for (const each of this.#before) if ("deck" in each && each.deck === deck) return each.cards;
    return undefined;
  }

  idsBefore(kind: "decks" | "templates"): ReadonlySet<string> | undefined {
    for (const each of this.#before) if ("kind" in each && each.kind === kind) return new Set(each.ids);
    return undefined;
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
    for (const line of readWhole(this.#file).split("\n")) {
      if (line === "") continue;
      const { id } = JSON.parse(line) as { id?: unknown };
      if (typeof id === "string") ids.add(id);
    }
    return ids;
  }

  close(): void {
    ftruncateSync(this.#file, this.#end);
    closeSync(this.#file);
    unlockFile(this.#place);
  }

  #append(value: unknown): void {
    const line = Buffer.from(`${JSON.stringify(value)}\n`);
    try {
      if (this.#end + line.length > this.#room) this.#makeRoom(line.length);
      for (let at = 0; at < line.length; )
        at += writeSync(this.#file, line, at, line.length - at, this.#end + at);
      fdatasyncSync(this.#file);
      this.#end += line.length;
    } catch (error) {
      throw broken(this.path, `the journal can't be written: ${fileProblem(error)}`, undefined, error);
    }
  }

  /** Syncing a line takes half the time where the file already has the room for it. */
  #makeRoom(length: number): void {
    const room = Buffer.alloc(Math.max(roomStep, length), "\n");
    writeSync(this.#file, room, 0, room.length, this.#end);
    this.#room = this.#end + room.length;
    fsyncSync(this.#file);
  }
}

const roomStep = 64 * 1024;

/** A device gives bytes without end, and a pipe waits for somebody. @throws UsageError */
function assertFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile() && !found.isDirectory())
    throw broken(path, "a journal is a file, and this is none");
}

function placeOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // It is not there yet.
  }
}

function readWhole(file: number): string {
  const parts: Buffer[] = [];
  const part = Buffer.allocUnsafe(256 * 1024);
  let position = 0;
  for (;;) {
    const length = readSync(file, part, 0, part.length, position);
    if (length === 0) return Buffer.concat(parts).toString("utf8");
    parts.push(Buffer.from(part.subarray(0, length)));
    position += length;
  }
}

/** A new file is only safe when its folder is. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, "r");
    fsyncSync(handle);
    closeSync(handle);
  } catch {
    // Windows does not sync folders.
  }
}
