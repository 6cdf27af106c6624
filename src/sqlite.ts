import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The part of `node:sqlite` statements that is used, and that its drop-in for older Nodes has. */
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

interface SqliteOptions {
  readonly readOnly?: boolean;
  /** false lets `pragma writable_schema` change declarations; engines that know no such option always do. */
  readonly defensive?: boolean;
  /** Bytes of a value or a row, and so on; ignored by versions of Node that do not know it. */
  readonly limits?: { readonly length?: number; readonly sqlLength?: number; readonly exprDepth?: number };
}

export type SqliteClass = new (file: string, options?: SqliteOptions) => SqliteDatabase;

/** The built-in module where Node has it (22.13 and newer), its drop-in elsewhere. */
export function loadSqlite(): SqliteClass {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  // A lazy require, not an import: one of the modules may be missing, and neither is loaded before it is needed.
  if (major > 22 || (major === 22 && minor >= 13))
    return silently(() => require("node:sqlite") as SqliteModule).DatabaseSync;
  return (loadAddon() ?? (require("@photostructure/sqlite") as SqliteModule)).DatabaseSync;
}

interface SqliteModule {
  readonly DatabaseSync: SqliteClass;
}

/**
 * The compiled part of the drop-in, the only part used here. The package itself takes 7 ms to load, most of them to find
 * this file; opening it directly takes 1 ms.
 *
 * @returns undefined if it is missing or built for another system; the package then finds or reports it.
 */
function loadAddon(): SqliteModule | undefined {
  const file = addonFile(__dirname);
  if (file === undefined) return undefined;
  const loaded = { exports: {} as SqliteModule };
  try {
    process.dlopen(loaded, file);
    return loaded.exports;
  } catch {
    return undefined;
  }
}

function addonFile(folder: string): string | undefined {
  const library = existsSync("/etc/alpine-release") ? "musl" : "glibc";
  const inPackage = `prebuilds/${process.platform}-${process.arch}/@photostructure+sqlite.${library}.node`;
  const file = join(folder, "node_modules/@photostructure/sqlite", inPackage);
  if (existsSync(file)) return file;
  const above = dirname(folder);
  return above === folder ? undefined : addonFile(above);
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
