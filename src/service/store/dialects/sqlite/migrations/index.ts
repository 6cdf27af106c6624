import { Kysely } from "kysely";
import type { SqliteFile } from "../file.ts";
import * as first from "./0001-first.ts";
import * as second from "./0002-account-days.ts";
import * as third from "./0003-whole-documents.ts";
import * as fourth from "./0004-schedule.ts";
import * as fifth from "./0005-checksums.ts";

interface Migration {
  up(db: Kysely<never>): Promise<void>;
}

/** Every migration by its number. They run in order, in one transaction; one that was released never changes. */
export const migrations: Readonly<Record<number, Migration>> = {
  1: first,
  2: second,
  3: third,
  4: fourth,
  5: fifth,
};

/**
 * Brings a store up to version `newest`, whole or not at all.
 *
 * @param refuse throws for a version that is too new: another process may have migrated the store meanwhile.
 */
export async function migrate(
  file: SqliteFile,
  newest: number,
  refuse: (version: number) => void,
): Promise<void> {
  if (file.version() === 0) await file.prepareNew();
  const db = new Kysely<never>({ dialect: file.dialect });
  await db.transaction().execute(async (transaction) => {
    const found = file.version();
    refuse(found);
    for (let number = found + 1; number <= newest; number++) await migrations[number]?.up(transaction);
    if (found < newest) await file.setVersion(transaction, newest);
  });
}
