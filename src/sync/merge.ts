import { diffArrays } from "diff";
import type { CardDocument } from "../cards/document.ts";
import type { Preference } from "./types.ts";

/** The largest number of changed lines that is looked for; beyond it a text counts as changed as a whole. */
const maxEditLength = 2000;

/** Where each line of the base is in another text; undefined where it is not. */
function matches(base: readonly string[], other: readonly string[]): Map<number, number> {
  const found = new Map<number, number>();
  let [inBase, inOther] = [0, 0];
  for (const part of diffArrays([...base], [...other], { maxEditLength }) ?? []) {
    if (part.added) inOther += part.count;
    else if (part.removed) inBase += part.count;
    else for (let i = 0; i < part.count; i++) found.set(inBase++, inOther++);
  }
  return found;
}

interface MergedLines {
  readonly lines: readonly string[];
  readonly conflict: boolean;
}

/**
 * Merges the lines of two texts with those of the text that they come from. What both changed is written in git's form, with
 * the markers `<<<<<<< folder`, `||||||| base`, `=======` and `>>>>>>> service`.
 *
 * @param prefer the side whose lines are used instead of a conflict
 */
function mergeLines(
  o: readonly string[],
  a: readonly string[],
  b: readonly string[],
  prefer: Preference | undefined,
): MergedLines {
  const [inFolder, inService] = [matches(o, a), matches(o, b)];
  const lines: string[] = [];
  let conflict = false;
  for (let [i, x, y] = [0, 0, 0]; i < o.length || x < a.length || y < b.length; ) {
    if (i < o.length && inFolder.get(i) === x && inService.get(i) === y) {
      lines.push(o[i] ?? "");
      i++;
      x++;
      y++;
      continue;
    }
    // Up to the next line that all three have.
    let next = i;
    while (next < o.length && !(inFolder.has(next) && inService.has(next))) next++;
    const [nextX, nextY] = [inFolder.get(next) ?? a.length, inService.get(next) ?? b.length];
    const parts = [o.slice(i, next), a.slice(x, nextX), b.slice(y, nextY)] as const;
    const merged = mergePart(...parts, prefer);
    lines.push(...merged.lines);
    conflict ||= merged.conflict;
    [i, x, y] = [next, nextX, nextY];
  }
  return { lines, conflict };
}

function mergePart(
  base: readonly string[],
  folder: readonly string[],
  service: readonly string[],
  prefer: Preference | undefined,
): MergedLines {
  const same = (a: readonly string[], b: readonly string[]) =>
    a.length === b.length && a.every((line, index) => line === b[index]);
  if (same(base, service) || same(folder, service)) return { lines: folder, conflict: false };
  if (same(base, folder)) return { lines: service, conflict: false };
  // Where both only added lines, those that they share are no conflict: what is around them is merged.
  const shared = base.length === 0 ? commonLines(folder, service) : [];
  if (shared.length > 0) return mergeLines(shared, folder, service, prefer);
  // Lines that both added are no conflict, only what is between them.
  const least = Math.min(folder.length, service.length);
  let [before, after] = [0, 0];
  while (before < least && folder[before] === service[before]) before++;
  while (after < least - before && folder.at(-1 - after) === service.at(-1 - after)) after++;
  const [ours, theirs] = [folder, service].map((lines) => lines.slice(before, lines.length - after));
  const around = (lines: readonly string[]) => [
    ...folder.slice(0, before),
    ...lines,
    ...folder.slice(folder.length - after),
  ];
  if (base.length === 0 && (ours?.length === 0 || theirs?.length === 0))
    return { lines: around([...(ours ?? []), ...(theirs ?? [])]), conflict: false };
  if (prefer !== undefined) return { lines: prefer === "folder" ? folder : service, conflict: true };
  const marked = ["<<<<<<< folder", ...(ours ?? []), "||||||| base", ...base, "=======", ...(theirs ?? [])];
  return { lines: around([...marked, ">>>>>>> service"]), conflict: true };
}

/** The lines that two texts have in common: what stands for their origin where that is not known. */
function commonLines(folder: readonly string[], service: readonly string[]): string[] {
  const common = matches(folder, service);
  return folder.filter((_, index) => common.has(index));
}

/**
 * Merges two documents with the one that they come from. Without one, what is only in one text counts as added, and
 * values that differ are conflicts.
 *
 * @returns `conflict` whether both changed the same lines, which have markers where no side is preferred, `values` what
 * else both changed
 */
