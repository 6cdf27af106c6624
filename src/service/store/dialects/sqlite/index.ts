import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { DeckhandError, NotConfiguredError } from "../../../../errors.ts";
import { makeDurableFolder } from "../../../../files/folders.ts";
import { takeRestored } from "../../../restored.ts";
import type { Engine } from "../engine.ts";
import { SqliteFile, sqliteProblem } from "./file.ts";

/** The number of the newest migration. It is here so that an up-to-date store opens without loading the migrations. */
export const newestVersion = 8;
// Earlier ones are of commits before the first release.
const oldestVersion = 5;

/**
 * Opens the SQLite store in a folder. Creates both if they are missing and migrates an older store.
 *
 * @throws DeckhandError for a store of a newer program, which is left untouched, and for a file that is not a store.
 */
export async function openSqlite(folder: string): Promise<Engine> {
  const path = join(folder, "store.sqlite");
  let file: SqliteFile | undefined;
  try {
    takeRestored(folder);
    if (!existsSync(path)) prepareFolder(folder, path);
    file = new SqliteFile(path);
    await bringUpToDate(file, folder);
    file.stopBlocking();
    const opened = file;
    const openBeside = () => {
      const beside = new SqliteFile(path);
      beside.stopBlocking();
      return beside.dialect;
    };
    return {
      dialect: opened.dialect,
      openBeside,
      problemOf: sqliteProblem,
      close: async () => opened.close(),
    };
  } catch (error) {
    file?.close();
    throw error instanceof DeckhandError ? error : unusable(path, error);
  }
}

/** The empty file is created here, since SQLite would create it with the mode of the umask. */
function prepareFolder(folder: string, path: string): void {
  makeDurableFolder(folder);
  chmodSync(folder, 0o700);
  closeSync(openSync(path, "a", 0o600));
}

async function bringUpToDate(file: SqliteFile, folder: string): Promise<void> {
  const path = join(folder, "store.sqlite");
  const refuse = (version: number) => {
    if (version > 0 && version < oldestVersion)
      throw new DeckhandError("refused", `the collection in ${path} was written before deckhand 0.1.0`, {
        hint: "Export it with the program that wrote it, and import the export; nothing was changed.",
      });
    if (version > newestVersion)
      throw new DeckhandError("refused", `the collection in ${path} was written by a newer deckhand`, {
        hint: "Install that version or a later one; nothing was changed.",
      });
  };
  const version = file.version();
  refuse(version);
  if (version === newestVersion) return;
  if (version > 0) {
    const { keepBackup } = await import("../../../backup/kept.ts");
    await keepBackup("before-migration", dirname(folder), { folder, now: Date.now() });
  }
  const { migrate } = await import("./migrate.ts");
  await migrate(file, newestVersion, refuse);
}

/** The error for a store that cannot be opened. */
export function unusable(path: string, cause: unknown): DeckhandError {
  switch (sqliteProblem(cause)) {
    case "busy":
      return new DeckhandError("server", `the collection in ${path} is in use by another program`, { cause });
    case "full":
      return new DeckhandError("server", `there is no space left for the collection in ${path}`, { cause });
    case "damaged":
      return new DeckhandError("refused", `${path} is not a collection, or it is damaged`, { cause });
    default:
      return new NotConfiguredError(`cannot open the collection in ${path}: ${reasonOf(cause)}`, {
        hint: "Set DECKHAND_HOME to a folder that can be written.",
        cause,
      });
  }
}

/** The message without the system's error code and call: "EACCES: permission denied, open 'x'" → "permission denied". */
function reasonOf(error: unknown): string {
  return (error as Error).message.replace(/^E[A-Z]+: (.+?), \w+(?: '.*')?$/s, "$1");
}
