import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Context } from "../../context/context.ts";
import { visible } from "../../output/index.ts";
import { hasCollection } from "../serve/data.ts";
import { whileCounting } from "../shared/lists.ts";
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
  const { keepBackup } = await import("../../service/backup/kept.ts");
  const { clock, signal } = context;
  const write = (progress: (written: number) => void) =>
    keepBackup(`before-${reason}`, data, { folder, files, now: clock.now(), signal, progress });
  try {
    return (await whileCounting("Writing a backup", context, write, "bytes")).path;
  } catch (error) {
    throw explained(error, join(data, "backups"));
  }
}

/** The file of a backup that is given by its path, or by the name of one that was made by itself. */
export function backupFile(given: string, data: string): string {
  const kept = join(data, "backups", given.endsWith(".tar") ? given : `${given}.tar`);
  return !/[/\\]/.test(given) && !existsSync(given) && existsSync(kept) ? kept : resolve(given);
}
