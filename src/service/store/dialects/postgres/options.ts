import type { PoolConfig } from "pg";
import { parse, toClientConfig } from "pg-connection-string";
import { UsageError } from "../../../../errors.ts";

/** Where the database is, and how it is used. */
export interface DatabaseOptions {
  /** `postgres://user:password@host:port/name`, with the parameters of libpq for TLS (`sslmode`, `sslrootcert`, …). */
  readonly url: string;
  /** The most connections at a time; 10 if absent. */
  readonly poolSize?: number | undefined;
  /** How long connecting, or waiting for a connection, may take, in milliseconds; 5 seconds if absent. */
  readonly connectTimeout?: number | undefined;
  /** How long a statement may take, in milliseconds; 30 seconds if absent. */
  readonly queryTimeout?: number | undefined;
  /** Whether statements are prepared once per connection; true if absent. It ends where a pooler refuses it. */
  readonly prepare?: boolean | undefined;
}

/**
 * The settings of `pg`.
 *
 * @throws UsageError for a URL that is none, or that names files that cannot be read; it does not repeat the URL, which may
 * have a password.
 */
export function poolConfig(options: DatabaseOptions): PoolConfig {
  const { url, poolSize = 10, connectTimeout = 5_000, queryTimeout = 30_000 } = options;
  return {
    application_name: "deckhand",
    ...connectionConfig(url),
    max: poolSize,
    connectionTimeoutMillis: connectTimeout,
    // The client ends the wait: poolers do not pass on a setting of the session.
    query_timeout: queryTimeout,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  };
}

function connectionConfig(url: string): PoolConfig {
  try {
    // What sslmode means is what it means to psql and every other program.
    return toClientConfig(parse(url, { useLibpqCompat: true })) as PoolConfig;
  } catch (cause) {
    const { code, path } = cause as NodeJS.ErrnoException;
    throw new UsageError(
      code === "ENOENT" || code === "EACCES"
        ? `the URL of the database names ${path}, which cannot be read`
        : "the URL of the database must be postgres://user@host:port/name",
      { cause: undefined },
    );
  }
}

/** Where a database is, for messages: without user, password and parameters. */
export function placeOf(url: string): string {
  const { host, port, database } = connectionConfig(url);
  return `${database ?? "postgres"} at ${host || "localhost"}${port ? `:${port}` : ""}`;
}
