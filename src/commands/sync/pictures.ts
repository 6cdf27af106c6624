import type { Context } from "../../context/context.ts";
import { safeFileName } from "../../files/safe-names.ts";
import { filesFolder } from "../../folder/layout.ts";
import { visible } from "../../output/index.ts";
import type { Change, SyncPlan } from "../../sync/types.ts";
import { embeddedFiles } from "../../transfer/formats/beside.ts";
import { distinctNames, mediaNames } from "../../transfer/media.ts";

/** Whether a change sends the text of a file to the collection. */
const sends = ({ op, side }: Change) =>
  (side === "service" && op !== "remove") || (side === "both" && op === "update");
const mostLines = 20;

/** Warns of cards that are sent with links to pictures that are not in the folder. A line a file. */
export function warnOfPictures(plan: SyncPlan, { io }: Context): void {
  const lines: string[] = [];
  const there = new Map<string | undefined, Set<string>>();
  const note = (path: string | undefined, name: string) =>
    there.set(path, (there.get(path) ?? new Set()).add(composed(name)));
  for (const change of plan.changes) if (change.thing === "attachment") note(change.cardPath, change.name);
  for (const [path, files] of plan.attachments) for (const { file } of files) note(path, file);
  for (const change of plan.changes) {
    const file = change.thing === "card" && sends(change) ? change.file : undefined;
    const doc = file?.doc?.read();
    if (file === undefined || doc === undefined) continue;
    const texts = [doc.content, ...Object.values(doc.fields)];
    const isThere = (name: string) => there.get(file.path)?.has(composed(name)) === true;
    const missing = texts
      .flatMap(mediaNames)
      .filter((name) => !isThere(name) && !isThere(safeFileName(name)));
    const names = distinctNames([...missing, ...texts.flatMap(embeddedFiles)]);
    if (names.length > 0)
      lines.push(
        `${file.path}: not attached: ${names.join(", ")}; put ${names.length === 1 ? "it" : "them"} beside the note, or into ${filesFolder(file.path)}`,
      );
  }
  for (const line of lines.slice(0, mostLines)) io.warn(visible(line));
  if (lines.length > mostLines) io.warn(`and ${lines.length - mostLines} more such warnings`);
}

const composed = (name: string): string => name.normalize("NFC");
