import { UsageError } from "../../errors.ts";
import { command } from "../shared/command.ts";
import { assertCollection, databaseHelp, declareData, placeOf } from "./data.ts";

const declared = () =>
  declareData(`Bring the tables of the service up to date, after an update of deckhand.

\`deckhand serve\` refuses a database whose tables are older, so that several
servers are updated one after the other; it migrates a folder by itself. The
change is made whole or not at all.

${databaseHelp}

Examples:
  deckhand serve migrate --database postgres://deckhand@db.example.org/cards
  deckhand serve migrate --database-file /etc/deckhand/database`);

export const migrateCommand = command(declared, async (options, context) => {
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
