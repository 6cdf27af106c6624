import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "../../config/config-file.ts";
import { type SettingName, settings } from "../../config/settings.ts";
import type { Context } from "../../context/context.ts";
import { snapshotPath } from "../../decks/snapshot.ts";
import { PartialError } from "../../errors.ts";
import { setAsideFolder } from "../../files/dated.ts";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import { placeOf } from "../shared/account.ts";
import { command, declare } from "../shared/command.ts";
import { backupFile, unwritten } from "./create.ts";
import { localLog, noteLocal, placesOf, settingsName } from "./places.ts";

const declared = () =>
  declare(`Restore a backup into an empty local collection.

The backup is verified first. Stop \`deckhand serve\` before. With --replace the collection, its
review log and the state of \`sync\` are moved to a folder that is named: the next \`sync\` is a first one. Of the settings in the backup
only those that concern learning are taken, and shown first; keys are not taken.

  deckhand backup restore cards.tar
  deckhand backup restore cards.tar --replace
  deckhand backup restore daily-20261122T163700Z --replace
  deckhand backup restore cards.tar --data ./cards`)
    .argument("<backup>", "its file, or the name that `deckhand backup list` shows")
    .option("--replace", "move the collection that is there to another folder first")
    .option("--data <folder>", "folder of the collections; default: that of the profile local");

export const restoreCommand = command(declared, async (name, options, context) => {
  const { data, folder } = placesOf(options.data, context);
  const file = backupFile(name, data);
  // The log of a hosted account may have answers that nothing else has: it is not replaced.
  const foreign = (part: string) => part.startsWith("reviews/") && part !== localLog;
  // Without --replace a log that is there stays.
  const isThere = (part: string) => existsSync(join(data, part));
  const aside = options.replace ? setAsideFolder(data, context.clock.now()) : undefined;
  if (context.options.dryRun) return context.io.note(`Would restore ${file} into ${folder}`);
  await context.print.checkFilter();
  const [{ restoreBackup }, { keptContents }] = await Promise.all([
    import("../../service/backup/restore.ts"),
    import("../../service/backup/kept.ts"),
  ]);
  const status = await context.io.status();
  const task = status.begin({ label: "Reading the backup", unit: "bytes" });
  let learning: Readonly<Record<string, unknown>> = {};
  try {
    const { created, replaced, missing } = await restoreBackup({
      file,
      folder,
      contents: keptContents(data),
      signal: context.signal,
      takes: (part) =>
        options.data === undefined && !((foreign(part) || aside === undefined) && isThere(part)),
      present() {
        const { files, syncState } = placesOf(options.data, context);
        const own = files.filter((each) => !foreign(each.name) && each.name !== settingsName);
        return [...own, ...syncState];
      },
      log: localLog,
      aside,
      async approve(settings) {
        task.end();
        if (options.data === undefined) learning = learningSettings(settings);
        const also = Object.entries(learning).map(([key, value]) => `${key} ${value}`);
        if (also.length > 0)
          context.io.note(visible(`Settings of the backup that are taken: ${also.join(", ")}`));
        if (aside !== undefined)
          await context.io.confirm(
            `Replace the collection in ${folder}? It is moved to ${aside}.`,
            "nothing was changed",
          );
        noteLocal("Restoring", options.data, context);
      },
      progress(read) {
        context.signal.throwIfAborted();
        task.set(read);
      },
    });
    if (Object.keys(learning).length > 0) await takeSettings(learning, context);
    // The snapshot of the decks is that of the collection before.
    rmSync(snapshotPath(context.folders.cache, "local"), { force: true });
    const counts = await countsIn(folder);
    if (context.print.json)
      await context.print.value({ file, created, ...counts, "set-aside": replaced ? aside : null, missing });
    // Also with --quiet.
    if (replaced) context.io.stderr.write(`The collection that was there is in ${visible(`${aside}`)}\n`);
    context.io.note(visible(`Restored ${countsText(counts)} of the backup of ${created} into ${data}`));
    if (options.data !== undefined)
      context.io.note(visible(`To use the collection: deckhand serve --data ${options.data}`));
    if (missing.length > 0) throw lacking(missing.length);
  } catch (error) {
    throw unwritten(error, folder);
  } finally {
    task.end();
  }
});

const lacking = (missing: number) =>
  new PartialError(
    `${count(missing, "attachment")} missing: the backup has none, and the collection before lacked them`,
    { hint: "`deckhand check` lists the cards." },
  );

/** Of the settings in a backup only those that concern learning: never programs, addresses or accounts. */
const learningNames = [
  "review.new-per-day",
  "review.max-per-day",
  "review.day-starts-at",
  "review.retention",
] as const satisfies readonly SettingName[];

/** Those that the backup has, as they are stored: the user's own of the local collection. */
function learningSettings(text: string | undefined): Record<string, unknown> {
  try {
    const config = parseConfig(text ?? "{}", settingsName);
    const all = { ...config, ...config.profiles["local"] };
    return Object.fromEntries(
      learningNames.flatMap((name) => {
        const value = all[name];
        const valid = value !== undefined && settings[name].parse(String(value)) !== undefined;
        return valid ? [[name, value] as const] : [];
      }),
    );
  } catch {
    return {};
  }
}

async function takeSettings(taken: Readonly<Record<string, unknown>>, context: Context): Promise<void> {
  const { storeSetting } = await import("../../config/profiles.ts");
  for (const name of learningNames)
    if (name in taken) await storeSetting(placeOf(context), name, String(taken[name]), "local");
}

async function countsIn(folder: string) {
  const [{ countsOf }, { storeName }] = await Promise.all([
    import("../../service/backup/snapshot.ts"),
    import("../../service/backup/write.ts"),
  ]);
  return countsOf(join(folder, storeName));
}

const countsText = (counts: Awaited<ReturnType<typeof countsIn>>): string =>
  `${count(counts.cards, "card")} in ${count(counts.decks, "deck")}, ${count(counts.reviews, "review")} and ${count(counts.attachments, "attachment")}`;
