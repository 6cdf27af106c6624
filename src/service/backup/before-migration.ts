import { dirname, join } from "node:path";
import { datedName, removeOlder } from "../../files/dated.ts";
import { makeDurableFolder } from "../../files/folders.ts";
import { writeBackup } from "./write.ts";

/**
 * Writes a backup of a store of an earlier version to `backups` beside the service's folder; the newest three are kept.
 * No migration changes the contents of attachments: they are not part of it.
 */
export async function backUpBeforeMigration(folder: string): Promise<void> {
  const name = join(dirname(folder), "backups", "before-migration.tar");
  makeDurableFolder(dirname(name));
  const now = Date.now();
  await writeBackup({ folder, target: datedName(name, now), attachments: false, now });
  removeOlder(name, 3);
}
