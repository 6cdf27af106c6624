import { type Db, same } from "./tables.ts";

export async function insertKey(
  db: Db,
  key: { account: string; hash: string; created_at: number },
): Promise<void> {
  await db.insertInto("key").values(key).execute();
}

/** Every key, oldest first. */
export function allKeys(db: Db): Promise<{ account: string; created_at: number }[]> {
  return db.selectFrom("key").select(["account", "created_at"]).orderBy("id").execute();
}

export async function anyKey(db: Db): Promise<boolean> {
  return (await db.selectFrom("key").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** The account whose key has this hash. */
export async function accountWithHash(db: Db, hash: string): Promise<string | undefined> {
  const row = await db.selectFrom("key").select("account").where(same({ hash })).executeTakeFirst();
  return row?.account;
}

/** Removes all keys of an account. @returns how many there were. */
export async function deleteKeys(db: Db, account: string): Promise<number> {
  const result = await db.deleteFrom("key").where(same({ account })).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** The setting that names the bucket of attachments, where there is one: the store's own, and never copied. */
export const bucketSetting = "bucket";

/** A value that the store keeps for itself, created on first use. Belongs inside a writing transaction. */
export async function settingOr(db: Db, name: string, create: () => string): Promise<string> {
  const found = await setting(db, name);
  if (found !== undefined) return found;
  const value = create();
  await db
    .insertInto("setting")
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  // Another server may have been first.
  return (await setting(db, name)) ?? value;
}

export async function setSetting(db: Db, name: string, value: string): Promise<void> {
  await db
    .insertInto("setting")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

/** @param pattern of their names, as SQL has it */
export function settingsLike(db: Db, pattern: string): Promise<{ name: string; value: string }[]> {
  return db.selectFrom("setting").select(["name", "value"]).where("name", "like", pattern).execute();
}

export async function deleteSettings(db: Db, names: readonly string[]): Promise<void> {
  if (names.length > 0) await db.deleteFrom("setting").where("name", "in", names).execute();
}

export async function setting(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom("setting").select("value").where(same({ name })).executeTakeFirst();
  return row?.value;
}
