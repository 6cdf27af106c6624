import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { CardDocument } from "../../cards/document.ts";
import { AppendLog } from "../../files/append-log.ts";
import { checksumState } from "../../files/checksum.ts";
import { fileProblem } from "../../files/errors.ts";
import { makeDurableFolder } from "../../files/folders.ts";
import { readLines } from "../../files/lines.ts";
import { isMap } from "../../schema/index.ts";
import { broken } from "../place.ts";

/**
 * What imports made and replaced: a file of lines for each import, written as it goes, in the state folder. It is all
 * that is kept of an import; nothing else reads it than `import undo` and `import list`.
 */
export type UndoLine =
  /** Created; `hash` is `hashOfDocument` of it, `reviews` how many it got. A later line for the same id replaces it. */
  | { readonly card: string; readonly hash?: string | undefined; readonly reviews?: number | undefined }
  | { readonly deck: string }
  | { readonly template: string }
  /** Replaced; `to` is `hashOfDocument` of what it became. */
  | {
      readonly updated: string;
      readonly was: CardDocument;
      readonly trashed: string | null;
      readonly to: string;
      /** Whether only the source had changed it. */
      readonly untouched: boolean;
    }
  /** An attachment of a card that was there. */
  | { readonly file: string; readonly of: string }
  /** Reviews of a card that was there, which had so many. */
  | { readonly reviewed: string; readonly had: number; readonly dates: readonly string[] }
  | { readonly finished: true }
  | { readonly undone: true };

interface UndoHeader {
  /** What was imported, as it was named. */
  readonly name: string;
  /** What the record of origins knows it by. */
  readonly origin: string;
  /** When, epoch milliseconds. */
  readonly at: number;
}

/** An import that can be undone. */
export interface ImportRecord extends UndoHeader {
  /** Names it for `import undo`: a number. */
  readonly id: string;
  readonly path: string;
  readonly finished: boolean;
  readonly undone: boolean;
}

/** How many are kept of an account; the oldest are removed. */
const keptImports = 50;

/** The imports into an account, the newest first. @param folder that of the account's records */
export function listImports(folder: string): ImportRecord[] {
  if (!existsSync(folder)) return [];
  const found: ImportRecord[] = [];
  for (const file of readdirSync(folder).filter((each) => each.endsWith(".ndjson"))) {
    const path = join(folder, file);
    const [first, ends] = endsOf(path);
    const header = parsed(first);
    if (header === undefined || typeof header["origin"] !== "string") continue;
    const has = (end: string) => ends.includes(`{"${end}":true`);
    found.push({
      ...(header as unknown as UndoHeader),
      id: basename(file, ".ndjson"),
      path,
      finished: has("finished"),
      undone: has("undone"),
    });
  }
  return found.sort((a, b) => b.at - a.at || (a.path < b.path ? 1 : -1));
}

/** The first line of a file, and its last ones: a record of a large import need not be read to be listed. */
function endsOf(path: string): [first: string, last: string] {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const read = (length: number, at: number) => {
      const bytes = Buffer.alloc(length);
      return bytes.toString("utf8", 0, readSync(file, bytes, 0, length, at));
    };
    return [read(8192, 0).split("\n")[0] ?? "", read(200, Math.max(0, size - 200))];
  } finally {
    closeSync(file);
  }
}

/** The lines of a record; one that was cut off or damaged is left out. */
export async function* undoLines(path: string): AsyncGenerator<UndoLine> {
  for await (const { bytes } of readLines(path)) {
    const line = parsed(bytes.toString("utf8"));
    if (line !== undefined && !("origin" in line)) yield line as unknown as UndoLine;
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) && checksumState(text) !== "damaged" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the record of an import. */
export class UndoWriter {
  readonly #folder: string;
  readonly #header: UndoHeader;
  #path: string | undefined;
  #log: AppendLog | undefined;

  /** The record of a new import, or of one of the same source that was stopped: they are undone together. */
  constructor(folder: string, header: UndoHeader) {
    const all = listImports(folder);
    for (const { path } of all.slice(keptImports)) rmSync(path, { force: true });
    const path = stopped(all, header.origin)?.path;
    this.#folder = folder;
    this.#header = header;
    this.#path = path;
    this.#log = path === undefined ? undefined : new AppendLog(path);
  }

  /** Adds a line to a record that is there. */
  static append(path: string, line: UndoLine): void {
    const log = new AppendLog(path);
    log.append(line);
    log.sync();
    log.close();
  }

  /** The id of the import; undefined as long as nothing was recorded. */
  get id(): string | undefined {
    return this.#path && basename(this.#path, ".ndjson");
  }

  note(...lines: readonly UndoLine[]): void {
    if (lines.length === 0) return;
    this.#write(() => {
      this.#log ??= this.#begin();
      this.#log.append(...lines);
    });
  }

  /** Waits until it is on the disk: before what it says is sent. */
  sync(): void {
    this.#write(() => this.#log?.sync());
  }

  /** Notes that the import came to its end. */
  finish(): void {
    if (this.#log !== undefined) this.note({ finished: true });
    this.sync();
  }

  close(): void {
    this.#log?.close();
  }

  #begin(): AppendLog {
    makeDurableFolder(this.#folder);
    const last = listImports(this.#folder).reduce((most, { id }) => Math.max(most, Number(id) || 0), 0);
    // Another import may begin at the same time.
    for (let number = last + 1; ; number++) {
      const path = join(this.#folder, `${number}.ndjson`);
      if (existsSync(path)) continue;
      closeSync(openSync(path, "wx", 0o600));
      this.#path = path;
      const log = new AppendLog(path);
      log.append(this.#header);
      return log;
    }
  }

  #write(work: () => void): void {
    try {
      work();
    } catch (error) {
      const problem = `the record of the import cannot be written: ${fileProblem(error)}`;
      const hint = "Free space on its disk, and run this again to continue.";
      throw broken(this.#path ?? this.#folder, problem, hint, error);
    }
  }
}

/** The last import of a source, where it did not come to its end. */
export const stopped = (all: readonly ImportRecord[], origin: string): ImportRecord | undefined => {
  const last = all.find((each) => each.origin === origin);
  return origin === "" || last === undefined || last.finished || last.undone ? undefined : last;
};
