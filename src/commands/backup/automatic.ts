import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Context } from "../../context/context.ts";
import { visible } from "../../output/index.ts";
import { hasCollection } from "../serve/data.ts";
import { explained } from "./create.ts";
import { type Places, placesOf } from "./places.ts";

/** Removing so many cards at once is not preceded by a backup. */
const few = 10;

/**
 * For what removes cards of the account in use: makes a backup of the local collection first where they are many.
 *
 * @param cards how many are going to be removed; those in the decks that go, too
 */
export async function backUpBeforeRemoval(cards: number, context: Context): Promise<void> {
  if (cards <= few || context.options.dryRun || context.account().kind !== "local") return;
  if (context.settings()["backup.automatic"].value === "off") return;
  const path = await backUpBefore("removal", placesOf(undefined, context), context);
  if (path !== undefined) context.io.say(`A backup of the collection: ${visible(path)}`);
}

/**
 * A backup that is made before something that may do harm.
 *
 * @returns its path; undefined if there is no collection yet
 */
export async function backUpBefore(
  reason: string,
  { data, folder, files }: Places,
  context: Context,
): Promise<string | undefined> {
  if (!hasCollection(data)) return undefined;
  const task = (await context.io.status()).begin({ label: "Writing a backup", unit: "bytes" });
  const { keepBackup } = await import("../../service/backup/kept.ts");
  try {
    const { path } = await keepBackup(`before-${reason}`, data, {
      folder,
      files,
      now: context.clock.now(),
      signal: context.signal,
      progress: (written) => task.set(written),
    });
    return path;
  } catch (error) {
    throw explained(error, join(data, "backups"));
  } finally {
    task.end();
  }
}

/** The file of a backup that is given by its path, or by the name of one that was made by itself. */
export function backupFile(given: string, data: string): string {
  const kept = join(data, "backups", given.endsWith(".tar") ? given : `${given}.tar`);
  return !/[/\\]/.test(given) && !existsSync(given) && existsSync(kept) ? kept : resolve(given);
}
