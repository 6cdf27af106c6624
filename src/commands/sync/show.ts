import type { Context } from "../../context/context.ts";
import { PartialError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import type { DeckItem } from "../../sync/plan-decks.ts";
import type { FileItem } from "../../sync/plan-files.ts";
import type { SyncPlan, SyncResult } from "../../sync/result.ts";
import type { Item } from "../../sync/types.ts";

/** What a line is called in JSON, and for people, who want to know which side it changes. */
type Words = readonly [what: string, label: string];

/** Undefined for kinds that are not shown. */
const words: Readonly<Partial<Record<Item["kind"] | DeckItem["kind"] | FileItem["kind"], Words>>> = {
  "create-deck": ["new deck", "create deck in the collection"],
  "write-deck": ["new folder", "create deck in the folder"],
  "push-deck": ["to service", "move deck in the collection"],
  "pull-deck": ["to folder", "move deck in the folder"],
  "left-deck": ["left", "not synced"],
  create: ["new card", "create card in the collection"],
  write: ["new file", "create card in the folder"],
  push: ["to service", "update in the collection"],
  pull: ["to folder", "update in the folder"],
  merge: ["merge", "update in both"],
  restore: ["restore card", "restore in the collection"],
  "trash-card": ["remove card", "remove in the collection"],
  "trash-file": ["remove file", "remove in the folder"],
  conflict: ["conflict", "conflict"],
  left: ["left", "not synced"],
  upload: ["to service", "copy to the collection"],
  download: ["to folder", "copy to the folder"],
  "left-file": ["left", "not synced"],
};
const renames: Readonly<Partial<Record<DeckItem["kind"], Words>>> = {
  "push-deck": ["to service", "rename deck in the collection"],
  "pull-deck": ["to folder", "rename deck in the folder"],
};
const newTemplate: Words = ["new template", "create template in the collection"];

/** A line of the plan, as it is in JSON. */
interface PlanLine {
  readonly what: string;
  /** The path in the folder, or the id of a card that has no file, or the name of an attachment of it. */
  readonly path: string;
  /** Of the deck or card; of an attachment, that of its card. */
  readonly id: string | null;
  readonly note: string | null;
}

/** A line of the plan, with the words for people. */
export interface LabelledLine extends PlanLine {
  readonly label: string;
}

export function planLines({ decks, templates, items, files }: SyncPlan): LabelledLine[] {
  const lines: LabelledLine[] = [];
  const add = (given: Words | undefined, line: Omit<PlanLine, "what">) => {
    if (given !== undefined) lines.push({ what: given[0], label: given[1], ...line });
  };
  for (const { kind, path, id = null, note = null, name, renamed } of decks)
    if (renamed === undefined) add(words[kind], { path, id, note });
    else
      add(renames[kind], {
        path,
        id,
        note: kind === "pull-deck" ? `its name in deck.yaml becomes ${name}` : `it was called ${renamed}`,
      });
  for (const { path, id = null } of templates) add(newTemplate, { path, id, note: null });
  for (const { kind, id = null, file, base, card, note = null } of items) {
    const path = file?.path ?? base?.path ?? card?.name ?? id ?? "";
    add(file?.marked && kind === "left" ? ["left", "conflict"] : words[kind], { path, id, note });
  }
  for (const { kind, path, card = null, note = null } of files) add(words[kind], { path, id: card, note });
  return lines;
}

/** The plan as scripts read it: an object a line. */
const planValue = (plan: SyncPlan): PlanLine[] =>
  planLines(plan).map(({ what, path, id, note }) => ({ what, path, id, note }));

/** The plan of a sync that has run, in the same form: what could not be synced is `left`, with the reason. */
export function resultValue({ plan, left }: SyncResult): PlanLine[] {
  const reasons = new Map(left.filter(({ marked }) => !marked).map(({ what, note }) => [what, note]));
  const lines = planValue(plan).map((line) => {
    const note = reasons.get(line.path);
    reasons.delete(line.path);
    return note === undefined ? line : { ...line, what: "left", note };
  });
  // Found only when the sides were read again.
  for (const [path, note] of reasons) lines.push({ what: "left", path, id: null, note });
  return lines;
}

/** Prints a plan: a line an item, or a JSON array. */
export async function printPlan(plan: SyncPlan, context: Context): Promise<void> {
  if (context.print.json) return context.print.value(planValue(plan));
  for (const line of lineTexts(planLines(plan))) await context.io.print(line);
}

export function lineTexts(lines: readonly LabelledLine[]): string[] {
  const width = lines.reduce((most, { label }) => Math.max(most, label.length), 0);
  return lines.map(({ label, path, note }) =>
    visible(`${label.padEnd(width)}  ${path}${note === null ? "" : ` (${note})`}`),
  );
}

/** How often each thing is done in a plan: "2 × remove in the collection, 1 × conflict". */
export function summaryOf(plan: SyncPlan): string {
  const counts = new Map<string, number>();
  for (const { label } of planLines(plan)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].map(([label, number]) => `${number} × ${label}`).join(", ");
}

const choosing = "--prefer folder or --prefer service (the collection)";
const editing =
  "Edit the file, remove the lines that begin with <<<<<<<, |||||||, ======= and >>>>>>>, and sync again";

/** How a conflict is resolved that is in a file. */
export const resolving = `${editing}; or sync with ${choosing}.`;
/** How one is resolved that `--prefer` leaves. */
const notChosen = `${editing}: --prefer resolves only conflicts that a sync wrote.`;
const notWritten = `A sync writes both texts into the file, for you to edit; or choose a side: ${choosing}.`;

/** What a person has to see to. */
interface Open {
  /** The paths of conflicts. */
  readonly conflicts: readonly string[];
  /** `there` before a sync, `left` after one; `planned` where no file has markers yet. */
  readonly state: "planned" | "there" | "left";
  /** How many other items need a decision. */
  readonly decisions: number;
  /** How many items could not be synced. */
  readonly failed?: number;
  /** Whether `--prefer` was given. */
  readonly prefers?: boolean;
  /** Whether a sync would be refused, which has been reported with what to do. */
  readonly refused?: boolean;
}

/** The error of a sync, or its status, with something open; undefined where nothing is. */
export function openError({
  conflicts,
  state,
  decisions,
  failed = 0,
  prefers = false,
  refused = false,
}: Open): PartialError | undefined {
  const items = (number: number, one: string, more: string) =>
    number === 0 ? [] : [number === 1 ? `1 item ${one}` : `${number} items ${more}`];
  const could = state === "left" ? "could not" : "cannot";
  const parts = [
    ...(conflicts.length === 0 ? [] : [conflictsText(state, conflicts)]),
    ...items(decisions, "needs a decision", "need a decision"),
    ...items(failed, `${could} be synced`, `${could} be synced`),
  ];
  if (parts.length === 0) return undefined;
  const hint = state === "planned" ? notWritten : prefers ? notChosen : resolving;
  return new PartialError(parts.join(", and "), conflicts.length > 0 && !refused ? { hint } : {});
}

/** "1 conflict is left in Geo/Norway.md"; "2 conflicts are in Geo/Norway.md, Geo/Peru.md". */
function conflictsText(state: Open["state"], paths: readonly string[]): string {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  const where = visible(`${paths.slice(0, 3).join(", ")}${more}`);
  const subject = paths.length === 1 ? "1 conflict is" : `${paths.length} conflicts are`;
  return `${subject}${state === "left" ? " left" : ""} in ${where}`;
}

/** Said of an old checkout. */
export const oldCheckout =
  "The folder is at a git commit that does not come after the one of the last sync: the collection gets its older texts.";

/** Reports attachments that only the service has, if there are any. */
export function noteUnfetched({ files }: SyncPlan, context: Context): void {
  const number = files.filter(({ kind }) => kind === "unfetched").length;
  if (number > 0)
    context.io.note(
      `${number} ${number === 1 ? "attachment is" : "attachments are"} only on the service, which does not let ${number === 1 ? "it" : "them"} be downloaded`,
    );
}
