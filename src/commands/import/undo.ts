import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { PartialError, UsageError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import type { Scratch } from "../../transfer/import/scratch.ts";
import type { ImportChanges } from "../../transfer/import/undo.ts";
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
  /** As it is shown, too: its name in the current folder, or an absolute path. */
  readonly path: string;
  /** When it was written last, in epoch milliseconds. */
  readonly at: number;
}

interface FoundJournals {
  /** Absolute paths of the folders that were searched. */
  readonly folders: readonly string[];
  /** Of imports that can be undone, the newest first. */
  readonly found: readonly FoundJournal[];
  /** Of imports that were undone, or changed nothing that can be undone. */
  readonly done: readonly string[];
}

/** The journals of imports into this account, in the current folder and in the state folder. */
async function journalsFound(context: Context): Promise<FoundJournals> {
  const ending = new RegExp(`\\.${accountName(context)}(?:\\.\\d+)?\\.journal$`);
  const folders = [resolve("."), resolve(context.folders.state, "journals")];
  const paths = [...new Set(folders)]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => ending.test(name))
        .map((name) => (folder === folders[0] ? name : join(folder, name))),
    );
  const found: FoundJournal[] = [];
  const done: string[] = [];
  for (const path of paths)
    if (await isDone(path, context)) done.push(path);
    else found.push({ path, at: statSync(path).mtimeMs });
  return { folders, found: found.sort((a, b) => b.at - a.at), done };
}

/** Whether there is nothing to undo. What cannot be read is reported when it is chosen. */
async function isDone(path: string, context: Context): Promise<boolean> {
  const [{ endOf }, { readUndo }, { Scratch }] = await Promise.all([
    import("../../transfer/import/journal.ts"),
    import("../../transfer/import/undo.ts"),
    import("../../transfer/import/scratch.ts"),
  ]);
  if ((await endOf(path)) === "undone") return true;
  const scratch = new Scratch();
  try {
    const changes = await readUndo(path, journalHeader(context), scratch);
    return changes.finished && partsOf(changes, 0).length === 0;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  } finally {
    scratch.close();
  }
}

/** "2026-11-22 23:40" in the time zone of the user. */
const localMinute = (at: number): string => new Date(at).toLocaleString("sv-SE").slice(0, 16);

/** The newest journal, where there is a terminal to ask whether it is the one that is meant. */
async function whichJournal(context: Context): Promise<string> {
  const { folders, found, done } = await journalsFound(context);
  const searched = folders.join(" and ");
  const dated = ({ path, at }: FoundJournal) => `${path} (${localMinute(at)})`;
  const [newest] = found;
  if (newest !== undefined && context.io.interactive && context.options.yes !== true) {
    context.io.note(visible(`The last import found in ${searched}: ${dated(newest)}`));
    return newest.path;
  }
  if (found.length === 0 && done.length > 0)
    throw new UsageError(
      `nothing is left to undo: all imports found in ${searched} were undone already, or changed nothing that can be undone`,
      { hint: `Their journals may be deleted: ${done.join(", ")}` },
    );
  const shown = found.slice(0, listed).map((each) => `deckhand import undo ${dated(each)}`);
  const more = found.length > listed ? `; and ${found.length - listed} older ones` : "";
  throw new UsageError("which import is to be undone? Name its journal", {
    hint:
      found.length === 0
        ? `It is next to the file that was imported and ends with .journal; there is none in ${searched}.`
        : `Found in ${searched}, the newest first: ${shown.join("; ")}${more}`,
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

/** What an undo does. @param reviewed how many of the created cards stay */
function partsOf(
  { created, updatedCount, addedCount, files, decks }: ImportChanges,
  reviewed: number,
): string[] {
  const stay =
    reviewed === 0
      ? ""
      : ` (${reviewed} of them ${reviewed === 1 ? "was" : "were"} reviewed since, and ${reviewed === 1 ? "stays" : "stay"})`;
  return [
    created.size > 0 ? `delete ${count(created.size, "card")} that the import created${stay}` : "",
    files.length > 0 ? `remove ${count(files.length, "attachment")} that it added to other cards` : "",
    addedCount > 0 ? `remove ${count(addedCount, "review")} that it added to other cards` : "",
    updatedCount > 0
      ? `change ${count(updatedCount, "card")} that it updated back to what ${updatedCount === 1 ? "it was" : "they were"}`
      : "",
    decks.length > 0 ? `delete ${count(decks.length, "deck")} that it created, if empty` : "",
  ].filter((part) => part !== "");
}

/** How many of the cards that the import created were reviewed since. */
async function countReviewed({ created, reviews }: ImportChanges, context: Context): Promise<number> {
  let reviewed = 0;
  if (created.size > 0)
    for await (const { docs } of (await context.client()).cards.pages({})) {
      context.signal.throwIfAborted();
      for (const { id, reviews: now } of docs)
        if (created.has(id) && (now ?? []).length > (reviews.get(id) ?? 0)) reviewed++;
    }
  return reviewed;
}

interface TakeBack {
  readonly path: string;
  readonly changes: ImportChanges;
  readonly overwrite: boolean;
  readonly scratch: Scratch;
}

async function takeBack({ path, changes, overwrite, scratch }: TakeBack, context: Context): Promise<void> {
  const { Undo } = await import("../../transfer/import/undo.ts");
  const reviewed =
    overwrite || context.account().kind !== "local" ? 0 : await countReviewed(changes, context);
  const parts = partsOf(changes, reviewed);
  if (parts.length === 0)
    throw new UsageError(`${path}: this import recorded nothing that can be taken back`, {
      hint: changes.finished
        ? undefined
        : "It did not come to its end: a card that was just being created may be in the collection.",
    });
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
    `Deleted ${count(done.deleted, "card")} and ${count(done.decks, "deck")}, changed ${count(done.restored, "card")} back${done.reviews > 0 ? `, removed ${count(done.reviews, "review")}` : ""}`,
  );
  if (changes.templates > 0)
    context.io.note(
      `${count(changes.templates, "template")} created by the import: templates cannot be deleted`,
    );
  if (left.length > 0)
    throw new PartialError(
      `${count(left.length, "item")} left as ${left.length === 1 ? "it is" : "they are"}`,
      {
        // A deck that has cards stays in any case.
        hint:
          overwrite || left.every((id) => changes.decks.includes(id))
            ? undefined
            : "--overwrite takes back what was changed or reviewed, too.",
      },
    );
}
