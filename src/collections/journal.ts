import {
  closeSync,
  constants,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { isMap } from "../schema/index.ts";
import { lockFile, unlockFile } from "./pid-lock.ts";
import { at, broken, fileProblem, quoted } from "./place.ts";

/** What came of an item. */
export interface Outcome {
  /** Names the item within its input: `line 3`, `card 17`. */
  readonly item: string;
  /** Of what was sent, so that a changed input is noticed. */
  readonly hash: string;
  /** "unknown": it was sent, or is about to be, and no answer is known. */
  readonly state: "done" | "failed" | "unknown";
  /** The id that the service gave it. */
  readonly id?: string | undefined;
  /** When the service says that it was created. */
  readonly at?: string | undefined;
  /** Why it failed. */
  readonly error?: string | undefined;
}

/** What was there before anything was made, so that what is found later can be told apart. */
export type Before =
  | { readonly deck: string; readonly cards: number }
  | { readonly kind: "decks" | "templates"; readonly ids: readonly string[] };

export interface JournalHeader {
  /** `cards create`, `import`, … */
  readonly command: string;
  /** Names the account without its key. */
  readonly account: string;
}

const version = 1;

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
  /** Where the next line goes; what follows up to `#room` are line breaks, which say nothing. */
  #end: number;
  #room: number;
  readonly #outcomes: ReadonlyMap<string, Outcome>;
  readonly #before: Before[];
  #newest: string | undefined;

  private constructor(path: string, file: number, read: Read) {
    this.path = path;
    this.#file = file;
    this.#end = read.end;
    this.#room = read.end;
    this.#outcomes = read.outcomes;
    this.#before = [...read.before];
    this.#newest = read.newest;
    this.resumed = read.outcomes.size > 0 || read.before.length > 0 || read.begun;
  }

  /**
   * Opens a journal, or makes one. A last line that was cut off is dropped.
   *
   * @throws UsageError for a file that is none, or is of another command or account, or in use by another process
   */
  static open(path: string, header: JournalHeader): Journal {
    lockFile(path, "this journal");
    let file: number | undefined;
    try {
      file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      const read = readJournal(readWhole(file), path, header);
      ftruncateSync(file, read.end);
      const journal = new Journal(path, file, read);
      if (!read.begun) journal.#append({ journal: "deckhand", version, ...header });
      fsyncSync(file);
      if (!read.begun) syncFolder(dirname(resolve(path)));
      return journal;
    } catch (error) {
      if (file !== undefined) closeSync(file);
      unlockFile(path);
      if (error instanceof UsageError) throw error;
      throw broken(path, `the journal can't be written: ${fileProblem(error)}`, undefined, error);
    }
  }

  /** What came of an item in an earlier run. */
  find(item: string): Outcome | undefined {
    return this.#outcomes.get(item);
  }

  /** How many items were done when the journal was opened. */
  get doneBefore(): number {
    let count = 0;
    for (const { state } of this.#outcomes.values()) if (state === "done") count++;
    return count;
  }

  /** Writes an outcome and waits until it is on the disk. */
  record(outcome: Outcome): void {
    if (outcome.at !== undefined && (this.#newest === undefined || outcome.at > this.#newest))
      this.#newest = outcome.at;
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

  /** When the service created what this journal created last, by the service's clock. */
  get newest(): string | undefined {
    return this.#newest;
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
    unlockFile(this.path);
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

interface Read {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly before: readonly Before[];
  readonly newest: string | undefined;
  readonly begun: boolean;
  /** Bytes up to the end of the last whole line. */
  readonly end: number;
}

function readJournal(text: string, path: string, header: JournalHeader): Read {
  const outcomes = new Map<string, Outcome>();
  const before: Before[] = [];
  let newest: string | undefined;
  const lines = text.replace(/\n+$/, "").split("\n");
  const last = lines.at(-1) ?? "";
  // Only the last line can have been cut off; and what does not begin as a journal is somebody's file.
  if (!isWhole(last) && (lines.length > 1 || beginning.startsWith(last.slice(0, beginning.length))))
    lines.pop();
  for (const [index, line] of lines.entries()) {
    if (index === 0 && !isWhole(line)) throw broken(path, "this is no journal of deckhand");
    const value = parseLine(line, at(path, index + 1));
    if (index === 0) checkHeader(value, path, header);
    else if (isMap(value["before"])) before.push(value["before"] as Before);
    else if (typeof value["item"] === "string" && typeof value["hash"] === "string") {
      const outcome = value as unknown as Outcome;
      outcomes.set(outcome.item, outcome);
      if (outcome.at !== undefined && (newest === undefined || outcome.at > newest)) newest = outcome.at;
    } else throw broken(at(path, index + 1), "the journal is damaged");
  }
  const end = lines.reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);
  return { outcomes, before, newest, begun: lines.length > 0, end };
}

const beginning = '{"journal":"deckhand"';

function isWhole(line: string): boolean {
  try {
    return isMap(JSON.parse(line));
  } catch {
    return false;
  }
}

function parseLine(line: string, place: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (isMap(value)) return value;
  } catch {
    // Told below.
  }
  throw broken(
    place,
    "the journal is damaged",
    "Give another file with --journal, or remove this one to begin anew.",
  );
}

function checkHeader(value: Record<string, unknown>, path: string, header: JournalHeader): void {
  if (value["journal"] !== "deckhand") throw broken(path, "this is no journal of deckhand");
  if (value["version"] !== version)
    throw broken(path, `the journal is of version ${value["version"]}, not ${version}`);
  if (value["command"] !== header.command)
    throw broken(
      path,
      `the journal is of ${quoted(String(value["command"]))}, not of ${quoted(header.command)}`,
    );
  if (value["account"] !== header.account)
    throw broken(path, "the journal is of another account", "Give another file with --journal.");
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
