import type { Db } from "./tables.ts";

/**
 * Notes contents that may come to lie on the disk without a row that names them. The note is committed before the content
 * is put there, or together with the removal of the row; it goes when the matter is settled. So a crash at any point
 * leaves no content behind that nobody knows of, and nobody has to look through the folder.
 */
export async function noteUnsettled(db: Db, hashes: readonly string[]): Promise<void> {
  for (const hash of new Set(hashes)) {
    await db
      .insertInto("unsettled_blob")
      .values({ hash })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Takes the note back. @returns whether there was one: another process may have settled it. */
export async function takeUnsettled(db: Db, hash: string): Promise<boolean> {
  const result = await db.deleteFrom("unsettled_blob").where("hash", "=", hash).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function allUnsettled(db: Db): Promise<string[]> {
  return (await db.selectFrom("unsettled_blob").select("hash").execute()).map(({ hash }) => hash);
}
