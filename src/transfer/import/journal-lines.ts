import { existsSync, statSync } from "node:fs";
import { checksumState, withChecksum } from "../../files/checksum.ts";
import { readLines } from "../../files/lines.ts";
import { type Card, isMap } from "../../schema/index.ts";
import { at, broken, quoted } from "../place.ts";
import type { Scratch, ScratchMap } from "../scratch.ts";

/** What the service says of something that was created or changed. */
export interface Made {
  /** The id that the service gave it. */
  readonly id?: string | undefined;
  /** When the service says that it was created. */
  readonly at?: string | undefined;
  /** Of a card: `cardHash` of what it became. */
  readonly card?: string | undefined;
  /** Of a card that is created or updated: `sourceHash` of what the source says. */
  readonly source?: string | undefined;
  /** Of a change: the id of the card, which it did not create. */
  readonly of?: string | undefined;
  /** Of an attachment: the id of its card. */
  readonly on?: string | undefined;
  /** Of a card and of its history: how many reviews the import gives it. */
  readonly reviews?: number | undefined;
}

/** What came of an item. */
export interface Outcome extends Made {
  /** Names the item within its input: `line 3`, `card 17`. */
  readonly item: string;
  /** Of what was sent, so that a changed input is noticed. */
  readonly hash: string;
  /** "unknown": it was sent, or is about to be, and no answer is known. */
  readonly state: "done" | "failed" | "unknown";
  /** It was there before, and is used. */
  readonly used?: true | undefined;
  /** Why it failed. */
  readonly error?: string | undefined;
  /** It may have been carried out all the same, though it was looked for and not found. */
  readonly uncertain?: true | undefined;
}

/** What the account had before anything was created: reconciling must not mistake it for something created. */
export type Before =
  | { readonly deck: string; readonly cards: number }
  | { readonly kind: "decks" | "templates"; readonly ids: readonly string[] };

/** A card that an import is about to update. */
export interface WasCard {
  readonly was: Card;
  /** `cardHash` of what it is to become. */
  readonly to?: string | undefined;
  /** Whether only the source had changed since the last import or export: an undo leaves it so. */
  readonly untouched?: boolean | undefined;
}

/** Reviews that an import is about to add to a card that it did not create. */
export interface AddedReviews {
  readonly card: string;
  /** How many reviews the card had. */
  readonly had: number;
  /** Their instants. */
  readonly dates: readonly string[];
}

export interface JournalHeader {
  /** `cards create`, `import`, … */
  readonly command: string;
  /** Names the account without its key. */
  readonly account: string;
}

const version = 1;

/** What a journal says when it is opened. */
export interface JournalRead {
  readonly outcomes: ScratchMap<Outcome>;
  readonly before: readonly Before[];
  /** When the service created the last of the items that went well at once. */
  readonly newest: string | undefined;
  /** By item whose outcome was once unknown: what `newest` was when it first was. */
  readonly newestBefore: ReadonlyMap<string, string | undefined>;
  readonly begun: boolean;
  /** Whether a run came to its end, with nothing left to do. */
  readonly finished: boolean;
  /** Whether the import was taken back. */
  readonly undone: boolean;
  /** Whether the run that began compared its input with what the account had. */
  readonly updates: boolean;
  /** The cards as they were before they were first updated, by their ids. */
  readonly was: ScratchMap<WasCard>;
  /** The reviews that cards got that were there, by their ids. */
  readonly added: ScratchMap<AddedReviews>;
  /** Bytes up to the end of the last whole line. */
  readonly end: number;
}

/**
 * Reads a journal line by line; one that is not there yet is empty. A last line that was cut off is left out.
 *
 * @throws UsageError for a file that is not a journal, is damaged, or belongs to another command or account
 */
export async function readJournal(
  path: string,
  name: string,
  header: JournalHeader,
  scratch: Scratch,
): Promise<JournalRead> {
  assertFile(path);
  const reader = new JournalReader(name, header, scratch);
  let held: { readonly text: string; readonly line: number; readonly next: number } | undefined;
  for await (const { bytes, line, next } of existsSync(path) ? readLines(path) : []) {
    if (held !== undefined) reader.read(held);
    held = { text: bytes.toString("utf8"), line, next };
  }
  // Only the last line can have been cut off; and what does not begin as a journal is somebody's file. Where the power
  // went off, it may be its beginning that is not on the disk: the room for it holds line breaks.
  const begins =
    held?.line === 1 &&
    (beginning.startsWith(held.text.slice(0, beginning.length)) || isTornHeader(held.text, header));
  if (held !== undefined && (isWhole(held.text) || !(reader.begun || begins))) reader.read(held);
  return reader.result;
}

