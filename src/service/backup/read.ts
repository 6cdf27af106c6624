import { open, stat } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { DeckhandError } from "../../errors.ts";
import { fileProblem, isFileError } from "../../files/errors.ts";
import { newestVersion } from "../store/dialects/sqlite/index.ts";
import { DamagedBackup, type Part, readArchive } from "./archive.ts";
import { type BackupHeader, headerName } from "./write.ts";

export interface ReadBackup extends BackupHeader {
  /** The names of all parts but those of attachments. */
  readonly parts: readonly string[];
  readonly files: number;
  /** Of all parts, in bytes. */
  readonly size: number;
}

/**
 * Reads a backup whole and compares every part with its hash.
 *
 * @param visit what else to do with a part; it is not verified yet
 * @throws DeckhandError that says what is damaged, or that the file is not a backup
 */
export async function readBackup(
  path: string,
  visit?: (part: Part, header: BackupHeader) => Promise<void>,
): Promise<ReadBackup> {
  let header: BackupHeader | undefined;
  const parts: string[] = [];
  let [files, size] = [0, 0];
  let visiting = false;
  try {
    const begin = await beginOf(path);
    // Zeros are what a disk may leave of any file: that is damage.
    if (begin !== headerName && !begin.startsWith("\0")) throw noBackup(path);
    await readArchive(path, async (part) => {
      size += part.size;
      if (header === undefined) {
        header = await headerOf(part);
        return;
      }
      if (part.name.startsWith("attachments/")) files++;
      else parts.push(part.name);
      visiting = true;
      await visit?.(part, header);
      visiting = false;
    });
  } catch (error) {
    // Where the visitor cannot write, it is not the backup that cannot be read.
    const reading = !visiting || (error as { syscall?: unknown } | null)?.syscall === "read";
    throw reading || !isFileError(error) ? readable(error, path) : error;
  }
  if (header === undefined) throw damaged(path, ["it is empty"]);
  return { ...header, parts, files, size };
}

/**
 * Whether a file begins as a backup does: such a file may be replaced by a newer one.
 *
 * @throws DeckhandError for a file that cannot be read
 */
export const isBackup = (path: string): Promise<boolean> =>
  beginOf(path).then(
    (begin) => begin === headerName,
    (error: unknown) => {
      throw readable(error, path);
    },
  );

/** As much of a file as the name of the first part of a backup, with which one begins; fewer bytes of a short one. */
async function beginOf(path: string): Promise<string> {
  const there = await stat(path);
  // Opening a pipe would wait for a writer. A folder is refused by the system.
  if (!there.isFile() && !there.isDirectory()) throw noBackup(path);
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerName.length), 0, undefined, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}

const noBackup = (path: string) => new DeckhandError("usage", `${path} is not a backup of deckhand`);

async function headerOf({ name, size, pieces }: Part): Promise<BackupHeader> {
  if (name !== headerName || size > 64 * 1024) throw new DamagedBackup([`${headerName} is damaged`]);
  let value: Partial<BackupHeader> | undefined;
  try {
    value = JSON.parse(await text(pieces)) as Partial<BackupHeader>;
  } catch {
    throw new DamagedBackup([`${headerName} is damaged`]);
  }
  const { backup, created = "", schema = 0, attachments = false } = value;
  if ((typeof backup === "number" && backup > 1) || schema > newestVersion)
    throw new DeckhandError("refused", "the backup was written by a newer deckhand", {
      hint: "Install that version or a later one.",
    });
  if (backup !== 1) throw new DamagedBackup([`${headerName} is damaged`]);
  return { backup, created, schema, attachments };
}

function readable(error: unknown, path: string): unknown {
  if (error instanceof DamagedBackup) return damaged(path, error.problems);
  return isFileError(error)
    ? new DeckhandError("usage", `cannot read ${path}: ${fileProblem(error)}`, { cause: error })
    : error;
}

const damaged = (path: string, problems: readonly string[]) =>
  new DeckhandError("partial", `${path} is damaged: ${problems.slice(0, 5).join("; ")}`, {
    hint: "Use another backup.",
  });
