import { checksumState } from "../../files/checksum.ts";
import { type Card, isMap } from "../../schema/index.ts";
import { at, broken, quoted } from "../place.ts";

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
  /** Of a card: `cardHash` of what it became. */
  readonly card?: string | undefined;
  /** Of an attachment: the id of its card. */
  readonly on?: string | undefined;
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

export interface JournalHeader {
  /** `cards create`, `import`, … */
  readonly command: string;
  /** Names the account without its key. */
  readonly account: string;
}

export const version = 1;

/** What a journal says when it is opened. */
export interface JournalRead {
  readonly outcomes: ReadonlyMap<string, Outcome>;
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
  /** The cards as they were before they were updated. */
  readonly was: readonly Card[];
  /** Bytes up to the end of the last whole line. */
  readonly end: number;
}

/** @throws UsageError for a file that is no journal, is damaged, or belongs to another command or account */
export function readJournal(text: string, path: string, header: JournalHeader): JournalRead {
  const outcomes = new Map<string, Outcome>();
  const before: Before[] = [];
  const newestBefore = new Map<string, string | undefined>();
  let newest: string | undefined;
  let [finished, undone] = [false, false];
  const was: Card[] = [];
  const lines = text.replace(/\n+$/, "").split("\n");
  const last = lines.at(-1) ?? "";
  // Only the last line can have been cut off; and what does not begin as a journal is somebody's file. Where the power
  // went off, it may be its beginning that is not on the disk: the room for it holds line breaks.
  if (!isWhole(last) && (lines.length > 1 || beginning.startsWith(last.slice(0, beginning.length))))
    do lines.pop();
    while (lines.length > 1 && lines.at(-1) === "");
  for (const [index, line] of lines.entries()) {
    if (index === 0 && !isWhole(line)) throw broken(path, "this is no journal of deckhand");
    const value = parseLine(line, at(path, index + 1));
    if (index === 0) checkHeader(value, path, header);
    else if (isMap(value["before"])) before.push(value["before"] as Before);
    else if (isMap(value["was"])) was.push(value["was"] as unknown as Card);
    else if (value["finished"] === true) finished = true;
    else if (value["undone"] === true) undone = true;
    else if (typeof value["item"] === "string" && typeof value["hash"] === "string") {
      const outcome = value as unknown as Outcome;
      // What was tried again was made after items that follow it.
      const again = outcomes.has(outcome.item);
      outcomes.set(outcome.item, outcome);
      if (outcome.state === "unknown" && !newestBefore.has(outcome.item))
        newestBefore.set(outcome.item, newest);
      if (!again && outcome.at !== undefined && (newest === undefined || outcome.at > newest))
        newest = outcome.at;
    } else throw broken(at(path, index + 1), "the journal is damaged");
  }
  const end = lines.reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);
  return {
    outcomes,
    before,
    newest,
    newestBefore,
    begun: lines.length > 0,
    finished: finished || undone,
    undone,
    was,
    end,
  };
}

const beginning = '{"journal":"deckhand"';

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
