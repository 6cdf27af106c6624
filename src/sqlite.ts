/** What is used of a statement of `node:sqlite`, and of its drop-in for older Nodes. */
export interface SqliteStatement {
  all(...parameters: readonly unknown[]): unknown[];
  run(...parameters: readonly unknown[]): { changes: number | bigint };
  iterate(...parameters: readonly unknown[]): Iterable<unknown>;
}

export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export type SqliteClass = new (file: string, options?: { readonly readOnly?: boolean }) => SqliteDatabase;

/** The built-in where Node has it (22.13 and newer), its drop-in elsewhere. */
export function loadSqlite(): SqliteClass {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) {
    // A lazy require, not an import: neither module may be loaded where it is not used, or does not exist.
    return silently(() => require("node:sqlite") as { DatabaseSync: SqliteClass }).DatabaseSync;
  }
  return (require("@photostructure/sqlite") as { DatabaseSync: SqliteClass }).DatabaseSync;
}

/** Node 22 and 24 warn that SQLite is experimental when it is loaded; that one warning is kept from the user. */
function silently<T>(load: () => T): T {
  const emit = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes("SQLite is an experimental feature")) emit.call(process, warning, ...rest);
  }) as typeof process.emitWarning;
  try {
    return load();
  } finally {
    process.emitWarning = emit;
  }
}
