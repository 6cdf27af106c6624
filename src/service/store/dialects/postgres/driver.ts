import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { Pool, PoolClient } from "pg";
import {
  ConnectionLostError,
  postgresProblem,
  spoilsConnection,
  stateOf,
  UncertainCommitError,
} from "./problems.ts";

/** A pool of `pg` as Kysely's dialect takes it: it tells lost connections from failed statements. */
export function poolFor(pool: Pool): PostgresPool {
  return {
    async connect() {
      try {
        return new Connection(await pool.connect()) as unknown as PostgresPoolClient;
      } catch (error) {
        throw stateOf(error) === undefined ? new ConnectionLostError(error) : error;
      }
    },
    async end() {
      if (!pool.ending) await pool.end();
    },
  };
}

class Connection {
  readonly #client: PoolClient;
  #spoiled = false;
  // The query that is under way hears of the loss, too: without a listener the process would end.
  readonly #lost = () => {
    this.#spoiled = true;
  };

  constructor(client: PoolClient) {
    this.#client = client;
    client.on("error", this.#lost);
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<never>> {
    // PostgreSQL refuses NUL in texts, so no row has it: a condition with it finds nothing. Nothing inserts it: documents
    // are JSON, and what else is stored has been checked.
    if (parameters.some((value) => typeof value === "string" && value.includes("\0")))
      return { command: "SELECT", rowCount: 0, rows: [] };
    try {
      // Not by a name: behind a pooler the next transaction has another connection.
      const { command, rowCount, rows } = await this.#client.query(sql, [...parameters]);
      // The server answers so to the commit of a transaction in which a statement has failed.
      if (sql !== "commit" || command !== "ROLLBACK")
        return { command: command as "SELECT", rowCount: rowCount ?? 0, rows: rows as never[] };
    } catch (cause) {
      const error = this.#failed(cause);
      if (sql === "commit" && postgresProblem(error) === "away") throw new UncertainCommitError(error);
      // Then the connection is not used again. The caller reports the first error.
      if (sql !== "rollback") throw error;
    }
    if (sql === "commit") throw new Error("the transaction had failed");
    return { command: "SELECT", rowCount: 0, rows: [] };
  }

  release(): void {
    this.#client.off("error", this.#lost);
    this.#client.release(this.#spoiled);
  }

  #failed(error: unknown): unknown {
    if (spoilsConnection(error)) this.#spoiled = true;
    // An error without a state is not from the server: the connection broke, was closed, or timed out.
    return stateOf(error) === undefined ? new ConnectionLostError(error) : error;
  }
}
