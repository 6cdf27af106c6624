import { createPostgres, startPgbouncer } from "./postgres.ts";

/**
 * Starts the server of the tests that run on PostgreSQL, unless the caller has one. With DECKHAND_TEST_PGBOUNCER=1 the tests
 * reach it through pgbouncer.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env["DECKHAND_TEST_POSTGRES_URL"]) return undefined;
  const server = await createPostgres();
  const pooler = process.env["DECKHAND_TEST_PGBOUNCER"] === "1" ? await startPgbouncer(server) : undefined;
  process.env["DECKHAND_TEST_POSTGRES_URL"] = pooler?.url ?? server.urlOf("postgres");
  return async () => {
    await pooler?.stop();
    await server.stop();
  };
}
