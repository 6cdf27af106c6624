import { Kysely } from "kysely";
import type { Engine } from "../dialects/engine.ts";
import * as first from "./0001-first.ts";
import * as second from "./0002-account-days.ts";
import * as third from "./0003-whole-documents.ts";
import * as fourth from "./0004-schedule.ts";

export interface Migration {
  up(db: Kysely<never>): Promise<void>;
}

/** Every migration by its number. They run in order, in one transaction; one that was released never changes. */
export const migrations: Readonly<Record<number, Migration>> = {
  1: first,
  2: second,
  3: third,
  4: fourth,
};

/**
 * Brings a store up to version `newest`, whole or not at all.
 *
 * @param refuse throws for a version that is too new: another process may have migrated the store meanwhile.
 */
export async function migrate(
  engine: Engine,
  newest: number,
  refuse: (version: number) => void,
): Promise<void> {
  if ((await engine.version()) === 0) await engine.prepareNew();
  const db = new Kysely<never>({ dialect: engine.dialect });
  await db.transaction().execute(async (transaction) => {
    const found = await engine.version();
    refuse(found);
    for (let number = found + 1; number <= newest; number++) await migrations[number]?.up(transaction);
    if (found < newest) await engine.setVersion(transaction, newest);
  });
}
