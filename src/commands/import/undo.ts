import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { PartialError, UsageError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import type { Scratch } from "../../transfer/import/scratch.ts";
import type { ImportChanges } from "../../transfer/import/undo.ts";
import { count } from "../shared/import-words.ts";
import { accountName, journalBeside, numberedJournal } from "../shared/journal.ts";
import { journalHeader, openKnown } from "./prepare.ts";

export function undoCommand(start: StartContext): Command {
  return new Command("undo")
    .description("Take an import back: delete what it created, restore what it updated.")
    .argument(
      "[journal]",
      "the journal of the import; default: on a terminal the newest that is found here, after asking",
    )
    .option("--overwrite", "also cards that were changed since the import")
    .addHelpText(
      "after",
      `
The journal of an import is next to its input, and is named at the end of the import.
Cards that were changed or reviewed since the import are left and listed. Templates stay: the service cannot delete them.

Examples:
  deckhand import undo spanish.csv.2f1d0c9ab347.journal
  deckhand import undo spanish.csv.2f1d0c9ab347.journal --dry-run`,
    )
    .action((journal: string | undefined, _options: object, command: Command) => {
      const context = start(command);
      return undoImport(journal, { overwrite: command.opts()["overwrite"] === true }, context);
    });
}

/** The newest of the journals beside an input; undefined if there is none. */
function lastJournal(first: string): string | undefined {
  let count = 0;
  while (existsSync(numberedJournal(first, count + 1))) count++;
  return count === 0 ? undefined : numberedJournal(first, count);
}

const listed = 5;

interface FoundJournal {
  readonly path: string;
  /** When it was written last, in epoch milliseconds. */
  readonly at: number;
}

/** The journals of imports into this account, here and in the state folder: those that were not undone, the newest first. */
async function journalsFound(
  context: Context,
): Promise<{ readonly found: readonly FoundJournal[]; readonly undone: readonly string[] }> {
  const { endOf } = await import("../../transfer/import/journal.ts");
  const ending = new RegExp(`\\.${accountName(context)}(?:\\.\\d+)?\\.journal$`);
  const folders = [".", join(context.folders.state, "journals")].filter((folder) => existsSync(folder));
  const paths = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => ending.test(name))
      .map((name) => join(folder, name)),
  );
  const found: FoundJournal[] = [];
  const undone: string[] = [];
  for (const path of paths)
    if ((await endOf(path)) === "undone") undone.push(path);
    else found.push({ path, at: statSync(path).mtimeMs });
  return { found: found.sort((a, b) => b.at - a.at), undone };
}

/** "2026-11-22 23:40" in the time zone of the user. */
const localMinute = (at: number): string => new Date(at).toLocaleString("sv-SE").slice(0, 16);

/** The newest journal, where there is a terminal to ask whether it is the one that is meant. */
async function whichJournal(context: Context): Promise<string> {
  const { found, undone } = await journalsFound(context);
  const dated = ({ path, at }: FoundJournal) => `${relative("", path)} (${localMinute(at)})`;
  const [newest] = found;
  if (newest !== undefined && context.io.interactive && context.options.yes !== true) {
    context.io.note(visible(`The last import found here: ${dated(newest)}`));
    return newest.path;
  }
  if (found.length === 0 && undone.length > 0)
    throw new UsageError("all imports found here were undone already: nothing is left to undo", {
      hint: `Their journals may be deleted: ${undone.map((path) => relative("", path)).join(", ")}`,
    });
  const shown = found.slice(0, listed).map((each) => `deckhand import undo ${dated(each)}`);
  const more = found.length > listed ? `; and ${found.length - listed} older ones` : "";
  throw new UsageError("which import is to be undone? Name its journal", {
    hint:
      found.length === 0
        ? "It is next to the file that was imported and ends with .journal; in the current folder there is none."
        : `Found here, the newest first: ${shown.join("; ")}${more}`,
  });
}

async function undoImport(
  given: string | undefined,
  { overwrite }: { readonly overwrite: boolean },
  context: Context,
): Promise<void> {
  const path = given ?? (await whichJournal(context));
  const [{ readUndo }, { Scratch }] = await Promise.all([
    import("../../transfer/import/undo.ts"),
    import("../../transfer/import/scratch.ts"),
  ]);
  const journal = path.endsWith(".journal") ? undefined : lastJournal(journalBeside(path, context));
  if (journal !== undefined)
    throw new UsageError(`${path} is the input of an import, not its journal`, {
      hint: `Its last import: deckhand import undo ${journal}`,
    });
  const scratch = new Scratch();
  try {
    const changes = await readUndo(path, journalHeader(context), scratch);
    await takeBack({ path, changes, overwrite, scratch }, context);
  } finally {
    scratch.close();
  }
}

interface TakeBack {
  readonly path: string;
  readonly changes: ImportChanges;
  readonly overwrite: boolean;
  readonly scratch: Scratch;
}

async function takeBack({ path, changes, overwrite, scratch }: TakeBack, context: Context): Promise<void> {
  const { Undo } = await import("../../transfer/import/undo.ts");
  const parts = [
    changes.created.size > 0 ? `delete ${count(changes.created.size, "card")} that the import created` : "",
    changes.updatedCount > 0
      ? `change ${count(changes.updatedCount, "card")} that it updated back to what ${changes.updatedCount === 1 ? "it was" : "they were"}`
      : "",
    changes.decks.length > 0 ? `delete ${count(changes.decks.length, "deck")} that it created, if empty` : "",
  ].filter((part) => part !== "");
  if (parts.length === 0) throw new UsageError(`${path}: this import changed nothing that can be taken back`);
  const sentence = parts.join(", ").replace(/^./, (first) => first.toUpperCase());
  if (context.options.dryRun) return context.io.print(sentence);
  if (!changes.finished)
    context.io.note("The import did not come to its end: a card that was just being created may stay");
  await context.io.confirm(`${sentence}? It cannot be undone.`, "nothing was changed");
  await context.print.checkFilter();
  const left: string[] = [];
  const known = await openKnown(context, scratch);
  const undo = new Undo(await context.client(), known, {
    overwrite,
    left: (id, why) => {
      left.push(id);
      context.io.note(visible(`left: ${id}: ${why}`));
    },
    progress: () => context.signal.throwIfAborted(),
  });
  const done = await undo.run(changes).finally(() => known.close());
  const names = await context.names();
  for (const id of changes.decks) names.forgetDeck(id);
  if (left.length === 0) await changes.end();
  if (context.print.json) await context.print.value({ ...done, left });
  context.io.say(
    `Deleted ${count(done.deleted, "card")} and ${count(done.decks, "deck")}, changed ${count(done.restored, "card")} back`,
  );
  if (changes.templates > 0)
    context.io.note(
      `${count(changes.templates, "template")} created by the import: the service cannot delete them`,
    );
  if (left.length > 0)
    throw new PartialError(
      `${count(left.length, "item")} left as ${left.length === 1 ? "it is" : "they are"}`,
      {
        hint: overwrite ? undefined : "--overwrite takes them back, too.",
      },
    );
}
