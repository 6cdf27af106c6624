import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Context } from "../../context/context.ts";
import { DeckhandError, PartialError, UsageError } from "../../errors.ts";
import { fileProblem, isFileError } from "../../files/errors.ts";
import { LockUnusable } from "../../files/lock.ts";
import { count } from "../../output/words.ts";
import type { BackupResult } from "../../service/backup/write.ts";
import { assertCollection, hasCollection } from "../serve/data.ts";
import { command, declare } from "../shared/command.ts";
import { whileCounting } from "../shared/lists.ts";
import { noteLocal, type Places, placesOf } from "./places.ts";

const declared = () =>
  declare(`Write the local collection to one file, while other programs use it. For a hosted account use \`export\`.

A backup has the cards, decks, templates, reviews and attachments, the review logs and the settings;
never the keys of other accounts. It is a tar archive with the
hash of each part in SHA256SUMS. Only its owner can read it.

  deckhand backup cards.tar
  deckhand backup verify cards.tar
  deckhand backup restore cards.tar`)
    .argument("<file>", "the backup to write; an earlier backup is replaced, any other file is not")
    .option("--data <folder>", "folder of the collections; default: that of the profile local");

export const createCommand = command(declared, async (name, options, context) => {
  const places = placesOf(options.data, context);
  const hosted = "the account in use is hosted: `deckhand export` saves that one";
  noteLocal(`${hosted}. Backing up`, options.data, context);
  assertCollection({ folder: places.data });
  const target = resolve(name);
  if (!existsSync(dirname(target))) throw new UsageError(`there is no folder ${dirname(target)}`);
  await assertReplaceable(target);
  if (context.options.dryRun) return context.io.note(`Would write a backup to ${target}`);
  await context.print.checkFilter();
  const result = await write(places, target, context);
  await report(target, result, context);
});

/** A backup takes the place of an earlier one, as a cron job needs, and of no other file. */
async function assertReplaceable(target: string): Promise<void> {
  const there = statSync(target, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (there.isDirectory())
    throw new UsageError(`${target} is a folder`, {
      hint: `Name a file in it: ${join(target, "cards.tar")}`,
    });
  const { isBackup } = await import("../../service/backup/read.ts");
  if (!(await isBackup(target)))
    throw new UsageError(`${target} is not a backup of deckhand; it was not replaced`, {
      hint: "Choose another name, or remove that file first.",
    });
}

async function write(places: Places, target: string, context: Context): Promise<BackupResult> {
  const { writeBackup } = await import("../../service/backup/write.ts");
  const { folder, files } = places;
  const { clock, signal } = context;
  const begin = (progress: (written: number) => void) =>
    writeBackup({ folder, target, files, attachments: true, now: clock.now(), signal, progress });
  try {
    return await whileCounting("Writing the backup", context, begin, "bytes");
  } catch (error) {
    // What was there is locked, and read as a program that writes does.
    throw error instanceof LockUnusable ? unwritten(error, folder) : explained(error, target);
  }
}

/** SQLITE_FULL: the copy of the store is written beside the backup. */
const diskFull = 13;

/** The error for a backup that could not be written. */
function explained(error: unknown, target: string): unknown {
  if (error instanceof Error && "errcode" in error && error.errcode === diskFull)
    return new DeckhandError("usage", `could not write ${target}: no space is left on the device`, {
      cause: error,
    });
  if (error instanceof Error && "errcode" in error)
    return new PartialError(`the collection cannot be read: ${error.message}`, {
      hint: "Run `deckhand check` to see what is damaged.",
      cause: error,
    });
  return unwritten(error, target);
}

/** The error for a file or folder that could not be written; any other error as it is. */
export function unwritten(error: unknown, target: string): unknown {
  const cause = error instanceof LockUnusable ? error.cause : error;
  if (!isFileError(cause)) return error;
  return new DeckhandError("usage", `could not write ${target}: ${fileProblem(cause)}`, { cause });
}

async function report(target: string, { size, damaged }: BackupResult, context: Context): Promise<void> {
  if (context.print.json) await context.print.value({ file: target, size, damaged });
  else if (!context.io.stdout.isTTY) await context.io.write(`${target}\n`);
  context.io.say(`Wrote ${target}`);
  if (damaged.length > 0)
    throw new PartialError(`${count(damaged.length, "attachment")} of the collection missing or damaged`, {
      hint: "All else is in the backup. `deckhand check` lists the cards.",
    });
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
