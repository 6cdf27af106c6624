import { existsSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { datedName } from "../../files/dated.ts";
import { linkOrCopy, makeDurableFolder } from "../../files/folders.ts";
import { contentPath } from "../blobs/paths.ts";
import { attachmentHashes } from "./snapshot.ts";
import { type BackupOptions, type BackupResult, storeName, writeBackup } from "./write.ts";

/**
 * The backups that are made by themselves, in `backups` of the data folder. Each is a file without the contents of
 * attachments; those are beside them, once, as further names of the same files: they cost no room until the collection
 * has them no more.
 */

const day = 86_400_000;
const longest = 366 * day;

export interface KeptBackup {
  /** `daily-20261122T163700Z`. */
  readonly name: string;
  readonly path: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

const backupsFolder = (data: string) => join(data, "backups");
/** Where contents of attachments are that a kept backup may need. */
export const keptContents = (data: string): string => join(backupsFolder(data), "attachments");

/** Newest first. */
export function keptBackups(data: string): KeptBackup[] {
  const folder = backupsFolder(data);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .flatMap((file) => {
      const found = /^([\w-]+-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z)\.tar$/.exec(file);
      if (found === null) return [];
      const [, name = "", ...time] = found;
      const [year = 0, month = 0, ...rest] = time.map(Number);
      return [{ name, path: join(folder, file), at: Date.UTC(year, month - 1, ...rest) }];
    })
    .sort((a, b) => b.at - a.at);
}

/** Whether something was written since the newest backup, and that one is a day old. */
export function isBackupDue(data: string, now: number): boolean {
  const last = keptBackups(data)[0]?.at ?? 0;
  if (now - last < day) return false;
  const written = ["", "-wal"].map(
    (suffix) => statSync(join(data, "service", storeName + suffix), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...written) > last;
}

/** Makes one more, and removes those that are no longer kept. @param reason the beginning of its name */
export async function keepBackup(
  reason: string,
  data: string,
  options: Omit<BackupOptions, "target" | "attachments">,
): Promise<BackupResult & { readonly path: string }> {
  const path = datedName(join(backupsFolder(data), `${reason}.tar`), options.now);
  makeDurableFolder(dirname(path));
  const result = await writeBackup({ ...options, target: path, attachments: false });
  keepContents(options.folder, keptContents(data), options.now);
  for (const old of expired(keptBackups(data), options.now)) rmSync(old.path, { force: true });
  sweepContents(keptContents(data), options.now);
  return { ...result, path };
}

/** Kept are all of two days, the newest of each day for two weeks, and the newest of each month for a year. */
export function expired(backups: readonly KeptBackup[], now: number): KeptBackup[] {
  const kept = new Set<string>();
  return backups.filter(({ at }) => {
    const age = now - at;
    if (age <= 2 * day) return false;
    const length = age <= 14 * day ? "2026-11-24".length : "2026-11".length;
    const period = new Date(at).toISOString().slice(0, length);
    if (age > longest || kept.has(period)) return true;
    kept.add(period);
    return false;
  });
}

/** The time of a content says when the collection had it last. */
function keepContents(folder: string, to: string, now: number): void {
  for (const hash of attachmentHashes(join(folder, storeName))) {
    const [source, target] = [join(folder, "attachments", contentPath(hash)), join(to, contentPath(hash))];
    if (!existsSync(target)) {
      if (!existsSync(source)) continue;
      makeDurableFolder(dirname(target));
      linkOrCopy(source, target);
    }
    utimesSync(target, now / 1000, now / 1000);
  }
}

/** Removes contents that the collection has had no more since before the oldest backup. */
function sweepContents(folder: string, now: number): void {
  for (const name of existsSync(folder) ? readdirSync(folder, { recursive: true }) : []) {
    const path = join(folder, String(name));
    // Another process may remove it meanwhile.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() && found.mtimeMs < now - longest) rmSync(path, { force: true });
  }
}