class JournalReader {
  readonly #name: string;
  readonly #header: JournalHeader;
  readonly #outcomes: ScratchMap<Outcome>;
  readonly #was: ScratchMap<WasCard>;
  readonly #added: ScratchMap<AddedReviews>;
  readonly #before: Before[] = [];
  readonly #newestBefore = new Map<string, string | undefined>();
  #newest: string | undefined;
  #finished = false;
  /** The item of the line before, if that was its first. */
  #announced: string | undefined;
  #undone = false;
  #updates = false;
  #end = 0;

  constructor(name: string, header: JournalHeader, scratch: Scratch) {
    this.#name = name;
    this.#header = header;
    this.#outcomes = scratch.map();
    this.#was = scratch.map();
    this.#added = scratch.map();
  }

  get begun(): boolean {
    return this.#end > 0;
  }

  get result(): JournalRead {
    return {
      outcomes: this.#outcomes,
      before: this.#before,
      newest: this.#newest,
      newestBefore: this.#newestBefore,
      begun: this.begun,
      finished: this.#finished || this.#undone,
      undone: this.#undone,
      updates: this.#updates,
      was: this.#was,
      added: this.#added,
      end: this.#end,
    };
  }

  read({ text, line, next }: { readonly text: string; readonly line: number; readonly next: number }): void {
    if (!this.begun && !isWhole(text)) throw broken(this.#name, "this is no journal of deckhand");
    const value = parseLine(text, at(this.#name, line));
    if (!this.begun) checkHeader(value, this.#name, this.#header);
    else if (isMap(value["before"])) this.#before.push(value["before"] as Before);
    else if (isMap(value["was"])) this.#keep(value as unknown as WasCard);
    else if (isMap(value["added"])) this.#reviews(value["added"] as unknown as AddedReviews);
    else if (value["updates"] === true) this.#updates = true;
    else if (value["finished"] === true) this.#finished = true;
    else if (value["undone"] === true) this.#undone = true;
    else if (typeof value["item"] === "string" && typeof value["hash"] === "string")
      this.#outcome(value as unknown as Outcome);
    else throw broken(at(this.#name, line), "the journal is damaged");
    this.#end = next;
  }

  /** The first state of a card that is updated twice is the one before the import. */
  #keep({ was, to, untouched }: WasCard): void {
    this.#was.set(was.id, { was, untouched, ...this.#was.get(was.id), to });
  }

  #reviews({ card, had, dates }: AddedReviews): void {
    const before = this.#added.get(card);
    this.#added.set(card, { card, had: before?.had ?? had, dates: [...(before?.dates ?? []), ...dates] });
  }

  #outcome(outcome: Outcome): void {
    const { item, state, at: created } = outcome;
    const before = this.#outcomes.get(item) !== undefined;
    // What was tried again was made after items that follow it; what was announced was not.
    const again = before && this.#announced !== item;
    this.#announced = before ? undefined : item;
    this.#outcomes.set(item, outcome);
    if (state === "unknown" && !this.#newestBefore.has(item)) this.#newestBefore.set(item, this.#newest);
    if (!again && created !== undefined && (this.#newest === undefined || created > this.#newest))
      this.#newest = created;
  }
}

const beginning = '{"journal":"deckhand"';

/** Whether a line is the first one of such a journal, with zeros where a power failure lost a part. */
function isTornHeader(line: string, header: JournalHeader): boolean {
  const whole = headerLine(header);
  // Its line break may be a zero, too.
  return (
    line.length <= whole.length + 1 && [...line].every((char, at) => char === "\0" || char === whole[at])
  );
}

export const headerOf = (header: JournalHeader) => ({ journal: "deckhand", version, ...header });
const headerLine = (header: JournalHeader) => withChecksum(JSON.stringify(headerOf(header)));

function isWhole(line: string): boolean {
  try {
    return isMap(JSON.parse(line)) && checksumState(line) !== "damaged";
  } catch {
    return false;
  }
}

function parseLine(line: string, place: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (isMap(value) && checksumState(line) !== "damaged") return value;
  } catch {
    // Told below.
  }
  throw broken(
    place,
    "the journal is damaged",
    "Give another file with --journal, or remove this one to start again.",
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

/** A device gives bytes without end, and a pipe waits for somebody. @throws UsageError */
export function assertFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile() && !found.isDirectory())
    throw broken(path, "a journal is a file, and this is none");
}
