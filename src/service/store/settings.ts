import type { Db } from "./tables.ts";

/** A value the store keeps for itself, made on first use. */
export async function settingOr(db: Db, name: string, make: () => string): Promise<string> {
  const found = await setting(db, name);
  if (found !== undefined) return found;
  // Two processes may make it at once: the first one counts, for both.
  await db
    .insertInto("setting")
    .values({ name, value: make() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await setting(db, name)) as string;
}

async function setting(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom("setting").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value;
}
