import { Kysely } from "kysely";
import type { Engine } from "../dialects/sqlite.ts";
import * as first from "./0001-first.ts";
import * as accountDays from "./0002-account-days.ts";

export interface Migration {
  up(db: Kysely<never>): Promise<void>;
}

/** Every migration by its number. They run in order, in one transaction; one that was released never changes. */
export const migrations: Readonly<Record<number, Migration>> = { 1: first, 2: accountDays };

/**
 * Brings a store up to `newest`, whole or not at all.
 *
 * @param refuse throws for a version that is too new: another process may have got there first.
 */
export async function migrate(
  engine: Engine,
  newest: number,
  refuse: (version: number) => void,
): Promise<void> {
  if (engine.version() === 0) engine.prepareNew();
  const db = new Kysely<never>({ dialect: engine.dialect });
  await db.transaction().execute(async (transaction) => {
    const found = engine.version();
    refuse(found);
    for (let number = found + 1; number <= newest; number++) await migrations[number]?.up(transaction);
    if (found < newest) engine.setVersion(newest);
  });
}
