import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { DeckhandError } from "./errors.ts";

/** The part of `node:sqlite` statements that is used, and that its drop-in for older Nodes has. */
export interface SqliteStatement {
  all(...parameters: readonly unknown[]): unknown[];
  run(...parameters: readonly unknown[]): { changes: number | bigint };
  iterate(...parameters: readonly unknown[]): Iterable<unknown>;
}

export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  /** Makes a function for statements. */
  function(name: string, call: (...values: unknown[]) => null): void;
  close(): void;
}

interface SqliteOptions {
  readonly readOnly?: boolean;
  /** false lets `pragma writable_schema` change declarations; engines that know no such option always do. */
  readonly defensive?: boolean;
  /** Bytes of a value or a row, and so on; ignored by versions of Node that do not know it. */
  readonly limits?: { readonly length?: number; readonly sqlLength?: number; readonly exprDepth?: number };
}

type SqliteClass = new (file: string, options?: SqliteOptions) => SqliteDatabase;

/** The built-in module where Node has it (22.13 and newer), its drop-in elsewhere. */
export function loadSqlite(): SqliteClass {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  // A lazy require, not an import: older Nodes do not have the module, and it is not loaded before it is needed.
  if (major > 22 || (major === 22 && minor >= 13))
    return silently(() => require("node:sqlite") as SqliteModule).DatabaseSync;
  return keepingStatements(loadAddon().DatabaseSync);
}

interface SqliteModule {
  readonly DatabaseSync: SqliteClass;
}

/**
 * The compiled part of the drop-in. Only its binaries are in our package: its own would have npm warn of an install
 * script (docs/design/service.md, SQLite without an install script).
 *
 * @throws DeckhandError where none of them fits this system
 */
function loadAddon(): SqliteModule {
  const system = `${process.platform}-${process.arch}`;
  const file = addonFile(system, __dirname);
  const loaded = { exports: {} as SqliteModule };
  try {
    if (file === undefined) throw new Error(`there is no build for ${system}`);
    process.dlopen(loaded, file);
  } catch (cause) {
    throw new DeckhandError(
      "usage",
      `SQLite could not be loaded on ${system} with Node ${process.versions.node}`,
      {
        cause,
        hint: "Install Node 22.13 or newer: it has SQLite built in.",
      },
    );
  }
  return loaded.exports;
}

/** The addon's rows do not keep their statement from being collected, and reading on then reads freed memory. */
function keepingStatements(Database: SqliteClass): SqliteClass {
  return class extends Database {
    override prepare(sql: string): SqliteStatement {
      const statement = super.prepare(sql);
      const iterate = statement.iterate.bind(statement);
      const value = (...parameters: unknown[]) => Object.assign(iterate(...parameters), { statement });
      return Object.defineProperty(statement, "iterate", { value });
    }
  };
}

/** Beside the program in our package; in the source tree, where npm put the drop-in. */
function addonFile(system: string, folder: string): string | undefined {
  const library = existsSync("/etc/alpine-release") ? "musl" : "glibc";
  const name = `${system}/@photostructure+sqlite.${library}.node`;
  for (const place of ["sqlite", "node_modules/@photostructure/sqlite/prebuilds"]) {
    const file = join(folder, place, name);
    if (existsSync(file)) return file;
  }
  const above = dirname(folder);
  return above === folder ? undefined : addonFile(system, above);
}

/** Node 22 and 24 warn that SQLite is experimental when it is loaded; users need not see that. */
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
