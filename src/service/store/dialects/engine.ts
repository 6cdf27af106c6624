import type { Dialect } from "kysely";

/** A failure of the database itself rather than of one query. */
export type EngineProblem = "busy" | "full" | "read-only" | "damaged";

/**
 * An open database with an up-to-date schema. Each folder here has a function that opens one; nothing outside knows which
 * kind of database it is (docs/design/service.md, The store).
 */
export interface Engine {
  readonly dialect: Dialect;
  /** Classifies an error that a query threw; undefined for an error of the query itself. "busy" means: try again. */
  problemOf(error: unknown): EngineProblem | undefined;
  /** May be called again. */
  close(): Promise<void>;
}
