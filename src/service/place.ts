import { join } from "node:path";
import { NotConfiguredError } from "../errors.ts";
import type { RandomBytes } from "../schema/ids.ts";
import type { Blobs } from "./blobs/blobs.ts";
import type { BucketOptions } from "./blobs/bucket.ts";
import type { DatabaseOptions } from "./store/dialects/postgres/options.ts";
import type { Store, StorePlace } from "./store/index.ts";
import { bucketSetting, setting } from "./store/keys.ts";

/** Where the collections are. */
export interface DataPlace {
  /** The data folder; the service keeps its files in `service` inside it. Not used with `database`. */
  readonly folder: string;
  /** A database server in place of the embedded database. */
  readonly database?: DatabaseOptions | undefined;
  /** With `database`: where the contents of attachments are; in the database if absent. */
  readonly bucket?: BucketOptions | undefined;
}

export const storePlace = ({ folder, database }: DataPlace): StorePlace =>
  database === undefined ? { folder: join(folder, "service") } : { database };

/**
 * Opens what holds the contents of attachments.
 *
 * @throws DeckhandError for a bucket that is not that of the database or cannot be used, and where it has one that is not given
 */
export async function openBlobs(
  place: DataPlace,
  store: Store,
  { now, random }: { now(): number; readonly random: RandomBytes },
): Promise<Blobs> {
  if (place.database === undefined) {
    const { FileBlobs } = await import("./blobs/files.ts");
    return new FileBlobs(join(place.folder, "service", "attachments"), store);
  }
  const { PartedBlobs } = await import("./blobs/parted.ts");
  if (place.bucket !== undefined) {
    const { openObjects } = await import("./blobs/objects.ts");
    const { Bucket } = await import("./blobs/bucket.ts");
    const bucket = await openObjects(new Bucket(place.bucket), store, random);
    return new PartedBlobs({ store, bucket, now, random });
  }
  if ((await store.read((db) => setting(db, bucketSetting))) !== undefined)
    throw new NotConfiguredError("the attachments of this database are in an S3-compatible store", {
      hint: "Name it with --blobs s3://bucket/prefix.",
    });
  return new PartedBlobs({ store, now, random });
}
