import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../config/folders.ts";
import type { Context } from "../../context/context.ts";
import { PartialError, UsageError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import { instant, keyword, string } from "../../schema/kinds.ts";
import { listingOf } from "../../schema/resources.ts";
import type { ImportChanges } from "../../transfer/import/undo.ts";
import type { ImportRecord, ImportRecords } from "../../transfer/import/undo-record.ts";
import { accountName, openRecord } from "../shared/account.ts";
import { command, declare } from "../shared/command.ts";
import { sayCount } from "../shared/lists.ts";
import { backUpFirst } from "../shared/removal.ts";

const declaredUndo = () =>
  declare(`Take an import back: delete what it created, restore what it updated.

Cards that were changed, reviewed or given files since the import are left and
listed. Templates that an import created stay, and so do the reviews and files
that it added to other cards.

  deckhand import undo spanish.csv
  deckhand import undo 1 --dry-run`)
    .argument("[import]", "its id, or what was imported; a terminal offers the last ones")
    .option("--overwrite", "also cards that were changed, reviewed or given files since the import");

export const undoCommand = command(declaredUndo, async (given, { overwrite = false }, context) => {
  const records = await openImports(context);
  try {
    await undoOne(await chosen(given, records.list(), context), records, overwrite, context);
  } finally {
    records.close();
  }
});

/** What imports into the account in use did. */
export async function openImports(context: Context): Promise<ImportRecords> {
  const { ImportRecords } = await import("../../transfer/import/undo-record.ts");
  makeFolder(context.folders.state);
  return new ImportRecords(join(context.folders.state, "imports.db"), accountName(context));
}

/** "2026-11-22 23:40" in the time zone of the user. */
const localMinute = (at: number): string => new Date(at).toLocaleString("sv-SE").slice(0, 16);

const named = ({ name, at }: ImportRecord): string => `${name} (${localMinute(at)})`;

/** @throws UsageError where it is not clear which import is meant, or it was undone */
async function chosen(
  given: string | undefined,
  all: readonly ImportRecord[],
  context: Context,
): Promise<ImportRecord> {
  if (given !== undefined) {
    const origin = existsSync(given) ? realpathSync(given) : given;
    const found =
      all.find(({ id }) => id === given) ??
      all.find((each) => !each.undone && (each.origin === origin || each.name === given)) ??
      all.find((each) => each.origin === origin || each.name === given);
    if (found === undefined)
      throw new UsageError(`there is no import ${JSON.stringify(given)} into this collection`, {
        hint: "`deckhand import list` lists the imports of this machine.",
      });
    if (found.undone) throw new UsageError(`the import of ${named(found)} was undone already`);
    return found;
  }
  const open = all.filter(({ undone }) => !undone).slice(0, 5);
  if (open.length === 0) throw new UsageError("there is no import to undo");
  if (!context.io.interactive || context.options.yes === true)
    throw new UsageError("which import is to be undone?", {
      hint: `The last ones: ${open.map((each) => `deckhand import undo ${each.id}: ${named(each)}`).join("; ")}`,
    });
  const choices = open.map((each) => ({ value: each.id, number: each.id, label: visible(named(each)) }));
  const id = await context.io.choose("Which import?", choices);
  return open.find((each) => each.id === id) ?? chosen(id, all, context);
}

async function undoOne(record: ImportRecord, records: ImportRecords, overwrite: boolean, context: Context) {
  const { readChanges } = await import("../../transfer/import/undo.ts");
  const changes = readChanges(records.lines(record.id));
  const parts = partsOf(changes);
  if (parts.length === 0)
    throw new UsageError(`the import of ${named(record)} changed nothing that can be taken back`);
  const sentence = parts.join(", ").replace(/^./, (first) => first.toUpperCase());
  if (context.options.dryRun) return context.io.print(sentence);
  if (!record.finished)
    context.io.note("The import did not come to its end: a card that was just being created may stay");
  const stays = overwrite ? "" : " What was changed, reviewed or given files since stays.";
  await context.io.confirm(`${sentence}?${stays} It cannot be undone.`, "nothing was changed");
  await context.print.checkFilter();
  await backUpFirst(changes.created.size, context);
  await takeBack(changes, overwrite, context, () => records.mark(record.id, "undone"));
}

/** What an undo does. */
function partsOf({ created, updated, decks }: ImportChanges): string[] {
  return [
    created.size > 0 ? `delete ${count(created.size, "card")} that the import created` : "",
    updated.size > 0
      ? `change ${count(updated.size, "card")} that it updated back to what ${updated.size === 1 ? "it was" : "they were"}`
      : "",
    decks.length > 0 ? `delete ${count(decks.length, "deck")} that it created, if empty` : "",
  ].filter((part) => part !== "");
}

/** @param complete called when nothing was left */
async function takeBack(changes: ImportChanges, overwrite: boolean, context: Context, complete: () => void) {
  const { undoChanges } = await import("../../transfer/import/undo.ts");
  const left: string[] = [];
  const record = await openRecord(context);
  const done = await undoChanges(changes, {
    ...{ client: await context.client(), record, overwrite },
    left: (id, why) => {
      left.push(id);
      context.io.note(visible(`left: ${id}: ${why}`));
    },
    progress: () => context.signal.throwIfAborted(),
  }).finally(() => record.close());
  const names = await context.names();
  for (const id of changes.decks) names.forgetDeck(id);
  if (left.length === 0) complete();
  if (context.print.json) await context.print.value({ ...done, left });
  context.io.say(
    `Deleted ${count(done.deleted, "card")} and ${count(done.decks, "deck")}, changed ${count(done.restored, "card")} back`,
  );
  if (left.length === 0) return;
  const isDeck = (id: string) => changes.decks.includes(id);
  throw new PartialError(
    `${count(left.length, "item")} left as ${left.length === 1 ? "it is" : "they are"}`,
    {
      // A deck that has cards stays in any case.
      hint: overwrite || left.every(isDeck) ? undefined : "--overwrite takes these cards back, too.",
    },
  );
}

const listing = listingOf("imports", {
  id: keyword({ about: "Names it for import undo." }),
  at: instant({ about: "When it began." }),
  state: string({ about: "finished, stopped or undone." }),
  name: string({ about: "What was imported." }),
});

const declaredList = () =>
  declare(`List the last imports, the newest first.

The last 50 imports on this machine into the account in use are kept.

  deckhand import list
  deckhand import list -o json`);

export const listCommand = command(declaredList, async (_options, context) => {
  const records = await openImports(context);
  const imports = records.list().map(({ id, at, finished, undone, name }) => ({
    ...{ id, at: new Date(at).toISOString(), name },
    state: undone ? "undone" : finished ? "finished" : "stopped",
  }));
  records.close();
  await context.print.list(listing, imports);
  sayCount(imports.length, listing.name, context);
});
