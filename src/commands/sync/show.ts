import type { Context } from "../../context/context.ts";
import { PartialError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import { kindOf } from "../../sync/changes.ts";
import type { Change, SyncPlan, SyncResult } from "../../sync/types.ts";

/** What a change is called in JSON, and for people, who want to know which side it changes. */
type Words = readonly [what: string, label: string];

const left: Words = ["left", "not synced"];
/** By `kindOf`; kinds that are not there are not shown. In the order in which is said what was done. */
const words: Readonly<Record<string, Words>> = {
  "create card service": ["new card", "create card in the collection"],
  "update card service": ["to service", "update in the collection"],
  "restore card service": ["restore card", "restore in the collection"],
  "create card folder": ["new file", "create card in the folder"],
  "update card folder": ["to folder", "update in the folder"],
  "update attachment service": ["to service", "copy to the collection"],
  "update attachment folder": ["to folder", "copy to the folder"],
  "create template service": ["new template", "create template in the collection"],
  "create template folder": ["new template", "create template in the folder"],
  "update card both": ["merge", "update in both"],
  "remove card service": ["remove card", "remove in the collection"],
  "remove card folder": ["remove file", "remove in the folder"],
  "create deck service": ["new deck", "create deck in the collection"],
  "create deck folder": ["new folder", "create deck in the folder"],
  "update deck service": ["to service", "change deck in the collection"],
  "update deck folder": ["to folder", "change deck in the folder"],
  "update deck both": ["merge", "change deck in both"],
  "conflict card folder": ["conflict", "conflict"],
  "leave card none": left,
  "leave deck none": left,
  "leave attachment none": left,
};

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

export const planLines = ({ changes }: SyncPlan): LabelledLine[] =>
  changes.flatMap((change) => lineOf(change) ?? []);

function lineOf(change: Change): LabelledLine | undefined {
  const [what, label] = words[kindOf(change)] ?? [];
  if (what === undefined || label === undefined) return undefined;
  const { path, id = null, note = null } = change;
  if (change.thing === "deck" && change.renamed !== undefined) {
    const { side, to, renamed } = change;
    const why = side === "folder" ? `its name in deck.yaml becomes ${to.name}` : `it was called ${renamed}`;
    return { what, label: label.replace("change", "rename"), path, id, note: why };
  }
  return { what, label: openOf(change).marked ? "conflict" : label, path, id, note };
}

/** What a person has to see to. */
interface Open {
  readonly what: string;
  readonly conflict?: boolean | undefined;
  readonly failed?: boolean | undefined;
  /** Whether its file has conflict markers, or gets them. */
  readonly marked?: boolean | undefined;
}

export function openOf(change: Change): Open {
  const { path: what, conflict, failed, op } = change;
  const isThere = change.thing === "card" && op === "leave" && change.file?.marked;
  return { what, conflict, failed, marked: op === "conflict" || isThere };
}

/** What was done: "Synced: 3 × create card in the collection"; undefined for nothing. */
export function doneText(done: SyncResult["done"]): string | undefined {
  const parts = Object.entries(words).flatMap(([kind, [, label]]) => {
    const number = done.get(kind);
    return number === undefined || label === "conflict" ? [] : `${number} × ${label}`;
  });
  return parts.length === 0 ? undefined : `Synced: ${parts.join(", ")}`;
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

/** How a conflict is resolved. */
export const resolving =
  "Edit the file that has both texts, remove the lines that begin with <<<<<<<, |||||||, ======= and >>>>>>>, and sync again; or choose the side of conflicts that a sync wrote: --prefer folder or --prefer service (the collection).";

/**
 * The error of a sync, or its status, with something open; undefined where nothing is.
 *
 * @param could words for what a sync does not do: it could not, or cannot, be synced
 * @param refused whether a sync would be refused, which has been reported with what to do
 */
export function openError(
  open: readonly Open[],
  could: "could not" | "cannot",
  refused = false,
): PartialError | undefined {
  const marked = open.filter((each) => each.marked).length;
  const decisions = open.filter((each) => each.conflict && !each.marked).length;
  const failed = open.filter((each) => each.failed).length;
  const items = (number: number, one: string, more = one) =>
    number === 0 ? [] : [number === 1 ? `1 item ${one}` : `${number} items ${more}`];
  const parts = [
    ...items(marked, "is in conflict", "are in conflict"),
    ...items(decisions, "needs a decision", "need a decision"),
    ...items(failed, `${could} be synced`),
  ];
  if (parts.length === 0) return undefined;
  return new PartialError(parts.join(", and "), marked > 0 && !refused ? { hint: resolving } : {});
}

/** Said of an old checkout. */
export const oldCheckout =
  "The folder is at a git commit that does not come after the one of the last sync: the collection gets its older texts.";

/** Reports attachments that only the service has, if there are any. */
export function noteUnfetched({ changes }: SyncPlan, context: Context): void {
  const number = changes.filter(({ op }) => op === "skip").length;
  if (number > 0)
    context.io.note(
      `${count(number, "attachment")} only on the service, which does not let them be downloaded`,
    );
}
