import { createPostgres } from "./postgres.ts";

/** Starts the server of the tests that run on PostgreSQL, unless the caller has one. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env["DECKHAND_TEST_POSTGRES_URL"]) return undefined;
  const server = await createPostgres();
  process.env["DECKHAND_TEST_POSTGRES_URL"] = server.urlOf("postgres");
  return () => server.stop();
}
