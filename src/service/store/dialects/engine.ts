import type { Dialect, Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * A failure of the database itself rather than of one query. "busy" means that the work may be done again at once, "away"
 * that nothing was done because the database cannot be reached, "uncertain" that the connection was lost while a
 * transaction was committed, "too-long" that a value is longer than an index can hold.
 */
export type EngineProblem = "busy" | "away" | "uncertain" | "full" | "read-only" | "damaged" | "too-long";

/**
 * An open database with an up-to-date schema. Each folder here has a function that opens one; nothing outside knows which
 * kind of database it is (docs/design/service.md, The store).
 */
export interface Engine {
  readonly dialect: Dialect;
  /** Opens another connection for reads during transactions; absent where the dialect has many connections. */
  openBeside?(): Dialect;
  /** Classifies an error that a query threw; undefined for an error of the query itself. */
  problemOf(error: unknown): EngineProblem | undefined;
  /** What a database for several servers does besides; absent where it is embedded in this process. */
  readonly shared?: SharedEngine;
  /** May be called again. */
  close(): Promise<void>;
}

/** A database that many servers use at once. */
interface SharedEngine {
  /** Waits, first thing in a writing transaction, until no other transaction writes to the account. */
  lockAccount(db: Kysely<Tables>, account: string): Promise<void>;
  readonly turns: Turns;
  /** Whether the database takes writes, and still has the schema that this program was written for. */
  isCurrent(): Promise<boolean>;
}

/** The turns of accounts over all servers: who carries out a request of an account, and when the last ones were. */
export interface Turns {
  /** Takes the turn of an account if it is free, or if its holder has not renewed it in time. */
  take(account: string, claim: Claim): Promise<TurnRefusal | undefined>;
  /** Keeps turns for another lease. @param held the holder of each, by account */
  renew(held: ReadonlyMap<string, string>, lease: number): Promise<void>;
  /** Gives a turn back; nothing happens if another holder has it meanwhile. */
  give(account: string, holder: string): Promise<void>;
}

export interface Claim {
  /** Names this turn. A claim may be made twice: the answer to the first may have been lost. */
  readonly holder: string;
  /** How long the turn is kept without being renewed, in milliseconds. */
  readonly lease: number;
  /** Where requests are limited: at most so many since an instant in epoch milliseconds. */
  readonly burst: { readonly requests: number; readonly now: number; readonly since: number } | undefined;
}

/** Another request is active, or there were too many since `oldest`, in epoch milliseconds. */
export type TurnRefusal =
  | { readonly reason: "active" }
  | { readonly reason: "burst"; readonly oldest: number };
