import { createReadStream, existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFileWith } from "../../files/atomic-write.ts";
import { makeDurableFolder, syncFolder } from "../../files/folders.ts";
import { withLock } from "../../files/lock.ts";
import { readIfThere } from "../../files/read-if-there.ts";
import { temporaryBeside } from "../../files/temporary.ts";
import { restoredFolder, restoreLock } from "../blobs/paths.ts";

/** A file that belongs to a backup, by its name there: `reviews/local.jsonl`. */
export interface OwnFile {
  readonly name: string;
  readonly path: string;
}

/**
 * The last part of a restore: what was unpacked takes the place of what is there. It is in the folder
 * `service.restored`: `service` and `files`, and this as `restore.json`. Each step can be repeated, so that a restore
 * that was killed is completed by the next process that opens the collection (docs/design/reliability.md).
 */
export interface Exchange {
  /** Which backup it is. */
  readonly backup: string;
  /** Where the collection that is there is kept; null for an empty one. */
  readonly aside: string | null;
  /** Whether there is anything to keep in `aside`. */
  readonly replaced: boolean;
  /** Files that are kept in `aside`, too. */
  readonly present: readonly OwnFile[];
  /** Which of the unpacked files go where. */
  readonly files: readonly OwnFile[];
  /** Hashes of attachments that neither the backup nor the collection before has. */
  readonly missing: readonly string[];
}

/** Names in the folder `service.restored`. */
export const unpackedNames = { service: "service", files: "files", exchange: "restore.json" } as const;

/** Writes what is left to do into a folder with everything unpacked, and makes it the one that is carried out. */
export async function beginExchange(folder: string, unpacked: string, exchange: Exchange): Promise<void> {
  await writeFileWith(join(unpacked, unpackedNames.exchange), (file) => file.write(JSON.stringify(exchange)));
  renameSync(unpacked, restoredFolder(folder));
  syncFolder(dirname(folder));
}

/**
 * Completes a restore that was interrupted, if there is one.
 *
 * @param folder of the service's data
 */
export async function completeRestore(folder: string): Promise<void> {
  if (!existsSync(restoredFolder(folder))) return;
  await withLock(restoreLock(folder), () => carryOut(folder));
}

/**
 * For the holder of the lock only.
 *
 * @returns what was done; undefined if nothing was left to do
 */
export async function carryOut(folder: string): Promise<Exchange | undefined> {
  const restored = restoredFolder(folder);
  const service = join(restored, unpackedNames.service);
  const text = readIfThere(join(restored, unpackedNames.exchange));
  const exchange = text === undefined ? undefined : (JSON.parse(text) as Exchange);
  // Without it only the last step is left.
  if (exchange !== undefined && existsSync(service)) {
    await exchangeFiles(exchange, join(restored, unpackedNames.files));
    exchangeFolders(folder, service, exchange.aside);
  }
  rmSync(restored, { recursive: true, force: true });
  return exchange;
}

/**
 * Exchanged before the store, which may then lack what the files know, not the reverse. A file is copied to `aside` and
 * replaced in one step: the settings are never missing, and may be on another file system.
 */
async function exchangeFiles({ aside, present, files }: Exchange, unpacked: string): Promise<void> {
  if (aside !== null) for (const { name, path } of present) await keepCopy(path, join(aside, name));
  for (const { name, path } of files) {
    makeDurableFolder(dirname(path));
    await writeFileWith(path, (file) => file.writeAll(createReadStream(join(unpacked, name))));
  }
  for (const { name, path } of present)
    if (!files.some((file) => file.name === name)) {
      rmSync(path, { force: true });
      syncFolder(dirname(path));
    }
}

async function keepCopy(path: string, target: string): Promise<void> {
  if (!existsSync(path) || existsSync(target)) return;
  makeDurableFolder(dirname(target));
  await writeFileWith(target, (file) => file.writeAll(createReadStream(path)));
}

function exchangeFolders(folder: string, restored: string, aside: string | null): void {
  const parent = dirname(folder);
  const empty = temporaryBeside(folder);
  if (existsSync(folder)) {
    const old = aside === null ? empty : join(aside, "service");
    makeDurableFolder(dirname(old));
    renameSync(folder, old);
    // Before the name is taken: otherwise a power failure could leave the new folder under it and the old one nowhere.
    syncFolder(dirname(old));
    syncFolder(parent);
  }
  renameSync(restored, folder);
  // Both, before the folder that it was in is removed.
  syncFolder(parent);
  syncFolder(dirname(restored));
  rmSync(empty, { recursive: true, force: true });
}
