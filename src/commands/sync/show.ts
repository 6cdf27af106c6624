import type { Context } from "../../context/context.ts";
import { visible } from "../../output/index.ts";
import type { DeckItem } from "../../sync/plan-decks.ts";
import type { FileItem } from "../../sync/plan-files.ts";
import type { SyncPlan } from "../../sync/result.ts";
import type { Item } from "../../sync/types.ts";

/** What each kind of item is called, in the order in which they are shown; undefined for kinds that are not shown. */
const words: Readonly<Partial<Record<Item["kind"] | DeckItem["kind"] | FileItem["kind"], string>>> = {
  "create-deck": "new deck",
  "write-deck": "new folder",
  "push-deck": "to service",
  "pull-deck": "to folder",
  "left-deck": "left",
  create: "new card",
  write: "new file",
  push: "to service",
  pull: "to folder",
  merge: "merge",
  restore: "restore card",
  "trash-card": "remove card",
  "trash-file": "remove file",
  conflict: "conflict",
  left: "left",
  upload: "to service",
  download: "to folder",
  "left-file": "left",
};

/** A line of the plan. */
interface PlanLine {
  readonly what: string;
  /** The path in the folder, or the id of a card that has no file, or the name of an attachment of it. */
  readonly path: string;
  /** Of the deck or card; of an attachment, that of its card. */
  readonly id: string | null;
  readonly note: string | null;
}

export function planLines({ decks, templates, items, files }: SyncPlan): PlanLine[] {
  const lines: PlanLine[] = [];
  for (const { kind, path, id = null, note = null } of decks) {
    const what = words[kind];
    if (what !== undefined) lines.push({ what, path, id, note });
  }
  for (const { path, id = null } of templates) lines.push({ what: "new template", path, id, note: null });
  for (const { kind, id, file, base, card, note = null } of items) {
    const what = words[kind];
    const path = file?.path ?? base?.path ?? card?.name ?? id ?? "";
    if (what !== undefined) lines.push({ what, path, id: id ?? null, note });
  }
  for (const { kind, path, card = null, note = null } of files) {
    const what = words[kind];
    if (what !== undefined) lines.push({ what, path, id: card, note });
  }
  return lines;
}

/** Prints a plan: a line an item, or a JSON array. */
export async function printPlan(plan: SyncPlan, context: Context): Promise<void> {
  const lines = planLines(plan);
  if (context.print.json) return context.print.value(lines);
  for (const line of lines) await context.io.write(`${lineText(line)}\n`);
}

export const lineText = ({ what, path, note }: PlanLine): string =>
  visible(`${what.padEnd(12)} ${path}${note === null ? "" : ` (${note})`}`);

/** A sentence about a plan. */
export function summaryOf(plan: SyncPlan): string {
  const counts = new Map<string, number>();
  for (const { what } of planLines(plan)) counts.set(what, (counts.get(what) ?? 0) + 1);
  return [...counts].map(([what, number]) => `${number} × ${what}`).join(", ");
}

/** Reports attachments that only the service has, if there are any. */
export function noteUnfetched({ files }: SyncPlan, context: Context): void {
  const number = files.filter(({ kind }) => kind === "unfetched").length;
  if (number > 0)
    context.io.note(
      `${number} ${number === 1 ? "attachment is" : "attachments are"} only on the service, which does not let ${number === 1 ? "it" : "them"} be downloaded`,
    );
}
