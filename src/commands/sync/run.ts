import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import type { SyncPlan, SyncResult } from "../../sync/types.ts";
import { command } from "../shared/command.ts";
import { backUpFirst } from "../shared/removal.ts";
import { declareSync, type Prepared, prepareSync, type SyncCommandOptions } from "./options.ts";
import { warnOfPictures } from "./pictures.ts";
import {
  doneText,
  lineTexts,
  noteUnfetched,
  oldCheckout,
  openError,
  planLines,
  resolving,
  resultValue,
  summaryOf,
} from "./show.ts";
import { showStatus } from "./status.ts";

export const runCommand = command(
  () =>
    declareSync(`Keep a folder of markdown and your collection the same, in both directions.

  deckhand sync ~/cards
  deckhand sync ~/geography --deck Geography --watch
  deckhand sync ~/cards --prefer folder`).option(
      "--watch",
      "go on: sync when the folder changes, and every five minutes",
    ),
  sync,
);

export async function sync(
  folder: string,
  options: SyncCommandOptions & { readonly watch?: boolean | undefined },
  context: Context,
): Promise<void> {
  if (context.options.dryRun) return dryRun(folder, options, context);
  await context.print.checkFilter();
  const prepared = await prepareSync(folder, options, context, { create: true });
  if (options.watch !== true) return report(await syncOnce(prepared, context), context);
  const { watchFolder } = await import("../../sync/watch.ts");
  context.io.say(`Watching ${prepared.root}; press Ctrl-C to stop`);
  let before = "";
  const once = async () => {
    try {
      const watching = { confirmed: context.options.yes === true };
      const result = await syncOnce({ ...prepared, watching }, context);
      const left = JSON.stringify(result.left);
      // A sync that follows the changes of the one before has nothing to add.
      const isNews = result.done.size > 0 || left !== before;
      before = left;
      if (isNews) await report(result, context);
    } catch (error) {
      // The next sync finishes what this one left open.
      if (error === context.signal.reason) return;
      if (!(error instanceof DeckhandError)) throw error;
      context.io.report(error);
    }
  };
  const missing = () =>
    context.io.note(visible(`the folder ${prepared.root} is missing; waiting until it is back`));
  await watchFolder(prepared.root, context.signal, { sync: once, missing });
}

/** Shows the plan; that of a folder which the sync would create is the plan of an empty one. */
async function dryRun(folder: string, options: SyncCommandOptions, context: Context): Promise<void> {
  if (existsSync(folder)) return showStatus(folder, options, context);
  const parent = dirname(resolve(folder));
  if (!existsSync(parent)) throw new UsageError(`there is no folder ${parent}`);
  const { assertNotNested } = await import("../../sync/marker.ts");
  assertNotNested(folder);
  const { makeTemporaryFolder } = await import("../../files/temporary.ts");
  const empty = await makeTemporaryFolder("deckhand-sync-");
  try {
    await showStatus(empty, options, context);
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
}

const mostShown = 20;
/** What changes the collection, where files that were taken back would undo the work of others. */
const changing: ReadonlySet<string> = new Set([
  "new card",
  "to service",
  "merge",
  "remove card",
  "restore card",
]);

async function syncOnce(prepared: Prepared, context: Context): Promise<SyncResult> {
  const { syncFolders } = await import("../../sync/sync.ts");
  const status = await context.io.status();
  const labels = {
    cards: "Reading cards",
    files: "Reading files",
    changes: "Syncing",
    attachments: "Syncing attachments",
  };
  const begin = (part: keyof typeof labels) => ({
    ...{ part, ...status.begin({ label: labels[part], unit: "items" }) },
  });
  let task = begin("cards");
  let begun = false;
  try {
    return await syncFolders({
      ...prepared,
      asks: context.options.yes !== true,
      async approve(plan) {
        task.end();
        warnOfPictures(plan, context);
        const start = async () => {
          const removed = planLines(plan).filter(({ what }) => what === "remove card").length;
          await backUpFirst(removed, context);
          prepared.mark();
          begun = true;
        };
        const ask = question(plan, prepared, context);
        if (ask === undefined) await start();
        return ask && (() => ask().then(start));
      },
      onWait: () => context.io.note("another sync of this folder is running; waiting for it to end"),
      signal: context.signal,
      progress(now, done, total) {
        context.signal.throwIfAborted();
        if (now !== task.part) {
          task.end();
          task = begin(now);
        }
        task.set(done, total);
      },
    });
  } catch (error) {
    if (!begun || !context.signal.aborted) throw error;
    // That the outcome of a request is not known, too: the next sync finds it out.
    context.io.note("Stopped. The next sync completes what this one began.");
    throw context.signal.reason;
  } finally {
    task.end();
  }
}

/**
 * The question before cards are removed, before a folder is synced for the first time with a service that will change or,
 * on a terminal, if it has files, and for an old checkout; undefined where there is none.
 */
function question(
  plan: SyncPlan,
  { watching, root }: Prepared,
  { io, options }: Context,
): (() => Promise<void>) | undefined {
  const lines = planLines(plan);
  const risky = watching ? [] : lines.filter(({ what }) => what === "remove card" || what === "remove file");
  const isUsed = io.interactive && !watching && readdirSync(root).some((name) => !name.startsWith("."));
  const first = plan.first && lines.some(({ what }) => isUsed || what === "new card" || what === "left");
  const isOld = plan.isOld && lines.some(({ what }) => changing.has(what));
  if (!isOld && (options.yes || (risky.length === 0 && !first))) return undefined;
  // Of a long plan, first what a person has to see to.
  const isLeft = ({ what }: (typeof lines)[number]) => what === "left";
  const sorted = [...lines.filter(isLeft), ...lines.filter((line) => !isLeft(line))];
  const shown =
    first || isOld ? sorted : lines.filter((line) => risky.includes(line) || line.label === "conflict");
  return async () => {
    for (const line of lineTexts(shown.slice(0, mostShown))) io.note(line);
    if (shown.length > mostShown) io.note(`and ${shown.length - mostShown} more; sync status shows all`);
    if (risky.length > 0)
      io.note(
        "What is removed in the collection goes to its trash, what is removed in the folder to .deckhand/trash.",
      );
    if (lines.some(({ label }) => label === "conflict"))
      io.note(`This sync does not resolve conflicts. ${resolving}`);
    if (isOld) io.note(oldCheckout);
    await io.confirm(
      `Carry out this sync (${summaryOf(plan)})? No leaves the folder and the collection as they are.`,
      "nothing was changed, in the folder or in the collection",
      isOld ? "despite --yes" : undefined,
    );
  };
}

async function report(result: SyncResult, context: Context): Promise<void> {
  const { plan, done, left } = result;
  noteUnfetched(plan, context);
  for (const { what, note, hint } of left)
    context.io.note(visible(`${what}: ${note}${hint === undefined ? "" : `. ${hint}`}`));
  if (context.print.json) await context.print.value(resultValue(result));
  const text = doneText(done);
  if (text === undefined) {
    if (left.length === 0) context.io.say("Already in sync");
  } else if (context.print.json) context.io.say(text);
  else context.io.note(text);
  const problem = openError(left, "could not");
  if (problem !== undefined) throw problem;
}
