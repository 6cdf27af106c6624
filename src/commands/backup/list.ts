import { statSync } from "node:fs";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import { instant, integer, string } from "../../schema/kinds.ts";
import { listingOf } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { whileCounting } from "../shared/lists.ts";
import { placesOf } from "./places.ts";

const listing = listingOf("backups", { name: string(), "created-at": instant(), size: integer() });

const declaredList = () =>
  declare(`List the backups of the local collection that were made by themselves, newest first.

One a day is made after a command, one before more than ten cards are removed, before an import changes
cards, before a repair, and before a new version brings the collection up to date. Kept are all of two
days, one a day for two weeks, one a month for a year. \`config set backup.automatic off\` ends those of
each day and before removals.

  deckhand backup list
  deckhand backup restore daily-20261122T163700Z --replace`).option(
    "--data <folder>",
    "folder of the collections; default: that of the profile local",
  );

export const listCommand = command(declaredList, async ({ data: given }, context) => {
  const { keptBackups } = await import("../../service/backup/kept.ts");
  const { data } = placesOf(given, context);
  async function* rows() {
    for (const { name, path, at } of keptBackups(data))
      yield { name, "created-at": new Date(at).toISOString(), size: statSync(path).size };
  }
  await context.print.list(listing, rows());
});

const declaredVerify = () =>
  declare(`Read a backup whole and compare each part with its hash; exit 9 if it is damaged.

Without deckhand: tar -xf cards.tar && sha256sum -c SHA256SUMS

  deckhand backup verify cards.tar
  deckhand backup verify cards.tar -o json`).argument("<file>", "the backup");

export const verifyCommand = command(declaredVerify, async (file, _options, context) => {
  const { readBackup } = await import("../../service/backup/read.ts");
  let read = 0;
  const readAll = (progress: (done: number) => void) =>
    readBackup(file, async ({ pieces }) => {
      for await (const bytes of pieces) {
        context.signal.throwIfAborted();
        read += bytes.length;
        progress(read);
      }
    });
  const { created, files, size, parts } = await whileCounting("Verifying", context, readAll, "bytes");
  if (context.print.json) return context.print.value({ file, created, size, attachments: files, parts });
  const attachments = `${count(files, "attachment file")}${files > 0 ? " (equal ones are stored once)" : ""}`;
  await context.io.write(`${visible(file)} is whole: written ${created}, ${attachments}, ${size} bytes\n`);
});
