import type { CardDocument } from "../../cards/document.ts";
import { loadSqlite, type SqliteDatabase } from "../../sqlite.ts";
import { broken } from "../place.ts";

/** Something that an import made or replaced. */
export type UndoLine =
  /** Created, with so many reviews and files; `hash` is `hashOfDocument` of it. A later line for the same id replaces it. */
  | {
      readonly card: string;
      readonly hash?: string | undefined;
      readonly reviews?: number;
      readonly files?: number;
    }
  | { readonly deck: string }
  /** Replaced; `to` is `hashOfDocument` of what it became. */
  | {
      readonly updated: string;
      readonly was: CardDocument;
      readonly trashed: string | null;
      readonly to: string;
      /** Whether only the source had changed it. */
      readonly untouched: boolean;
    };

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
  readonly finished: boolean;
  readonly undone: boolean;
}

/** How many are kept of an account; the oldest are removed. */
const keptImports = 50;

/**
 * What imports into an account made and replaced. It is all that is kept of an import; nothing else reads it than
 * `import undo` and `import list`. One file for all accounts, in the state folder.
 */
export class ImportRecords {
  readonly #database: SqliteDatabase;
  readonly #account: string;
  readonly #path: string;

  constructor(path: string, account: string) {
    this.#path = path;
    this.#account = account;
    this.#database = new (loadSqlite())(path);
    this.#database.exec(
      `pragma busy_timeout = 10000; pragma journal_mode = wal; pragma synchronous = full;
       create table if not exists import (
         account text, id integer, name text not null, origin text not null, at integer not null,
         finished integer not null default 0, undone integer not null default 0, primary key (account, id)
       );
       create table if not exists line (account text not null, import integer not null, line text not null);
       create index if not exists line_import on line (account, import)`,
    );
  }

  /** The newest first. */
  list(): ImportRecord[] {
    const sql = `select id, name, origin, at, finished, undone from import where account = ? order by at desc, id desc`;
    const rows = this.#database.prepare(sql).all(this.#account) as (UndoHeader & Record<string, unknown>)[];
    return rows.map(({ id, finished, undone, ...header }) => ({
      ...{ ...header, id: String(id), finished: finished === 1, undone: undone === 1 },
    }));
  }

  /** The last import of a source, where it did not come to its end. */
  stopped(origin: string): ImportRecord | undefined {
    const last = this.list().find((each) => each.origin === origin);
    return origin === "" || last === undefined || last.finished || last.undone ? undefined : last;
  }

  *lines(id: string): Generator<UndoLine> {
    const sql = "select line from line where account = ? and import = ? order by rowid";
    // Those of an import by an earlier version are in rows of their own.
    for (const row of this.#database.prepare(sql).iterate(this.#account, Number(id)))
      yield* [JSON.parse((row as { line: string }).line)].flat();
  }

  mark(id: string, state: "finished" | "undone"): void {
    this.#write(`update import set ${state} = 1 where account = ? and id = ?`, [Number(id)]);
  }

  /** For a new import, or for one of the same source that was stopped: they are undone together. */
  writer(header: UndoHeader) {
    let id = this.stopped(header.origin)?.id;
    return {
      /** The id of the import; undefined as long as nothing was recorded. */
      get id() {
        return id;
      },
      /** Before what the lines say is sent: they are on the disk when this returns. */
      note: (...lines: readonly UndoLine[]) => {
        if (lines.length === 0) return;
        id ??= this.#begin(header);
        this.#write("insert into line values (?, ?, ?)", [Number(id), JSON.stringify(lines)]);
      },
      /** Notes that the import came to its end. */
      finish: () => {
        if (id !== undefined) this.mark(id, "finished");
      },
    };
  }

  /** @returns the id of a new import */
  #begin({ name, origin, at }: UndoHeader): string {
    const ids = "coalesce(max(id), 0) + 1";
    this.#write(
      `insert into import (account, id, name, origin, at) select ?1, ${ids}, ?, ?, ? from import where account = ?1`,
      [name, origin, at],
    );
    const [{ id = 0 } = {}] = this.#database
      .prepare("select max(id) id from import where account = ?")
      .all(this.#account) as { id?: number }[];
    for (const [table, column] of Object.entries({ import: "id", line: "import" }))
      this.#write(`delete from ${table} where account = ? and ${column} <= ?`, [id - keptImports]);
    return String(id);
  }

  close(): void {
    this.#database.close();
  }

  /** @param values those after the account */
  #write(sql: string, values: readonly unknown[]): void {
    try {
      this.#database.prepare(sql).run(this.#account, ...values);
    } catch (error) {
      const problem = `the record of the import cannot be written: ${(error as Error).message}`;
      const hint = "Free space on its disk, and run this again to continue.";
      throw broken(this.#path, problem, hint, error);
    }
  }
}

/** Writes what an import does into its record, which begins with what is written first. */
export type UndoWriter = ReturnType<ImportRecords["writer"]>;
