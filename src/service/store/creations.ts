import type { Db } from "./tables.ts";

/** The hash of the creation that carried an id. */
export async function creationHash(db: Db, account: string, id: string): Promise<string | undefined> {
  const query = db.selectFrom("creation").select("hash").where("account", "=", account).where("id", "=", id);
  return (await query.executeTakeFirst())?.hash;
}

export async function insertCreation(db: Db, account: string, id: string, hash: string): Promise<void> {
  await db.insertInto("creation").values({ account, id, hash }).execute();
}
