import { forEachTable } from "./documents.ts";
import { prepared } from "./prepared.ts";
import type { Db, DocumentTable } from "./tables.ts";

interface Key {
  readonly account: string;
  readonly id: string;
}

const standing = forEachTable((table) =>
  prepared((db, { account, id }: Key) =>
    db.selectNoFrom((eb) => [
      eb.selectFrom("creation").select("hash").where("account", "=", account).where("id", "=", id).as("hash"),
      eb.selectFrom(table).select("id").where("account", "=", account).where("id", "=", id).as("taken"),
    ]),
  ),
);

/** The hash of the creation that carried an id, and whether a document of the table has the id. */
export async function standingOfId(
  db: Db,
  table: DocumentTable,
  account: string,
  id: string,
): Promise<{ readonly hash: string | undefined; readonly isTaken: boolean }> {
  const [row] = await standing[table](db, { account, id });
  return { hash: row?.hash ?? undefined, isTaken: row?.taken != null };
}

const insert = prepared((db, row: Key & { readonly hash: string }) => db.insertInto("creation").values(row));

export async function insertCreation(db: Db, account: string, id: string, hash: string): Promise<void> {
  await insert(db, { account, id, hash });
}
