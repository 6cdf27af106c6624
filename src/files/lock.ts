import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { loadSqlite, type SqliteDatabase } from "../sqlite.ts";
import { type Clock, systemClock } from "./clock.ts";
import { systemCode } from "./errors.ts";
import { makeDurableFolder } from "./folders.ts";

/**
 * The lock between processes (docs/design/files.md): an exclusive transaction on an empty SQLite file, which is a lock of
 * the operating system. It ends with its process, however that ends, and nobody can take it from one that is alive, even
 * if that one is stopped.
 */
interface TakeOptions {
  readonly clock?: Clock;
  /** From 0 to 1, as Math.random. */
  readonly random?: () => number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Called once if another process holds the lock. */
  readonly onWait?: ((holder: string) => void) | undefined;
}

/** A lock that this process has taken. */
export interface Held {
  release(): void;
}

/** No lock can be created there: a read-only folder, a full disk. */
export class LockUnusable extends Error {
  override readonly name = "LockUnusable";
}

/** How long to wait before looking again, in milliseconds, with jitter up to twice as long: the same for all that wait. */
const poll = 10;

/**
 * Takes the lock of that path: the files `<path>.lockfile`, which stays, empty, and `<path>.holder`, the last that held it.
 * Whoever looks first when it is free gets it. Nothing in this process may open and close the first of these files by
 * itself: on most systems that would end the lock.
 *
 * @throws LockUnusable, or what the signal was aborted with
 */
export async function takeLock(path: string, options: TakeOptions = {}): Promise<Held> {
  const { clock = systemClock, random = Math.random, signal, onWait } = options;
  for (let looks = 0; ; looks++) {
    signal?.throwIfAborted();
    const held = lockNow(path);
    if (held !== undefined) return held;
    if (looks === 0) onWait?.(holderOf(path));
    await clock.wait(poll * (1 + random()), signal);
  }
}

/** Does something while holding the lock of that path. */
export async function withLock<T>(
  path: string,
  work: () => T | Promise<T>,
  options: TakeOptions = {},
): Promise<T> {
  const held = await takeLock(path, options);
  try {
    return await work();
  } finally {
    held.release();
  }
}

/** Whether the lock is held now, by another process or another part of this one. */
export function isLocked(path: string): boolean {
  if (!existsSync(`${path}.lockfile`)) return false;
  const held = lockNow(path);
  held?.release();
  return held === undefined;
}

const busy = 5;

/** @returns undefined if another process, or another part of this one, has the lock */
function lockNow(path: string): Held | undefined {
  let database: SqliteDatabase | undefined;
  try {
    database = openLock(`${path}.lockfile`);
    database.exec("begin exclusive");
    nameHolder(`${path}.holder`);
    return {
      release() {
        database?.close();
        database = undefined;
      },
    };
  } catch (error) {
    database?.close();
    // The rest of the code says more about it.
    if (((error as { readonly errcode?: number }).errcode ?? 0) % 256 === busy) return undefined;
    throw new LockUnusable((error as Error).message, { cause: error });
  }
}

function openLock(file: string): SqliteDatabase {
  createEmpty(file);
  const database = new (loadSqlite())(file);
  database.exec("pragma busy_timeout = 0");
  return database;
}

/** By ourselves, not by SQLite: it would be readable by everybody, and what fails would not be said. */
function createEmpty(file: string): void {
  if (existsSync(file)) return;
  makeDurableFolder(dirname(file));
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

function nameHolder(file: string): void {
  const name = ownName();
  try {
    if (read(file) !== name) writeFileSync(file, name, { mode: 0o600 });
  } catch {
    // A full disk: messages then name an earlier holder, or none.
  }
}

/** Who holds a lock, or held it last: `deckhand sync (process 4711)`. */
export const holderOf = (path: string): string => read(`${path}.holder`) || "another process";

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Only the first word of the command: those after it are the user's. */
function ownName(): string {
  const verb = /^[a-z]+$/.test(process.argv[2] ?? "") ? ` ${process.argv[2]}` : "";
  return `deckhand${verb} (process ${process.pid})`;
}
