import { statSync } from "node:fs";
import type { Context } from "../../context/context.ts";
import { instant, integer, object, string } from "../../schema/kinds.ts";
import type { Listing } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { placesOf } from "./places.ts";

const listing: Listing = {
  name: "backups",
  kind: object({ name: string(), "created-at": instant(), size: integer() }),
  columns: ["name", "created-at", "size"],
};

export const listCommand = command(
  () =>
    declare(`List the backups of the local collection that were made by themselves, newest first.

One a day is made after a command, one before more than ten cards are removed, before an import changes
cards, before a repair, and before a new version brings the collection up to date. Kept are all of two
days, one a day for two weeks, one a month for a year. \`config set backup.automatic off\` ends those of
each day and before removals.

Examples:
  deckhand backup list
  deckhand backup restore daily-20261122T163700Z --replace`).option(
      "--data <folder>",
      "folder of the collections; default: that of the profile local",
    ),
  (options, context) => list(options.data, context),
);

async function list(given: string | undefined, context: Context): Promise<void> {
  const { keptBackups } = await import("../../service/backup/kept.ts");
  const { data } = placesOf(given, context);
  async function* rows() {
    for (const { name, path, at } of keptBackups(data))
      yield { name, "created-at": new Date(at).toISOString(), size: statSync(path).size };
  }
  await context.print.list(listing, rows());
}
