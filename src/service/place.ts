import { join } from "node:path";
import type { Blobs } from "./blobs/blobs.ts";
import type { RandomBytes } from "./ids.ts";
import type { DatabaseOptions } from "./store/dialects/postgres/options.ts";
import type { Store, StorePlace } from "./store/index.ts";

/** Where the collections are. */
export interface DataPlace {
  /** The data folder; the service keeps its files in `service` inside it. Not used with `database`. */
  readonly folder: string;
  /** A database server in place of the embedded database. */
  readonly database?: DatabaseOptions | undefined;
}

export const storePlace = ({ folder, database }: DataPlace): StorePlace =>
  database === undefined ? { folder: join(folder, "service") } : { database };

/** The folder of attachments; undefined where they are not files. */
export const attachmentsFolder = ({ folder, database }: DataPlace): string | undefined =>
  database === undefined ? join(folder, "service", "attachments") : undefined;

/** Opens what holds the contents of attachments. */
export async function openBlobs(
  place: DataPlace,
  store: Store,
  { now, random }: { now(): number; readonly random: RandomBytes },
): Promise<Blobs> {
  const files = attachmentsFolder(place);
  if (files !== undefined) return new (await import("./blobs/files.ts")).FileBlobs(files, store);
  return new (await import("./blobs/database.ts")).DatabaseBlobs({ store, now, random });
}
