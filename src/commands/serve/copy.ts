import { resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { count } from "../../output/words.ts";
import { command, option } from "../shared/command.ts";
import {
  assertCollection,
  blobsHelp,
  blobsOption,
  bucketOf,
  databaseHelp,
  databaseOf,
  declareData,
  declareDatabase,
  placeOf,
} from "./data.ts";

const declared = () =>
  declareDatabase(`Copy all accounts from a folder to a database, or back.

Copies accounts with their keys, cards, reviews and attachments. Clients go on
with the same keys. The source is not changed; the target must be empty, and is
left so if the copy fails. Stop the service before: what is written during the
copy is not part of it, and writers of a folder wait until it ends.

${databaseHelp}
${blobsHelp}

  deckhand serve copy --from ./cards --database postgres://deckhand@db/cards
  deckhand serve copy --to ./cards --database-file /etc/deckhand/database`)
    .addOption(option("--from <folder>", "data folder to copy to the database").conflicts("to"))
    .option("--to <folder>", "data folder to copy the database to")
    .addOption(blobsOption());

export const copyCommand = command(declared, async ({ from, to, ...options }, context) => {
  const database = databaseOf(options, context);
  const folder = from ?? to;
  if (folder === undefined || database === undefined)
    throw new UsageError("serve copy needs --from or --to with a folder, and a database");
  if (from !== undefined) assertCollection({ folder: resolve(from) });
  const bucket = bucketOf(options, database, context);
  if (context.options.dryRun)
    return context.io.note(from === undefined ? "Would copy to the folder" : "Would copy to the database");
  const { copyStore } = await import("../../service/copy.ts");
  const [files, server] = [{ folder: resolve(folder) }, { folder: "", database, bucket }];
  const copied = await copyStore({
    from: from === undefined ? server : files,
    to: from === undefined ? files : server,
    now: context.clock.now,
    signal: context.signal,
  });
  const nouns = ["key", "deck", "template", "card", "review", "attachment"] as const;
  const counts = nouns.map((noun) => count(copied[noun], noun));
  context.io.note(`Copied ${counts.join(", ")}`);
});

const declaredMigrate = () =>
  declareData(`Bring the tables of the service up to date, after an update of deckhand.

\`deckhand serve\` refuses a database whose tables are older, so that several
servers are updated one after the other; it migrates a folder by itself. The
change is made whole or not at all.

${databaseHelp}

  deckhand serve migrate --database postgres://deckhand@db.example.org/cards
  deckhand serve migrate --database-file /etc/deckhand/database`);

export const migrateCommand = command(declaredMigrate, async (options, context) => {
  if (context.options.dryRun) throw new UsageError("a migration cannot be a dry run");
  const place = placeOf(options, context);
  assertCollection(place);
  const [{ storePlace }, { migrateStore: migrate }] = await Promise.all([
    import("../../service/place.ts"),
    import("../../service/store/index.ts"),
  ]);
  await migrate(storePlace(place));
  context.io.say("The tables are up to date");
});
