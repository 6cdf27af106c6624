import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { AwsV4Signer } from "aws4fetch";
import type { BucketOptions } from "../../src/service/blobs/bucket.ts";
import { freePort } from "./postgres.ts";

const python = "/usr/bin/python3";

/** Whether there is an S3-compatible server: OpenStack Swift of Debian's packages swift-proxy and its three stores. */
export const hasBucketServer = (): boolean =>
  [python, "/usr/bin/swift-proxy-server", "/usr/bin/swift-object-server"].every((path) => existsSync(path));

export interface BucketServer {
  /** `http://127.0.0.1:port` */
  readonly endpoint: string;
  /** Stops it, and leaves its data for another start on the same port. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A server in a temporary folder. */
export async function createBucketServer(): Promise<BucketServer> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bucket-"));
  const port = await freePort();
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  const server: BucketServer = {
    endpoint: `http://127.0.0.1:${port}`,
    async kill() {
      child?.kill("SIGKILL");
      await ended;
    },
    async start() {
      const program = resolve("test/support/programs/bucket-server.py");
      const started = spawn(python, [program, folder, String(port)], { stdio: ["ignore", "pipe", "pipe"] });
      child = started;
      ended = new Promise((done) => started.once("close", done));
      await accepting(started);
    },
    async stop() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  await server.start();
  return server;
}

function accepting(child: ChildProcess): Promise<void> {
  return new Promise((done, failed) => {
    let errors = "";
    child.stderr?.on("data", (text) => {
      errors += text;
    });
    child.stdout?.once("data", () => done());
    child.once("close", () => failed(new Error(`the S3 server ended: ${errors}`)));
  });
}

/** The key that may do everything, as the environment has it. */
export const bucketKey = { AWS_ACCESS_KEY_ID: "test:tester", AWS_SECRET_ACCESS_KEY: "testing" };

/** A key that the server knows, and that may do nothing. */
export const powerlessKey = { AWS_ACCESS_KEY_ID: "test:reader", AWS_SECRET_ACCESS_KEY: "reading" };

const bucket = "attachments";
let taken = 0;

/** A part of the bucket of this test run that nothing else uses. */
export const takePrefix = (endpoint = process.env["DECKHAND_TEST_BUCKET_URL"] ?? ""): BucketOptions => ({
  bucket,
  prefix: `run-${process.pid}/${taken++}/`,
  endpoint,
  region: "us-east-1",
  accessKeyId: bucketKey.AWS_ACCESS_KEY_ID,
  secretAccessKey: bucketKey.AWS_SECRET_ACCESS_KEY,
});

/** Creates the bucket that `takePrefix` names. */
export async function createBucket(endpoint: string): Promise<void> {
  const { accessKeyId, secretAccessKey, region } = takePrefix(endpoint);
  const url = `${endpoint}/${bucket}`;
  const keys = { accessKeyId, secretAccessKey, region, service: "s3" };
  const { headers } = await new AwsV4Signer({ method: "PUT", url, ...keys }).sign();
  const answer = await fetch(url, { method: "PUT", headers });
  if (!answer.ok) throw new Error(`no bucket: ${answer.status} ${await answer.text()}`);
}

/** As --blobs takes it. */
export const urlOf = ({ bucket: name, prefix }: BucketOptions): string =>
  `s3://${name}/${prefix}`.replace(/\/$/, "");
