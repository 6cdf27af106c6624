import type { PoolConfig } from "pg";
import { parse, toClientConfig } from "pg-connection-string";
import { UsageError } from "../../../../errors.ts";

/** Where the database is, and how it is used. */
export interface DatabaseOptions {
  /**
   * `postgres://user:password@host:port/name`, with the parameters of libpq for TLS (`sslmode`, `sslrootcert`, …) and
   * `connect_timeout`, and ours: `pool_size` and `query_timeout`. Times are in seconds.
   */
  readonly url: string;
  /** How long a statement may take, in milliseconds; what the URL says, or 30 seconds, if absent. */
  readonly queryTimeout?: number | undefined;
}

/**
 * The settings of `pg`.
 *
 * @throws UsageError for a URL that is none, or that names files that cannot be read; it does not repeat the URL, which may
 * have a password.
 */
export function poolConfig(options: DatabaseOptions): PoolConfig {
  const { url, queryTimeout } = options;
  const number = (name: string, fallback: number) =>
    Number(new RegExp(`[?&]${name}=([1-9]\\d{0,5})(?:&|$)`).exec(url)?.[1] ?? fallback);
  return {
    application_name: "deckhand",
    ...connectionConfig(url),
    max: number("pool_size", 10),
    connectionTimeoutMillis: number("connect_timeout", 5) * 1000,
    // The client ends the wait: poolers do not pass on a setting of the session.
    query_timeout: queryTimeout ?? number("query_timeout", 30) * 1000,
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
