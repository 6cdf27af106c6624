import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { snapshotPath } from "../../decks/snapshot.ts";
import { PartialError } from "../../errors.ts";
import { setAsideFolder } from "../../files/dated.ts";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import { unwritten } from "./create.ts";
import { localLog, noteLocal, placesOf } from "./places.ts";

interface RestoreOptions {
  readonly data?: string;
  readonly replace?: boolean;
}

export function restoreCommand(start: StartContext): Command {
  return new Command("restore")
    .description("Restore a backup into an empty local collection.")
    .argument("<file>", "the backup")
    .option("--replace", "move the collection that is there to another folder first")
    .option("--data <folder>", "folder of the collections; default: that of the profile local")
    .addHelpText(
      "after",
      `
The backup is verified first. Stop \`deckhand serve\` before. With --replace the collection, its
review log, the settings and the state of \`sync\` are moved to a folder that is named, then restored.

Examples:
  deckhand backup restore cards.tar
  deckhand backup restore cards.tar --replace
  deckhand backup restore cards.tar --data ./cards`,
    )
    .action((file: string, options: RestoreOptions, command: Command) =>
      restore(file, options, start(command)),
    );
}

async function restore(file: string, options: RestoreOptions, context: Context): Promise<void> {
  const { data, folder, pathOf } = placesOf(options.data, context);
  // The log of a hosted account may have answers that nothing else has: it is not replaced.
  const foreign = (name: string) => name.startsWith("reviews/") && name !== localLog;
  const aside = options.replace ? setAsideFolder(data, context.clock.now()) : undefined;
  if (context.options.dryRun) return context.io.note(`Would restore ${file} into ${folder}`);
  await context.print.checkFilter();
  const { restoreBackup } = await import("../../service/backup/restore.ts");
  const status = await context.io.status();
  let task = status.begin({ label: "Verifying" });
  try {
    const {
      created,
      replaced,
      missing,
      aside: kept,
    } = await restoreBackup({
      file,
      folder,
      pathOf(name) {
        const path = pathOf(name);
        return path !== undefined && foreign(name) && existsSync(path) ? undefined : path;
      },
      present: () => placesOf(options.data, context).files.filter(({ name }) => !foreign(name)),
      log: localLog,
      aside,
      async approve() {
        task.end();
        if (aside !== undefined)
          await context.io.confirm(
            `Replace the collection in ${folder}? It is moved to ${aside}.`,
            "nothing was changed",
          );
        noteLocal({ doing: "Restoring", data, named: options.data !== undefined }, context);
        task = status.begin({ label: "Restoring", unit: "bytes" });
      },
      progress(read) {
        context.signal.throwIfAborted();
        task.set(read);
      },
    });
    task.end();
    // The snapshot of the decks is that of the collection before.
    rmSync(snapshotPath(context.folders.cache, "local"), { force: true });
    const counts = await countsIn(folder);
    if (context.print.json)
      await context.print.value({ file, created, ...counts, "set-aside": replaced ? kept : null, missing });
    // Also with --quiet.
    if (replaced) context.io.stderr.write(`The collection that was there is in ${visible(`${kept}`)}\n`);
    context.io.note(visible(`Restored ${countsText(counts)} of the backup of ${created} into ${data}`));
    if (options.data !== undefined)
      context.io.note(visible(`To use the collection: deckhand serve --data ${options.data}`));
    if (missing.length > 0)
      throw new PartialError(
        `${count(missing.length, "attachment")} missing: the backup has none, and the collection before lacked them`,
        {
          hint: "`deckhand check` lists the cards.",
        },
      );
  } catch (error) {
    throw unwritten(error, folder);
  } finally {
    task.end();
  }
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
