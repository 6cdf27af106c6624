import { createHash } from "node:crypto";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import type { Pool, PoolClient } from "pg";
import {
  ConnectionLostError,
  isPoolerRefusal,
  postgresProblem,
  spoilsConnection,
  stateOf,
  UncertainCommitError,
} from "./problems.ts";

/**
 * Names of prepared statements, by their SQL: hashes of it, so that two servers behind one pooler never mean different
 * statements by the same name.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #wanted: boolean;

  constructor(wanted: boolean) {
    this.#wanted = wanted;
  }

  /** Undefined where statements are not prepared. */
  of(sql: string): string | undefined {
    if (!this.#wanted) return undefined;
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    const name = createHash("sha256").update(sql).digest("base64url").slice(0, 32);
    this.#names.set(sql, name);
    return name;
  }

  stop(): void {
    this.#wanted = false;
  }
}

/** Runs what Kysely asks for on connections of `pg`. */
export class PostgresDriver implements Driver {
  readonly #pool: Pool;
  readonly #names: StatementNames;

  constructor(pool: Pool, names: StatementNames) {
    this.#pool = pool;
    this.#names = names;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    try {
      return new PostgresConnection(await this.#pool.connect(), this.#names);
    } catch (error) {
      throw stateOf(error) === undefined ? new ConnectionLostError(error) : error;
    }
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const { isolationLevel: level, accessMode: mode } = settings;
    const sql = ["begin", ...(level ? [`isolation level ${level}`] : []), ...(mode ? [mode] : [])].join(" ");
    await connection.executeQuery(CompiledQuery.raw(sql));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    let ended: string | undefined;
    try {
      ended = await (connection as PostgresConnection).command("commit");
    } catch (error) {
      throw postgresProblem(error) === "away" ? new UncertainCommitError(error) : error;
    }
    // The server answers so to the commit of a transaction in which a statement has failed.
    if (ended === "ROLLBACK") throw new Error("the transaction had failed");
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await (connection as PostgresConnection).command("rollback");
    } catch {
      // Then the connection is not used again. The caller reports the first error.
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as PostgresConnection).release();
  }

  async destroy(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  #spoiled = false;
  // The query that is under way hears of the loss, too: without a listener the process would end.
  readonly #lost = () => {
    this.#spoiled = true;
  };

  constructor(client: PoolClient, names: StatementNames) {
    this.#client = client;
    this.#names = names;
    client.on("error", this.#lost);
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    // PostgreSQL refuses NUL in texts, so no row has it: a condition with it finds nothing. Nothing inserts it: documents
    // are JSON, and what else is stored has been checked.
    if (parameters.some((value) => typeof value === "string" && value.includes("\0")))
      return { rows: [], numAffectedRows: 0n };
    try {
      const name = this.#names.of(sql);
      const query = { text: sql, values: [...parameters], ...(name === undefined ? {} : { name }) };
      const { rows, rowCount, command } = await this.#client.query(query);
      if (command === "SELECT") return { rows };
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Runs a statement without parameters. @returns the name of the command that the server carried out */
  async command(sql: string): Promise<string> {
    try {
      return (await this.#client.query(sql)).command;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface; no query of the store is streamed.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("queries are not streamed");
  }

  release(): void {
    this.#client.off("error", this.#lost);
    this.#client.release(this.#spoiled);
  }

  #failed(error: unknown): unknown {
    if (isPoolerRefusal(error)) this.#names.stop();
    if (spoilsConnection(error)) this.#spoiled = true;
    // An error without a state is not from the server: the connection broke, was closed, or timed out.
    return stateOf(error) === undefined ? new ConnectionLostError(error) : error;
  }
}
