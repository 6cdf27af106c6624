import { createBucket, createBucketServer } from "./bucket.ts";

/** Starts the S3-compatible server of the tests that keep attachments in a bucket. */
export async function setup(): Promise<() => Promise<void>> {
  const server = await createBucketServer();
  await createBucket(server.endpoint);
  process.env["DECKHAND_TEST_BUCKET_URL"] = server.endpoint;
  return () => server.stop();
}
