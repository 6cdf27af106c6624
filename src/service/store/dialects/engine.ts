import type { Dialect, Kysely } from "kysely";

/** A failure of the database itself rather than of one query. */
export type EngineProblem = "busy" | "full" | "read-only" | "damaged";

/** A database that holds one store. Nothing outside this folder knows which kind it is (docs/design/service.md). */
export interface Engine {
  readonly dialect: Dialect;
  /** The number of the last migration that ran; 0 for a new store. */
  version(): Promise<number>;
  /** Records the number inside the transaction of the migrations, so that both take effect or neither. */
  setVersion(transaction: Kysely<never>, version: number): Promise<void>;
  /** Runs once on a new store, before the first migration: settings of the file as a whole. */
  prepareNew(): Promise<void>;
  /** From here on a locked database is reported at once, as "busy", instead of blocking the event loop. */
  stopBlocking(): void;
  /** Classifies an error that a query threw; undefined for an error of the query. */
  problemOf(error: unknown): EngineProblem | undefined;
  /** May be called again. */
  close(): void;
}
