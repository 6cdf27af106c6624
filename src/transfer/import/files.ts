import type { Client } from "../../client/index.ts";
import { plainName } from "../media.ts";
import type { SourceAttachment } from "../model.ts";
import type { Stage, StagedCard } from "./stage.ts";
import { carried, type ImportMode } from "./target.ts";

interface Files {
  readonly missing: readonly SourceAttachment[];
  /** Those that are stored with another size. */
  readonly others: readonly SourceAttachment[];
}

/** Of the files of a card those that are to be sent, after `compareFiles`. */
export function filesToSend(
  stage: Stage,
  { kind, id, why }: StagedCard,
  files: readonly SourceAttachment[],
  attachmentList: boolean,
  { resumed }: ImportMode,
): Files {
  if (kind === "new") return { missing: files, others: [] };
  // They may have been removed or replaced with the text.
  if (why === "edited") return { missing: [], others: [] };
  // What is stored cannot be looked up: those of a card that did not change are there, unless a run was stopped at it.
  if (!attachmentList) return { missing: kind === "same" && !resumed ? [] : files, others: [] };
  const missing: SourceAttachment[] = [];
  const others: SourceAttachment[] = [];
  for (const file of files) {
    const there = stage.all<{ readonly size: number | null }>(
      "select size from stored where card = ? and name in (?, ?)",
      ...[id, file.fileName.normalize("NFC"), plainName(file.fileName)],
    );
    if (there.length === 0) missing.push(file);
    else if (file.size !== undefined && there[0]?.size !== file.size) others.push(file);
  }
  return { missing, others };
}

/** Finds out which files of the cards that are carried out the account lacks, and what else is to be made of the new ones. */
export async function compareFiles(stage: Stage, client: Client, mode: ImportMode): Promise<void> {
  stage.run(
    `update source set todo_reviews = reviews, todo_files = files, todo_bytes = bytes
     where kind = 'new'`,
  );
  const where = `files > 0 and kind <> 'new' and ${carried(mode)}`;
  if (stage.value(`select exists (select 1 from source where ${where})`) === 0) return;
  const attachmentList = await client.service.has("attachment-list");
  if (attachmentList)
    for await (const page of client.attachments.all())
      for (const { "card-id": card, "file-name": name, size } of page)
        stage.run("insert or replace into stored values (?, ?, ?)", card, name, size ?? null);
  for (const rows of stage.rows(where))
    for (const row of rows) {
      const files = stage.card(row.number).attachments ?? [];
      const { missing, others } = filesToSend(stage, row, files, attachmentList, mode);
      stage.run(
        "update source set todo_files = ?, todo_bytes = ?, other_files = ? where number = ?",
        ...[missing.length, missing.reduce((sum, { size = 0 }) => sum + size, 0), others.length, row.number],
      );
    }
}
