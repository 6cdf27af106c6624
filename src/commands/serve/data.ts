import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import type { Application, ApplicationOptions } from "../../service/app.ts";
import type { BucketOptions } from "../../service/blobs/bucket.ts";
import type { DataPlace } from "../../service/place.ts";
import { declare, type LooseOptionsOf, option } from "../shared/command.ts";

/** Begins the declaration of a command that takes a database. */
export const declareDatabase = (text: string) =>
  declare(text)
    .addOption(option("--database <url>", "PostgreSQL: postgres://user@host/name").conflicts("databaseFile"))
    .option("--database-file <path>", "file with the URL of the database");

/** Begins the declaration of a command that takes a collection, in a folder or a database. */
export const declareData = (text: string) =>
  declareDatabase(text).addOption(
    option("--data <folder>", "folder of the collections; default: that of the profile local").conflicts([
      "database",
      "databaseFile",
    ]),
  );

/** Where the collections are. */
type DataOptions = LooseOptionsOf<() => ReturnType<typeof declareData>> & BlobsOption;

/** What every command that takes a database says about it. */
export const databaseHelp = `A URL with a password comes from DECKHAND_DATABASE_URL or a file, since command
lines are public. Its parameters are those of libpq: sslmode=verify-full,
sslrootcert=<file>, connect_timeout, and pool_size and query_timeout of our own.`;

/** Opens the service where the options say, without any on the folder of the profile `local`. */
export async function openData(
  given: DataOptions,
  context: Context,
  options: Omit<ApplicationOptions, keyof DataPlace | "now"> = {},
): Promise<Application> {
  const { openApplication } = await import("../../service/app.ts");
  return openApplication({
    onError: (error) =>
      context.io.warn(`a request failed: ${error instanceof Error ? error.message : error}`),
    ...options,
    ...placeOf(given, context),
    now: context.clock.now,
  });
}

/** The database that the options or the environment name, with its bucket, else a folder. */
export function placeOf(given: DataOptions, context: Context): DataPlace {
  const database = given.data === undefined ? databaseOf(given, context) : undefined;
  const folder = given.data === undefined ? context.folders.data : resolve(given.data);
  return { folder, database, bucket: bucketOf(given, database, context) };
}

/** Whether a data folder has a collection, or one whose restore was interrupted. */
export const hasCollection = (folder: string): boolean =>
  existsSync(join(folder, "service", "store.sqlite")) || existsSync(join(folder, "service.restored"));

/**
 * For commands that must not create a collection, as opening one would.
 *
 * @throws DeckhandError where a folder has none
 */
export function assertCollection({ folder, database }: DataPlace): void {
  if (database !== undefined || hasCollection(folder)) return;
  const hint = `\`deckhand config path\` prints the folder of the profile local. To restore a backup: deckhand backup restore <file> --data ${folder}`;
  throw new DeckhandError("not-found", `there is no collection in ${folder}`, { hint });
}

/** The database that the options or the environment name; undefined where they name none. */
export function databaseOf(
  { database, databaseFile }: Pick<DataOptions, "database" | "databaseFile">,
  { world: { env } }: Context,
): DataPlace["database"] {
  if (database !== undefined && hasPassword(database))
    throw new UsageError("a password on the command line can be read by everyone on this machine", {
      hint: "Give the URL with DECKHAND_DATABASE_URL or --database-file.",
    });
  const fromEnvironment = env["DECKHAND_DATABASE_URL"]?.trim();
  const url = database ?? (databaseFile === undefined ? fromEnvironment : readUrl(databaseFile));
  if (!url) return undefined;
  if (!/^postgres(ql)?:\/\//i.test(url))
    throw new UsageError("the URL of a database must begin with postgres://");
  return { url };
}

const hasPassword = (url: string) => /^[^/?#]*\/\/[^/?#@]*:[^/?#]+@/.test(url) || /[?&]password=/i.test(url);

function readUrl(path: string): string {
  try {
    return readFileSync(resolve(path), "utf8").trim();
  } catch (cause) {
    throw new UsageError(`cannot read ${path}: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}

interface BlobsOption {
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
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!/^https?:$/.test(url?.protocol ?? "") || url?.username || url?.password || url?.search)
    throw new UsageError("AWS_ENDPOINT_URL_S3 must be https://host or https://host:port");
  return text;
}