export function mergeDocs(
  base: CardDocument | undefined,
  folder: CardDocument,
  service: CardDocument,
  prefer: Preference | undefined,
): { doc: CardDocument; conflict: boolean; values: readonly string[] } {
  const values: string[] = [];
  let conflict = false;
  const text = (from: string | undefined, a: string, b: string) => {
    const [folder, service] = [a.split("\n"), b.split("\n")];
    const base = from ?? commonLines(folder, service).join("\n");
    const merged = mergeLines(base.split("\n"), folder, service, prefer);
    conflict ||= merged.conflict;
    return merged.lines.join("\n");
  };
  const value = <T>(name: string, of: (doc: CardDocument) => T): T => {
    const [a, b] = [of(folder), of(service)];
    if (a === b || (base !== undefined && of(base) === b)) return a;
    if (base !== undefined && of(base) === a) return b;
    values.push(name);
    return prefer === "folder" ? a : b;
  };
  const ids = new Set([...Object.keys(folder.fields), ...Object.keys(service.fields)]);
  const fields: Record<string, string> = {};
  for (const id of [...ids].sort()) {
    const merged = text(base && (base.fields[id] ?? ""), folder.fields[id] ?? "", service.fields[id] ?? "");
    // A field that one side removed and the other left alone.
    const removed = merged === "" && (!(id in folder.fields) || !(id in service.fields));
    if (!removed) fields[id] = merged;
  }
  const doc: CardDocument = {
    content: text(base?.content, folder.content, service.content),
    deck: value("deck", (each) => each.deck),
    template: value("template", (each) => each.template),
    pos: value("position", (each) => each.pos),
    tags: mergeSets(base?.tags ?? [], folder.tags, service.tags),
    archived: value("archived", (each) => each.archived),
    reverse: value("reverse", (each) => each.reverse),
    fields,
  };
  return { doc, conflict, values };
}

/** What either side added, without what either side removed. */
function mergeSets(base: readonly string[], folder: readonly string[], service: readonly string[]): string[] {
  const all = new Set([...base, ...folder, ...service]);
  const has = (set: readonly string[], tag: string) => set.includes(tag);
  return [...all].filter((tag) => (has(base, tag) ? has(folder, tag) && has(service, tag) : true)).sort();
}

/**
 * How many lines of a text are conflict markers of a sync. Others are text, as in a card about git; so is a line of `=======`,
 * which in markdown underlines a heading.
 */
export const markersIn = (text: string): number =>
  text.match(/^(?:<{7} folder|\|{7} base|>{7} service)\r?$/gm)?.length ?? 0;

/**
 * The document of one side of a file in which a sync wrote conflicts; undefined where markers are another program's or
 * incomplete, or where a line of `=======` may be text.
 */
export function sideOf(
  doc: CardDocument,
  side: Preference,
  agreed: CardDocument | undefined,
): CardDocument | undefined {
  const content = pickSide(doc.content, side);
  const fields = Object.entries(doc.fields).map(([id, text]) => [id, pickSide(text, side)] as const);
  if (content === undefined || fields.some(([, text]) => text === undefined)) return undefined;
  const chosen = { ...doc, content, fields: Object.fromEntries(fields) as Record<string, string> };
  return hasMarkers(chosen, agreed) ? undefined : chosen;
}

function pickSide(text: string, side: Preference): string | undefined {
  const lines: string[] = [];
  let part: "both" | "base" | Preference = "both";
  for (const line of text.split("\n")) {
    if (part === "both" && line === "<<<<<<< folder") part = "folder";
    else if (part === "folder" && line === "||||||| base") part = "base";
    else if (part === "base" && line === "=======") part = "service";
    else if (part === "service" && line === "=======") return undefined;
    else if (part === "service" && line === ">>>>>>> service") part = "both";
    else if (part === "both" || part === side) lines.push(line);
  }
  return part === "both" ? lines.join("\n") : undefined;
}

/** Whether a document has conflict markers that the agreed one has not: a card may be about them. */
export function hasMarkers(doc: CardDocument, agreed: CardDocument | undefined): boolean {
  const count = ({ content, fields }: CardDocument) =>
    markersIn([content, ...Object.values(fields)].join("\n"));
  const markers = count(doc);
  return markers > 0 && (agreed === undefined || markers > count(agreed));
}
