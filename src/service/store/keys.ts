import type { Db } from "./tables.ts";

export async function insertKey(
  db: Db,
  key: { account: string; hash: string; created_at: number },
): Promise<void> {
  await db.insertInto("key").values(key).execute();
}

/** Every key, oldest first. */
export function allKeys(db: Db): Promise<{ account: string; hash: string; created_at: number }[]> {
  return db.selectFrom("key").select(["account", "hash", "created_at"]).orderBy("id").execute();
}

/** Removes all keys of an account. @returns how many there were. */
export async function deleteKeys(db: Db, account: string): Promise<number> {
  const result = await db.deleteFrom("key").where("account", "=", account).executeTakeFirst();
  return Number(result.numDeletedRows);
}
