import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import type { BucketOptions } from "../../service/blobs/bucket.ts";
import type { DataPlace } from "../../service/place.ts";
import { option } from "../shared/command.ts";

export interface BlobsOption {
  readonly blobs?: string | undefined;
}

export const blobsOption = () =>
  option("--blobs <url>", "keep attachments in an S3-compatible store: s3://bucket/prefix");

/** What every command that takes a bucket says about it. */
export const blobsHelp = `--blobs needs a database; AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and,
for a store other than Amazon's, AWS_ENDPOINT_URL_S3 come from the environment.`;

/**
 * The bucket that the options name, with the key that the environment has.
 *
 * @throws UsageError without repeating what may have a key
 */
export function bucketOf(
  { blobs }: BlobsOption,
  database: DataPlace["database"],
  { world: { env } }: Context,
): BucketOptions | undefined {
  if (blobs === undefined) return undefined;
  if (database === undefined)
    throw new UsageError("--blobs needs a database server", {
      hint: "Give --database; attachments of a folder are files in it.",
    });
  const [, bucket, path = ""] =
    /^s3:\/\/([a-z0-9][\w.-]{1,61}[a-z0-9])((?:\/[\w.-]+)*)\/?$/i.exec(blobs) ?? [];
  if (bucket === undefined || /(^|\/)\.{1,2}(\/|$)/.test(path))
    throw new UsageError("--blobs must be s3://bucket/prefix, of letters, digits, dots and dashes");
  const accessKeyId = env["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"];
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError("--blobs needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment");
  return {
    bucket,
    prefix: path === "" ? "" : `${path.slice(1)}/`,
    endpoint: endpointOf(env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"]),
    region: env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1",
    accessKeyId,
    secretAccessKey,
    sessionToken: env["AWS_SESSION_TOKEN"] || undefined,
  };
}

function endpointOf(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const { protocol, username, password, search } = parsed(text) ?? {};
  if (!/^https?:$/.test(protocol ?? "") || username || password || search)
    throw new UsageError("AWS_ENDPOINT_URL_S3 must be https://host or https://host:port");
  return text;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
