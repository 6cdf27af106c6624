import type { EngineProblem } from "../engine.ts";

/** The connection was lost, or there was none to be had. Nothing was committed. */
export class ConnectionLostError extends Error {
  override readonly name = "ConnectionLostError";

  constructor(cause: unknown) {
    super(`the database cannot be reached: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** The connection was lost during a commit, which may have succeeded. */
export class UncertainCommitError extends Error {
  override readonly name = "UncertainCommitError";

  constructor(cause: unknown) {
    super("the connection to the database was lost during a commit", { cause });
  }
}

/** The SQLSTATE of an error that the server reported. */
export function stateOf(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === "string" && typeof severity === "string" ? code : undefined;
}

/** By SQLSTATE, or by its class: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const problems: Readonly<Record<string, EngineProblem>> = {
  "40001": "busy", // serialization_failure
  "40P01": "busy", // deadlock_detected
  "55P03": "busy", // lock_not_available
  "0A000": "away", // feature_not_supported: a standby was asked for turns
  "25006": "away", // read_only_sql_transaction: this is a standby, or was the primary
  "53300": "away", // too_many_connections
  "57014": "away", // query_canceled
  "53100": "full", // disk_full
  "54000": "too-long", // program_limit_exceeded: a value that an index cannot hold
  "08": "away",
  "57": "away",
  XX: "damaged",
};

/** The states after which a connection is of no more use: it leads to a standby. */
const spoiling = new Set(["0A000", "25006"]);

export function postgresProblem(error: unknown): EngineProblem | undefined {
  if (error instanceof ConnectionLostError) return "away";
  if (error instanceof UncertainCommitError) return "uncertain";
  const state = stateOf(error);
  return state === undefined ? undefined : (problems[state] ?? problems[state.slice(0, 2)]);
}

/** Whether the connection must not be used again. */
export function spoilsConnection(error: unknown): boolean {
  const state = stateOf(error);
  return state === undefined || spoiling.has(state) || postgresProblem(error) === "away";
}
