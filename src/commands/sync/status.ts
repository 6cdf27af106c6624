import type { Context } from "../../context/context.ts";
import { command } from "../shared/command.ts";
import { declareSync, prepareSync, type SyncCommandOptions } from "./options.ts";
import { warnOfPictures } from "./pictures.ts";
import { noteUnfetched, oldCheckout, openError, openOf, planLines, printPlan } from "./show.ts";

export const statusCommand = command(
  () =>
    declareSync(`Show what a sync would do, a line an item. Changes nothing; exit code 9 if anything needs a decision or cannot be synced.

  deckhand sync status ~/cards
  deckhand sync status ~/cards -o json`),
  showStatus,
);

export async function showStatus(
  folder: string,
  options: SyncCommandOptions,
  context: Context,
): Promise<void> {
  const { planSync } = await import("../../sync/sync.ts");
  const { removals } = await import("../../sync/refuse.ts");
  const prepared = await prepareSync(folder, options, context, { create: false });
  const { plan, refusal } = await planSync({ ...prepared, approve: async () => undefined });
  const lines = planLines(plan);
  await printPlan(plan, context);
  const { io, options: given } = context;
  if (lines.length === 0 && refusal === undefined) (given.dryRun ? io.note : io.say)("Already in sync");
  if (plan.isOld && lines.length > 0) context.io.note(oldCheckout);
  noteUnfetched(plan, context);
  warnOfPictures(plan, context);
  if (refusal !== undefined) {
    const removed = removals(plan.changes);
    const need = removed > 0 ? `a sync would need --max-delete ${removed}` : (refusal.hint ?? "");
    context.io.note(`a sync would be refused: ${refusal.message}`);
    context.io.note(need);
  }
  const problem = openError(plan.changes.map(openOf), "cannot", refusal !== undefined);
  if (problem !== undefined) throw problem;
}
