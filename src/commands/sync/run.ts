import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { DeckhandError, PartialError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import type { SyncPlan, SyncResult } from "../../sync/result.ts";
import { addSyncOptions, type Prepared, prepareSync, type SyncCommandOptions } from "./options.ts";
import { lineText, noteUnfetched, planLines, summaryOf } from "./show.ts";
import { showStatus } from "./status.ts";

export function runCommand(start: StartContext): Command {
  return addSyncOptions(new Command("run"))
    .description("Keep a folder of markdown and an account the same, in both directions.")
    .option("--watch", "go on: sync when the folder changes, and every five minutes")
    .addHelpText(
      "after",
      `
Examples:
  deckhand sync ~/cards
  deckhand sync ~/geography --deck Geography --watch
  deckhand sync status ~/cards
  deckhand sync ~/cards --prefer folder`,
    )
    .action((folder: string, options: SyncCommandOptions, command: Command) =>
      sync(folder, options, start(command)),
    );
}

export async function sync(folder: string, options: SyncCommandOptions, context: Context): Promise<void> {
  if (context.options.dryRun) return showStatus(folder, options, context);
  const prepared = await prepareSync(folder, options, context, { create: true });
  if (options.watch !== true) return syncOnce(prepared, context);
  const { watchFolder } = await import("../../sync/watch.ts");
  context.io.say(`Watching ${prepared.root}; press Ctrl-C to stop`);
  await watchFolder(prepared.root, context.signal, async () => {
    try {
      await syncOnce(prepared, context);
    } catch (error) {
      // The next sync finishes what this one left open.
      if (error === context.signal.reason) return;
      if (!(error instanceof DeckhandError)) throw error;
      context.io.report(error);
    }
  });
}

async function syncOnce(prepared: Prepared, context: Context): Promise<void> {
  const { syncFolders } = await import("../../sync/sync.ts");
  const status = await context.io.status();
  const labels = {
    cards: "Reading cards",
    files: "Reading files",
    changes: "Syncing",
    attachments: "Syncing attachments",
  };
  let task = status.begin({ label: labels.cards, unit: "items" });
  let part: keyof typeof labels = "cards";
  let begun = false;
  try {
    const result = await syncFolders({
      ...prepared,
      async approve(plan) {
        task.end();
        await approve(plan, context);
        prepared.mark();
        begun = true;
      },
      progress(now, done, total) {
        context.signal.throwIfAborted();
        if (now !== part) {
          task.end();
          task = status.begin({
            label: labels[now],
            unit: "items",
            ...(total === undefined ? {} : { total }),
          });
          part = now;
        }
        task.set(done);
      },
    });
    task.end();
    begun = false;
    await report(result, context);
  } catch (error) {
    if (!begun || !context.signal.aborted) throw error;
    task.end();
    // That the outcome of a request is not known, too: the next sync finds it out.
    context.io.note("Stopped. The next sync completes what this one began.");
    throw context.signal.reason;
  } finally {
    task.end();
  }
}

/** Asks before cards are removed, and before a folder is synced for the first time with a service that will change. */
async function approve(plan: SyncPlan, context: Context): Promise<void> {
  const lines = planLines(plan);
  const risky = lines.filter(({ what }) => what === "remove card" || what === "remove file");
  const first = plan.first && lines.some(({ what }) => what === "new card");
  if (risky.length === 0 && !first) return;
  for (const line of (first ? lines : risky).slice(0, 20)) context.io.note(lineText(line));
  if (lines.length > 20 && first) context.io.note(`and ${lines.length - 20} more`);
  await context.io.confirm(`Go on with this sync (${summaryOf(plan)})?`, "nothing was changed");
}

async function report({ plan, done, left }: SyncResult, context: Context): Promise<void> {
  noteUnfetched(plan, context);
  for (const { what, note, hint } of left)
    context.io.note(visible(`${what}: ${note}${hint === undefined ? "" : `. ${hint}`}`));
  if (context.print.json) await context.print.value(planLines(plan));
  const text = doneText(done);
  if (text === undefined) {
    if (left.length === 0) context.io.say("Already in sync");
  } else if (context.print.json) context.io.say(text);
  else context.io.note(text);
  const conflicts = left.filter(({ conflict }) => conflict).length;
  const failed = left.filter((item) => item.failed).length;
  const parts = [
    ...(conflicts === 0 ? [] : [`${conflicts} ${conflicts === 1 ? "item needs" : "items need"} a decision`]),
    ...(failed === 0 ? [] : [`${failed} ${failed === 1 ? "item" : "items"} could not be synced`]),
  ];
  if (parts.length === 0) return;
  const hint = "Open the files that contain <<<<<<< lines, resolve them, and sync again.";
  throw new PartialError(parts.join(", and "), left.some(({ marked }) => marked) ? { hint } : {});
}

/** How much was synced: "Synced 3 cards and 1 attachment"; undefined for nothing. */
function doneText(done: SyncResult["done"]): string | undefined {
  let [cards, files] = [0, 0];
  for (const [kind, number] of done)
    if (kind === "upload" || kind === "download") files += number;
    else if (!/^(?:adopt|forget|conflict)(?:-file)?$/.test(kind)) cards += number;
  const parts = [
    ...(cards === 0 ? [] : [`${cards} ${cards === 1 ? "card" : "cards"}`]),
    ...(files === 0 ? [] : [`${files} ${files === 1 ? "attachment" : "attachments"}`]),
  ];
  return parts.length === 0 ? undefined : `Synced ${parts.join(" and ")}`;
}
