import { createHash } from "node:crypto";
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { Pool, PoolClient } from "pg";
import {
  ConnectionLostError,
  isPoolerRefusal,
  postgresProblem,
  spoilsConnection,
  stateOf,
  UncertainCommitError,
} from "./problems.ts";

/** Whether statements are prepared; it ends where a pooler refuses it. */
export interface Preparing {
  wanted: boolean;
}

/** A pool of `pg` as Kysely's dialect takes it: it tells lost connections from failed statements. */
export function poolFor(pool: Pool, preparing: Preparing): PostgresPool {
  return {
    async connect() {
      try {
        return new Connection(await pool.connect(), preparing) as unknown as PostgresPoolClient;
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
  readonly #preparing: Preparing;
  #spoiled = false;
  // The query that is under way hears of the loss, too: without a listener the process would end.
  readonly #lost = () => {
    this.#spoiled = true;
  };

  constructor(client: PoolClient, preparing: Preparing) {
    this.#client = client;
    this.#preparing = preparing;
    client.on("error", this.#lost);
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<never>> {
    // PostgreSQL refuses NUL in texts, so no row has it: a condition with it finds nothing. Nothing inserts it: documents
    // are JSON, and what else is stored has been checked.
    if (parameters.some((value) => typeof value === "string" && value.includes("\0")))
      return { command: "SELECT", rowCount: 0, rows: [] };
    try {
      const { command, rowCount, rows } = await this.#client.query(this.#statement(sql, parameters));
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

  /** Its name is a hash of it, so that two servers behind one pooler never mean different statements by the same name. */
  #statement(text: string, parameters: readonly unknown[]) {
    const values = [...parameters];
    if (!this.#preparing.wanted || values.length === 0) return { text, values };
    return { text, values, name: createHash("sha256").update(text).digest("base64url").slice(0, 32) };
  }

  #failed(error: unknown): unknown {
    if (isPoolerRefusal(error)) this.#preparing.wanted = false;
    if (spoilsConnection(error)) this.#spoiled = true;
    // An error without a state is not from the server: the connection broke, was closed, or timed out.
    return stateOf(error) === undefined ? new ConnectionLostError(error) : error;
  }
}
